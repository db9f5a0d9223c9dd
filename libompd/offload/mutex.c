/* SPDX-License-Identifier: Apache-2.0 */
#include "offload/mutex.h"

/* The words of glibc's struct __pthread_mutex_s on 64 bit. */
enum { LOCK, COUNT_WORD, OWNER, USERS, KIND, WORDS };
/* 2: locked, and somebody waits for it. */
enum { LOCK_MAX = 2 };
/* libomptarget 19 gives mutexes of structures' members up more often than it takes them: the number of users becomes
 * negative, by one each time. */
enum { USERS_MIN = -(1 << 20) };

ompd_rc_t mutex_open(struct mutex *mutex, const struct target *target, target_addr address)
{
	uint8_t bytes[WORDS * sizeof(uint32_t)];
	uint32_t words[WORDS];
	const ompd_rc_t rc = target_read(target, address, sizeof(bytes), bytes);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_error ? ompd_rc_incompatible : rc;
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = (uint32_t)target_decode(target, bytes + i * sizeof(uint32_t),
						   sizeof(uint32_t));
	/* Neither recursive nor of another kind; whoever takes it notes himself after that, and before he gives it up. */
	if (words[LOCK] > LOCK_MAX || words[COUNT_WORD] || (int32_t)words[USERS] > 1 ||
	    (int32_t)words[USERS] < USERS_MIN || words[KIND])
		return ompd_rc_incompatible;
	mutex->locked = words[LOCK] != 0;
	mutex->owner = mutex->locked ? words[OWNER] : 0;
	return ompd_rc_ok;
}
