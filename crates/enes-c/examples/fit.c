/* Fit amplitude · exp(-rate · t) + floor to measured values: ask, evaluate, tell.
 *
 * cargo build --release -p enes-c
 * gcc -I crates/enes-c/include crates/enes-c/examples/fit.c -L target/release -lenes_c -lm -o fit
 * LD_LIBRARY_PATH=target/release ./fit
 */
#include <enes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double times[] = {0, 1, 2, 4, 8, 16};
static const double values[] = {5.02, 3.91, 3.09, 2.02, 1.18, 0.79};

static double misfit(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < 6; i++) {
        double error = x[0] * exp(-x[1] * times[i]) + x[2] - values[i];
        sum += error * error;
    }
    return sum;
}

int main(void) {
    const double start[3] = {1.0, 0.1, 0.0};
    /* The rate is positive: it is searched by its logarithm. */
    EnesOptimizer *es = enes_new(3, start, 1.0, "log_scale = [false, true, false]\nseed = 1\n");
    if (!es) {
        fprintf(stderr, "%s\n", enes_last_error());
        return 1;
    }
    while (!enes_stopped(es)) {
        size_t count;
        const double *points = enes_ask(es, &count); /* count points of 3 numbers each */
        double *answers = malloc(count * sizeof *answers);
        for (size_t i = 0; i < count; i++) answers[i] = misfit(points + 3 * i);
        enes_tell(es, answers, count);
        free(answers);
    }
    double best[3], value = enes_best(es, best);
    printf("%lu evaluations: %s\n", (unsigned long)enes_evaluations(es), enes_stop_reason(es));
    printf("misfit %.6f: amplitude %.4f, rate %.4f, floor %.4f\n", value, best[0], best[1], best[2]);
    enes_free(es);
    return 0;
}
