/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers to runtime.h's questions: libomp.c lists them all, each other file gives some.
 */
#ifndef RUNTIME_LLVM_ANSWERS_H
#define RUNTIME_LLVM_ANSWERS_H

#include "runtime/runtime.h"

/* The major version of an image by the names that it exports. unavailable: none of them. */
ompd_rc_t llvm_version(struct image *image, int32_t *ret);

/* Whether it is built as libiomp5: Intel's, or LLVM's under that name. A file can have any other. */
bool llvm_is_libiomp(const struct image *image);

ompd_rc_t llvm_thread_of_pthread(struct address_space *space, uint64_t pthread,
				 struct entity *thread);
ompd_rc_t llvm_thread_of_lwp(struct address_space *space, uint64_t lwp, struct entity *thread);
ompd_rc_t llvm_pthread_of_thread(struct address_space *space, struct entity thread,
				 uint64_t *pthread);
ompd_rc_t llvm_lwp_of_thread(struct address_space *space, struct entity thread, uint64_t *lwp);
ompd_rc_t llvm_thread_in_region(struct address_space *space, struct entity region, int thread_num,
				struct entity *thread);
ompd_rc_t llvm_region_of_thread(struct address_space *space, struct entity thread,
				struct entity *region);
ompd_rc_t llvm_enclosing_region(struct address_space *space, struct entity region,
				struct entity *enclosing);
ompd_rc_t llvm_region_of_task(struct address_space *space, struct entity task,
			      struct entity *region);
ompd_rc_t llvm_task_of_thread(struct address_space *space, struct entity thread,
			      struct entity *task);
ompd_rc_t llvm_task_in_region(struct address_space *space, struct entity region, int thread_num,
			      struct entity *task);
ompd_rc_t llvm_initial_thread(struct address_space *space, struct entity *thread);
ompd_rc_t llvm_initial_task(struct address_space *space, struct entity *task);
ompd_rc_t llvm_generating_task(struct address_space *space, struct entity task,
			       struct entity *generating);
ompd_rc_t llvm_scheduling_task(struct address_space *space, struct entity task,
			       struct entity *scheduling);
ompd_rc_t llvm_function_of_task(struct address_space *space, struct entity task, target_addr *ret);
ompd_rc_t llvm_frames_of_task(struct address_space *space, struct entity task,
			      struct task_frames *ret);
ompd_rc_t llvm_state_of_thread(struct address_space *space, struct entity thread,
			       ompd_word_t *state, ompd_wait_id_t *wait_id);
ompd_rc_t llvm_tool_data(struct address_space *space, ompd_scope_t scope, struct entity entity,
			 uint64_t *ret);
ompd_rc_t llvm_icv(struct address_space *space, enum icv icv, struct entity entity,
		   struct icv_value *value);
ompd_rc_t llvm_picture(struct address_space *space, const ompdx_native_thread_t *threads,
		       ompd_size_t thread_count, void **ret);
void llvm_picture_free(void *picture);
ompd_rc_t llvm_view(void *picture, void **block);
ompd_rc_t llvm_tasks(void *picture, void **block);
ompd_rc_t llvm_locks(void *picture, const ompdx_lock_variable_t *variables,
		     ompd_size_t variable_count, void **block);
ompd_rc_t llvm_arrivals(void *picture, void **block);
ompd_rc_t llvm_loops(void *picture, void **block);
ompd_rc_t llvm_doacross(void *picture, const struct doacross_question *question, void **block);

#endif /* RUNTIME_LLVM_ANSWERS_H */
