/* A worker for `enes minimize --worker`: reads the id and the numbers of x, prints the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        const char *id = strstr(line, "\"id\":"), *x = strstr(line, "\"x\":[");
        if (!id || !x) continue;
        char *at = (char *)x + 5;
        double sum = 0.0;
        while (*at && *at != ']') {
            double v = strtod(at, &at);
            sum += (v - 1.0) * (v - 1.0);
            if (*at == ',') at++;
        }
        printf("{\"id\":%ld,\"value\":%.17g}\n", strtol(id + 5, NULL, 10), sum);
        fflush(stdout); /* enes waits for the line */
    }
    return 0;
}
