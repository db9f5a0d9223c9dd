/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds a std::mutex, which with glibc is a pthread_mutex_t?
 */
#ifndef OFFLOAD_MUTEX_H
#define OFFLOAD_MUTEX_H

#include "target/target.h"

struct mutex {
	bool locked;
	uint32_t owner; /* LWP; 0: nobody */
};

/* incompatible: what lies there is no such mutex, or cannot be read. */
ompd_rc_t mutex_open(struct mutex *mutex, const struct target *target, target_addr address);

#endif /* OFFLOAD_MUTEX_H */
