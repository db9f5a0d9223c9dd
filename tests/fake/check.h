/* SPDX-License-Identifier: Apache-2.0
 *
 * Does the library tell the truth about a fake process? Asked through the standard routines, one by
 * one, and through the view. A difference is returned as a sentence, so that fault tests, in which not
 * every answer is there, can use the same comparisons.
 */
#ifndef CHECK_H
#define CHECK_H

#include "fake_debugger.h"
#include "fake_libomp.h"
#include "ompd-ext.h"
#include "ompd.h"

/* NULL: everything is true. Else what is not, valid until the next call. `rc` is the first return code
 * other than those that belong to the answers (ok, and unavailable where there is nothing); the check
 * ends there and returns NULL. */
const char *check_standard(const struct fake_libomp *omp, ompd_address_space_handle_t *handle,
			   ompd_rc_t *rc);

/* The call that ended the last check with an rc. */
const char *check_failed_call(void);

/* A snapshot and its view. Whatever fails, there is neither. */
ompd_rc_t check_snapshot(ompd_address_space_handle_t *handle, const ompdx_native_thread_t *natives,
			 ompd_size_t count, ompdx_snapshot_handle_t **snapshot,
			 const ompdx_view_t **view);

/* The same for a view. Threads and regions that the view marks with a problem are counted in *problems
 * and not compared; everything else has to be true all the same. */
const char *check_view(const struct fake_libomp *omp, const ompdx_view_t *view, unsigned how,
		       unsigned *problems);

enum {
	/* The view was made from the process's threads. */
	CHECK_NATIVES = 1,
	/* Memory is damaged, or callbacks failed: what may be unknown (a task, a construct's source) may be
	 * missing without a mark, but not wrong. */
	CHECK_DAMAGED = 2,
};

/* The same for the tasks beside a view. damaged: as CHECK_DAMAGED. */
const char *check_tasks(const struct fake_libomp *omp, const ompdx_view_t *view,
			const ompdx_tasks_t *tasks, bool damaged);

/* What holds whatever the target's memory says: indices lie inside the arrays, parents stand first. */
const char *check_shape(const ompdx_view_t *view);

/* The threads of the process as the debugger of a real tool would list them; free() it. */
ompdx_native_thread_t *check_natives(struct fake_target *target, size_t *count);

/* The id that the library gives an ICV; 0: it has none of that name. */
ompd_icv_id_t check_icv_id(ompd_address_space_handle_t *handle, const char *name,
			   ompd_scope_t *scope, ompd_rc_t *rc);

/* A thread's handle by the bytes of its pthread id. */
ompd_rc_t check_thread_handle(ompd_address_space_handle_t *handle, struct fake_target *target,
			      uint64_t pthread_id, ompd_thread_handle_t **ret);

#endif /* CHECK_H */
