/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers to runtime.h's questions: libgomp.c lists them all, each other file gives some.
 */
#ifndef RUNTIME_GOMP_ANSWERS_H
#define RUNTIME_GOMP_ANSWERS_H

#include "runtime/runtime.h"

ompd_rc_t gomp_thread_of_pthread(struct address_space *space, uint64_t pthread,
				 struct entity *thread);
ompd_rc_t gomp_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread);
ompd_rc_t gomp_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread);
ompd_rc_t gomp_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp);
ompd_rc_t gomp_thread_in_region(struct address_space *space, struct entity region, int thread_num,
				struct entity *thread);
ompd_rc_t gomp_region_of_thread(struct address_space *space, struct entity thread,
				struct entity *region);
ompd_rc_t gomp_enclosing_region(struct address_space *space, struct entity region,
				struct entity *enclosing);
ompd_rc_t gomp_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region);
ompd_rc_t gomp_task_of_thread(struct address_space *space, struct entity thread,
			      struct entity *task);
ompd_rc_t gomp_task_in_region(struct address_space *space, struct entity region, int thread_num,
			      struct entity *task);
ompd_rc_t gomp_initial_thread(struct address_space *space, struct entity *thread);
ompd_rc_t gomp_initial_task(struct address_space *space, struct entity *task);
ompd_rc_t gomp_generating_task(struct address_space *space, struct entity task,
			       struct entity *generating);
ompd_rc_t gomp_function_of_task(struct address_space *space, struct entity task, target_addr *ret);
ompd_rc_t gomp_state_of_thread(struct address_space *space, struct entity thread,
			       ompd_word_t *state, ompd_wait_id_t *wait_id);

ompd_rc_t gomp_icv(struct address_space *space, enum icv icv, struct entity entity,
		   struct icv_value *value);
ompd_rc_t gomp_picture(struct address_space *space, const ompdx_native_thread_t *threads,
		       ompd_size_t thread_count, void **ret);
void gomp_picture_free(void *picture);
ompd_rc_t gomp_view(void *picture, void **block);
ompd_rc_t gomp_tasks(void *picture, void **block);
ompd_rc_t gomp_arrivals(void *picture, void **block);
ompd_rc_t gomp_loops(void *picture, void **block);
ompd_rc_t gomp_doacross(void *picture, const struct doacross_question *question, void **block);
ompd_rc_t gomp_locks(void *picture, const ompdx_lock_variable_t *variables,
		     ompd_size_t variable_count, void **block);

#endif /* RUNTIME_GOMP_ANSWERS_H */
