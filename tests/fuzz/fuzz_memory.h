/* SPDX-License-Identifier: Apache-2.0
 *
 * One input of the fuzzer, for libFuzzer and for the programs that replay inputs and make seeds.
 */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same, and what there was to be seen. */
struct sweep_seen fuzz_input(const uint8_t *data, size_t size);

/* A file's bytes, to be freed; ends the program when it cannot be read. */
uint8_t *read_file(const char *path, size_t *size);

#endif /* FUZZ_MEMORY_H */
