/* Every function of the interface, from C: what it does, and what it says of a mistake. */
#include <enes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(truth)                                                                              \
    do {                                                                                          \
        if (!(truth)) {                                                                           \
            fprintf(stderr, "%s:%d: %s; last error: %s\n", __FILE__, __LINE__, #truth, enes_last_error()); \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)

#define SAYS(word) CHECK(strstr(enes_last_error(), word) != NULL)

static double sphere(const double *x, size_t n, void *calls) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - 1.0) * (x[i] - 1.0);
    if (calls) ++*(unsigned long *)calls;
    return sum;
}

static double broken(const double *x, size_t n, void *data) {
    (void)x, (void)n, (void)data;
    return NAN;
}

/* One round of ask, evaluate, tell. */
static size_t generation(EnesOptimizer *es) {
    size_t count = 0, d = enes_dimension(es);
    const double *points = enes_ask(es, &count);
    double values[256];
    CHECK(points != NULL && count <= 256);
    for (size_t i = 0; i < count; i++) values[i] = sphere(points + i * d, d, NULL);
    CHECK(enes_tell(es, values, count));
    return count;
}

static void ask_and_tell(void) {
    const double x0[3] = {3.0, -2.0, 5.0};
    double best[3], mean[3], deviations[3];
    EnesOptimizer *es = enes_new(3, x0, 1.0, "seed = 4\ntarget = 1e-10");
    CHECK(es != NULL && enes_dimension(es) == 3 && !enes_stopped(es));
    CHECK(isnan(enes_best(es, best)) && strcmp(enes_stop_reason(es), "") == 0);
    size_t told = 0;
    while (!enes_stopped(es)) told += generation(es);
    CHECK(enes_evaluations(es) == told && enes_generations(es) > 1);
    CHECK(enes_best(es, best) <= 1e-10 && fabs(best[2] - 1.0) < 1e-4);
    CHECK(enes_best(es, NULL) == enes_best(es, best) && enes_best_violation(es) == 0.0);
    CHECK(enes_mean(es, mean) && fabs(mean[0] - 1.0) < 0.5);
    CHECK(enes_deviations(es, deviations) && deviations[1] > 0.0);
    CHECK(strstr(enes_stop_reason(es), "the target was reached") != NULL);
    enes_free(es);
}

static void a_budget_is_exact(void) {
    const double x0[2] = {3.0, 3.0};
    EnesOptimizer *es = enes_new(2, x0, 1.0, "max_evaluations = 10\npopulation = 4");
    size_t told = 0;
    while (!enes_stopped(es)) told += generation(es);
    CHECK(told == 10 && enes_evaluations(es) == 10);
    CHECK(strstr(enes_stop_reason(es), "budget") != NULL);
    enes_free(es);
    es = enes_new(2, x0, 1.0, "max_evaluations = 6\npopulation = 4");
    generation(es);
    size_t count;
    enes_ask(es, &count);
    double values[1] = {1.0};
    CHECK(count == 2 && !enes_tell(es, values, 1));
    SAYS("count must be 2");
    enes_free(es);
}

static void a_checkpoint_continues_bit_for_bit(void) {
    const double x0[2] = {3.0, -2.0};
    EnesOptimizer *es = enes_new(2, x0, 1.0, NULL);
    for (int i = 0; i < 3; i++) generation(es);
    size_t size = enes_checkpoint(es, NULL, 0);
    uint8_t *bytes = malloc(size);
    CHECK(size > 0 && enes_checkpoint(es, bytes, size) == size);
    EnesOptimizer *copy = enes_restore(bytes, size);
    for (int i = 0; i < 3; i++) generation(es), generation(copy);
    double a[2], b[2];
    CHECK(enes_best(es, a) == enes_best(copy, b) && a[0] == b[0] && a[1] == b[1]);
    bytes[size / 2] ^= 0xff;
    CHECK(enes_restore(bytes, size) == NULL);
    SAYS("checkpoint");
    free(bytes);
    enes_free(es);
    enes_free(copy);
}

static void constraints_and_injected_points(void) {
    const double x0[2] = {3.0, 3.0};
    EnesOptimizer *es = enes_new(2, x0, 1.0, "seed = 1\nmax_evaluations = 400");
    while (!enes_stopped(es)) {
        size_t count;
        const double *points = enes_ask(es, &count);
        double values[64], violations[64];
        for (size_t i = 0; i < count; i++) {
            values[i] = sphere(points + 2 * i, 2, NULL);
            violations[i] = 2.0 - points[2 * i]; /* x[0] must be at least 2 */
        }
        CHECK(enes_tell_constrained(es, values, violations, count));
    }
    double best[2];
    CHECK(fabs(enes_best(es, best) - 1.0) < 1e-2 && best[0] >= 2.0 && enes_best_violation(es) == 0.0);
    enes_free(es);
    es = enes_new(2, x0, 1.0, NULL);
    const double good[2] = {1.0, 1.0}, wrong[2] = {NAN, 1.0};
    CHECK(enes_inject(es, good, 0.0) && enes_best(es, best) == 0.0);
    CHECK(!enes_inject(es, wrong, 0.0));
    enes_free(es);
}

static void one_call(void) {
    double x[3] = {3.0, -2.0, 5.0};
    unsigned long calls = 0;
    uint64_t evaluations = 0;
    double value = enes_minimize(sphere, &calls, 3, x, 1.0, "target = 1e-9", &evaluations);
    CHECK(value <= 1e-9 && calls == evaluations && fabs(x[1] - 1.0) < 1e-4);
    x[0] = 7.0;
    CHECK(isnan(enes_minimize(broken, NULL, 3, x, 1.0, "max_evaluations = 30", NULL)) && x[0] == 7.0);
    SAYS("no value was a number");
    CHECK(isnan(enes_minimize(NULL, NULL, 3, x, 1.0, NULL, NULL)));
    SAYS("objective is NULL");
    CHECK(isnan(enes_minimize(sphere, NULL, 3, NULL, 1.0, NULL, NULL)));
    SAYS("x is NULL");
}

static void mistakes_are_named(void) {
    const double x0[2] = {3.0, 3.0}, nan[2] = {NAN, 3.0};
    CHECK(enes_new(2, x0, -1.0, NULL) == NULL);
    SAYS("sigma0");
    CHECK(enes_new(2, x0, NAN, NULL) == NULL);
    SAYS("sigma0");
    CHECK(enes_new(2, nan, 1.0, NULL) == NULL);
    SAYS("x0");
    CHECK(enes_new(2, x0, 1.0, "max_evalutions = 3") == NULL);
    SAYS("unknown field `max_evalutions`");
    CHECK(enes_new(2, x0, 1.0, "seed = ") == NULL);
    SAYS("settings");
    CHECK(enes_new(2, x0, 1.0, "\xff\xfe") == NULL);
    SAYS("UTF-8");
    CHECK(enes_new(2, NULL, 0.0, NULL) == NULL);
    SAYS("x0");
    CHECK(enes_new(3, NULL, 0.0, "bounds = [[0, 1], [0, 1]]") == NULL);
    SAYS("dimension is 3");
    CHECK(enes_new(0, x0, 1.0, NULL) == NULL);
    EnesOptimizer *es = enes_new(2, NULL, 0.0, "bounds = [[0, 1], [0, 1]]");
    CHECK(es != NULL);
    double values[64] = {0};
    CHECK(!enes_tell(es, values, 1));
    SAYS("ask");
    size_t count;
    enes_ask(es, &count);
    CHECK(!enes_tell(es, values, count + 1));
    CHECK(!enes_tell(es, NULL, count));
    SAYS("values is NULL");
    CHECK(!enes_tell_constrained(es, values, NULL, count));
    SAYS("violations is NULL");
    CHECK(enes_ask(es, NULL) == NULL && !enes_mean(es, NULL) && !enes_inject(es, NULL, 1.0));
    enes_free(es);
    enes_free(NULL);
    CHECK(enes_stopped(NULL) && enes_dimension(NULL) == 0 && isnan(enes_best(NULL, NULL)));
    CHECK(enes_ask(NULL, &count) == NULL && !enes_tell(NULL, values, 1) && enes_checkpoint(NULL, NULL, 0) == 0);
    CHECK(strcmp(enes_stop_reason(NULL), "") == 0 && enes_restore(NULL, 3) == NULL);
    SAYS("NULL");
    CHECK(strchr(enes_version(), '.') != NULL);
}

int main(void) {
    ask_and_tell();
    a_budget_is_exact();
    a_checkpoint_continues_bit_for_bit();
    constraints_and_injected_points();
    one_call();
    mistakes_are_named();
    return failures > 0;
}
