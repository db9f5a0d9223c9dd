/* SPDX-License-Identifier: Apache-2.0
 *
 * On which source line does an address stand? By libdwfl, from the objects' debug information.
 */
#ifndef HOST_LINES_H
#define HOST_LINES_H

#include "process.h"

struct lines;

struct lines *lines_open(const struct process *process);
void lines_close(struct lines *lines);

/* The file as the compiler spelt it, borrowed; NULL: no line information. */
const char *lines_find(struct lines *lines, uint64_t address, int *line);

#endif /* HOST_LINES_H */
