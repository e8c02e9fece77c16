/* enes: a black-box optimizer. Made from crates/enes-c/src by cbindgen; not edited by hand. */

#ifndef ENES_H
#define ENES_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

/*
 An optimizer. Only the functions below look inside.
 */
typedef struct EnesOptimizer EnesOptimizer;

/*
 An objective: `dimension` numbers in, a value out, NaN where it failed; `data` is what `enes_minimize` was given.
 */
typedef double (*EnesObjective)(const double *x, size_t dimension, void *data);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 What went wrong last on this thread, as a sentence; empty where nothing has. It stays valid until the next
 function of this library fails on this thread.
 */
const char *enes_last_error(void);

/*
 A new optimizer that starts at `x0`, `dimension` numbers, with the initial standard deviation `sigma0`.

 `settings` is text in TOML, or NULL: "seed = 7\ntarget = 1e-9\nmax_evaluations = 2000\nbounds = [[0, 1], [0, inf]]".
 Its names are those of the Rust library, and docs/other-languages.md lists them. `x0` may be NULL and `sigma0` 0
 where the settings have bounds, or say `x0` and `sigma0` themselves.

 Returns NULL where something cannot be used; `enes_last_error` names it. `enes_free` frees the optimizer.

 # Safety
 `x0` is NULL or `dimension` numbers; `settings` is NULL or a text that ends with NUL.
 */
EnesOptimizer *enes_new(size_t dimension,
                        const double *x0,
                        double sigma0,
                        const char *settings);

/*
 Free an optimizer; NULL is left alone.

 # Safety
 `es` is NULL, or from this library and not yet freed.
 */
void enes_free(EnesOptimizer *es);

/*
 The points to evaluate now, one after the other: `*count` of them, `dimension` numbers each.

 They stay valid until the next `enes_ask`, `enes_tell` or `enes_free`. Asking again before telling gives the same
 points. With strategy "published" there may be none: tell no values then. Returns NULL where `es` or `count` is NULL.

 # Safety
 `es` is from this library and not yet freed; `count` is a place for a number.
 */
const double *enes_ask(EnesOptimizer *es,
                       size_t *count);

/*
 The values of the points that `enes_ask` gave, in their order; NaN for one that failed. Returns whether they were
 taken: their number must be that of the points.

 # Safety
 `es` is from this library and not yet freed; `values` are `count` numbers.
 */
bool enes_tell(EnesOptimizer *es,
               const double *values,
               size_t count);

/*
 The same for points with constraints: `violations` says by how much each point violates them, 0 or less where it is
 feasible.

 # Safety
 `es` is from this library and not yet freed; `values` and `violations` are `count` numbers each.
 */
bool enes_tell_constrained(EnesOptimizer *es,
                           const double *values,
                           const double *violations,
                           size_t count);

/*
 Give a point that was evaluated elsewhere, `dimension` numbers, and its value to the search. Returns whether it was
 taken.

 # Safety
 `es` is from this library and not yet freed; `x` are `dimension` numbers.
 */
bool enes_inject(EnesOptimizer *es,
                 const double *x,
                 double value);

/*
 The whole state of the search as bytes, to continue later, bit for bit. Writes them to `buffer` where `size` is large
 enough, and returns how many there are: call it with NULL and 0 to learn that. 0 where `es` is NULL.

 # Safety
 `es` is from this library and not yet freed; `buffer` is NULL or has room for `size` bytes.
 */
size_t enes_checkpoint(const EnesOptimizer *es,
                       uint8_t *buffer,
                       size_t size);

/*
 An optimizer that continues from such bytes; NULL where they are damaged or of another version.

 # Safety
 `bytes` are `size` bytes.
 */
EnesOptimizer *enes_restore(const uint8_t *bytes, size_t size);

/*
 The version of this library.
 */
const char *enes_version(void);

/*
 The number of coordinates; 0 where `es` is NULL.

 # Safety
 `es` is from this library and not yet freed.
 */
size_t enes_dimension(const EnesOptimizer *es);

/*
 Values told so far.

 # Safety
 `es` is from this library and not yet freed.
 */
uint64_t enes_evaluations(const EnesOptimizer *es);

/*
 Generations completed so far.

 # Safety
 `es` is from this library and not yet freed.
 */
uint64_t enes_generations(const EnesOptimizer *es);

/*
 Whether the run has ended; also where `es` is NULL, so that no loop goes on for ever.

 # Safety
 `es` is from this library and not yet freed.
 */
bool enes_stopped(const EnesOptimizer *es);

/*
 Why the run has ended, as a sentence; empty while it goes on. It stays valid until the next `enes_tell` or
 `enes_free`.

 # Safety
 `es` is from this library and not yet freed.
 */
const char *enes_stop_reason(const EnesOptimizer *es);

/*
 The best point so far, `dimension` numbers, is written to `x` unless that is NULL. Returns its value, or NaN where no
 value was a number yet; `x` is left alone then. With `noisy = true` it is the mean and the estimate of its value.

 # Safety
 `es` is from this library and not yet freed; `x` is NULL or has room for `dimension` numbers.
 */
double enes_best(const EnesOptimizer *es,
                 double *x);

/*
 By how much the best point violates the constraints: 0 where it is feasible, NaN where there is none yet.

 # Safety
 `es` is from this library and not yet freed.
 */
double enes_best_violation(const EnesOptimizer *es);

/*
 The mean of the search distribution, `dimension` numbers. Returns whether it was written.

 # Safety
 `es` is from this library and not yet freed; `mean` has room for `dimension` numbers.
 */
bool enes_mean(const EnesOptimizer *es, double *mean);

/*
 The standard deviations of the search distribution; a coordinate that bounds fix has 0. Returns whether they were
 written.

 # Safety
 `es` is from this library and not yet freed; `deviations` has room for `dimension` numbers.
 */
bool enes_deviations(const EnesOptimizer *es,
                     double *deviations);

/*
 Minimize a function in one call, and write the best point over `x`, which is the start. The other arguments are those
 of `enes_new`. `evaluations` gets how often the function was called, unless it is NULL.

 Returns the best value, or NaN where something cannot be used, or no value was a number; `enes_last_error` says which.

 # Safety
 `objective` may be called with `data` on this thread; `x` are `dimension` numbers; `settings` is NULL or a text that
 ends with NUL; `evaluations` is NULL or a place for a number.
 */
double enes_minimize(EnesObjective objective,
                     void *data,
                     size_t dimension,
                     double *x,
                     double sigma0,
                     const char *settings,
                     uint64_t *evaluations);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ENES_H */
