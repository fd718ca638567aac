/* Brings a matrix to echelon form by M4RI and says how long that took: the peer of benches/gf2_m4ri.rs.
 *
 * usage: m4ri m4ri|pluq FILE RUNS
 * FILE is a matrix in the packed format of wgalois (io/src/bits/packed.rs), on a little-endian machine.
 * Prints the rank and the seconds of all RUNS together. */
#include <m4ri/m4ri.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
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

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const int by_m4ri = strcmp(arguments[1], "m4ri") == 0;
    if (!by_m4ri && strcmp(arguments[1], "pluq") != 0) return 2;
    mzd_t *matrix = read_matrix(arguments[2]);
    if (!matrix) return 6;
    double total = 0;
    rci_t rank = 0;
    for (long run = 0; run < atol(arguments[3]); run++) {
        mzd_t *copy = mzd_copy(NULL, matrix);
        const double begin = now();
        rank = by_m4ri ? mzd_echelonize_m4ri(copy, 0, 0) : mzd_echelonize_pluq(copy, 0);
        total += now() - begin;
        mzd_free(copy);
    }
    printf("%d %.9f\n", rank, total);
    mzd_free(matrix);
    return 0;
}
