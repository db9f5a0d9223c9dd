/* SPDX-License-Identifier: Apache-2.0
 *
 * What went wrong that leaves nothing to print: one sentence, exit status 1.
 */
#ifndef HOST_FAIL_H
#define HOST_FAIL_H

#include <stddef.h>

__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);

/* Memory of the host's own; it never returns NULL. */
void *grown(void *block, size_t count, size_t size);
char *copied(const char *text);

#endif /* HOST_FAIL_H */
