/* SPDX-License-Identifier: Apache-2.0
 *
 * A tool that walks a snapshot's blocks by the sizes that they carry. Compiled with the first declarations
 * (first_client_...) and with today's (todays_client_...), it has to see the same.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include <stdint.h>

/* Of everything that is in the block: two that say the same have the same. */
uint64_t first_client_view(const void *view);
uint64_t first_client_tasks(const void *tasks);
uint64_t first_client_locks(const void *locks);
uint64_t first_client_arrivals(const void *arrivals);
uint64_t first_client_loops(const void *loops);
uint64_t todays_client_view(const void *view);
uint64_t todays_client_tasks(const void *tasks);
uint64_t todays_client_locks(const void *locks);
uint64_t todays_client_arrivals(const void *arrivals);
uint64_t todays_client_loops(const void *loops);

#endif /* CLIENT_H */
