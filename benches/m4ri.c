/* Brings a matrix to echelon form by M4RI and says how long that took: the peer of benches/gf2_m4ri.rs.
 *
 * usage: m4ri FILE RUNS
 * FILE is a matrix in the packed format of wgalois (src/io/bits/packed.rs), on a little-endian machine.
 * Prints, a line for each method: its name, the rank, the least milliseconds of RUNS. */
#include <m4ri/m4ri.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

static mzd_t *read_matrix(const char *path) {
    FILE *file = fopen(path, "rb");
    uint64_t head[8];
    if (!file || fread(head, 8, 8, file) != 8) return NULL;
    const uint64_t rows = head[2], columns = head[3], stride = head[4];
    mzd_t *matrix = mzd_init((rci_t)rows, (rci_t)columns);
    uint32_t *words = malloc(4 * stride + 4);
    for (uint64_t r = 0; r < rows; r++) {
        if (fread(words, 4, stride, file) != stride) return NULL;
        for (uint64_t c = 0; c < columns; c += 32) {
            const int n = columns - c < 32 ? (int)(columns - c) : 32;
            mzd_xor_bits(matrix, (rci_t)r, (rci_t)c, n, words[c / 32]);
        }
    }
    free(words);
    fclose(file);
    return matrix;
}

static rci_t m4ri(mzd_t *matrix) { return mzd_echelonize_m4ri(matrix, 0, 0); }
static rci_t pluq(mzd_t *matrix) { return mzd_echelonize_pluq(matrix, 0); }

int main(int count, char **arguments) {
    if (count != 3) return 2;
    mzd_t *matrix = read_matrix(arguments[1]);
    if (!matrix) return 6;
    const char *names[] = {"m4ri", "pluq"};
    rci_t (*methods[])(mzd_t *) = {m4ri, pluq};
    for (int m = 0; m < 2; m++) {
        double least = 1e300;
        rci_t rank = 0;
        for (int run = 0; run < atoi(arguments[2]); run++) {
            mzd_t *copy = mzd_copy(NULL, matrix);
            const double begin = now();
            rank = methods[m](copy);
            const double time = now() - begin;
            if (time < least) least = time;
            mzd_free(copy);
        }
        printf("%s %d %.3f\n", names[m], rank, least);
    }
    mzd_free(matrix);
    return 0;
}
