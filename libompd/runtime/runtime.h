/* SPDX-License-Identifier: Apache-2.0
 *
 * What we ask of an OpenMP runtime, whichever it is. A question that a runtime has no answer to yet is
 * NULL; the API then returns unsupported. Results are written only with ok (and incomplete).
 */
#ifndef RUNTIME_RUNTIME_H
#define RUNTIME_RUNTIME_H

#include <stdbool.h>

#include "ompd-ext.h"
#include "runtime/entity.h"
#include "runtime/icv.h"
#include "target/image.h"

struct address_space;

/* As OMPT's ompt_frame_t. */
struct task_frames {
	target_addr exit_frame, enter_frame;
	uint32_t exit_frame_flags, enter_frame_flags;
};

/* The blocks that are the same whenever they are made of a picture. */
enum picture_part { PICTURE_VIEW, PICTURE_TASKS, PICTURE_ARRIVALS, PICTURE_LOOPS, PICTURE_PARTS };

/* ompdx_snapshot_doacross. */
struct doacross_question {
	target_addr team;
	int32_t thread_num;
	const int64_t *iteration;
	size_t dimensions; /* 0: none is asked for */
};

struct runtime_ops {
	ompdx_runtime_kind_t kind;

	/* A function that this runtime defines and none before it in the list of runtimes does. */
	const char *entry_symbol;

	/* The image's major version. unavailable: it does not tell. */
	ompd_rc_t (*version)(struct image *image, int32_t *ret);

	/* Whether an image that exports no names holds this runtime, by its data. NULL: cannot be told. */
	ompd_rc_t (*embedded)(struct image *image);

	/* The same of one whose names cannot be read, by its build-id. *ret: its major version. NULL: none is known so. */
	ompd_rc_t (*known_build)(struct image *image, int32_t *ret);

	/* Makes runtime_state. ok also when the program has not started the runtime yet. */
	ompd_rc_t (*open)(struct address_space *space);
	void (*close)(struct address_space *space);

	/* Fills the parts of *info that only the runtime knows. */
	ompd_rc_t (*info)(struct address_space *space, ompdx_runtime_info_t *info);
	/* Whether info has found that nothing can be asked of this build, whatever the program does. NULL: never. */
	bool (*refused)(struct address_space *space);
	/* The value of _OPENMP that the runtime implements. */
	ompd_rc_t (*omp_version)(struct address_space *space, ompd_word_t *version);

	/* unavailable: no OpenMP thread. */
	ompd_rc_t (*thread_of_pthread)(struct address_space *space, uint64_t pthread,
				       struct entity *thread);
	ompd_rc_t (*thread_of_lwp)(struct address_space *space, uint64_t lwp,
				   struct entity *thread);
	ompd_rc_t (*pthread_of_thread)(struct address_space *space, struct entity thread,
				       uint64_t *pthread);
	ompd_rc_t (*lwp_of_thread)(struct address_space *space, struct entity thread,
				   uint64_t *lwp);
	/* bad_input: thread_num is not one of the team's. */
	ompd_rc_t (*thread_in_region)(struct address_space *space, struct entity region,
				      int thread_num, struct entity *thread);

	/* unavailable: in no team. */
	ompd_rc_t (*region_of_thread)(struct address_space *space, struct entity thread,
				      struct entity *region);
	/* unavailable: an initial region. */
	ompd_rc_t (*enclosing_region)(struct address_space *space, struct entity region,
				      struct entity *enclosing);
	ompd_rc_t (*region_of_task)(struct address_space *space, struct entity task,
				    struct entity *region);

	/* unavailable: executes none. */
	ompd_rc_t (*task_of_thread)(struct address_space *space, struct entity thread,
				    struct entity *task);
	/* bad_input: thread_num is not one of the team's. */
	ompd_rc_t (*task_in_region)(struct address_space *space, struct entity region,
				    int thread_num, struct entity *task);

	/* The program's first thread, and its implicit task outside of all regions. */
	ompd_rc_t (*initial_thread)(struct address_space *space, struct entity *thread);
	ompd_rc_t (*initial_task)(struct address_space *space, struct entity *task);
	/* unavailable: none, or not known. */
	ompd_rc_t (*generating_task)(struct address_space *space, struct entity task,
				     struct entity *generating);
	/* Also needs_state_tracking, as the next two. */
	ompd_rc_t (*scheduling_task)(struct address_space *space, struct entity task,
				     struct entity *scheduling);
	ompd_rc_t (*function_of_task)(struct address_space *space, struct entity task,
				      target_addr *ret);
	/* Also incomplete: the flags are not known. */
	ompd_rc_t (*frames_of_task)(struct address_space *space, struct entity task,
				    struct task_frames *ret);

	/* A value of ompt_state_t. */
	ompd_rc_t (*state_of_thread)(struct address_space *space, struct entity thread,
				     ompd_word_t *state, ompd_wait_id_t *wait_id);
	/* The ompt_data_t that a tool attached, raw. */
	ompd_rc_t (*tool_data)(struct address_space *space, ompd_scope_t scope,
			       struct entity entity, uint64_t *ret);

	/* The ICV of the thread, region or task that its scope asks for. unavailable: the runtime does not keep
	 * it, or where is not known. *value is set up by icv_value_init, and not changed but with ok. */
	ompd_rc_t (*icv)(struct address_space *space, enum icv icv, struct entity entity,
			 struct icv_value *value);

	/* Finds out where the runtime keeps what a picture needs. unavailable: it has not started, or nobody
	 * knows. */
	ompd_rc_t (*ready)(struct address_space *space);
	/* Everything that can be seen of the threads and regions at once: what the blocks of ompd-ext.h are made
	 * of. Only of what is ready. */
	ompd_rc_t (*picture)(struct address_space *space, const ompdx_native_thread_t *threads,
			     ompd_size_t thread_count, void **picture);
	void (*picture_free)(void *picture);
	ompd_rc_t (*parts[PICTURE_PARTS])(void *picture, void **block);
	ompd_rc_t (*locks)(void *picture, const ompdx_lock_variable_t *variables,
			   ompd_size_t variable_count, void **block);
	ompd_rc_t (*doacross)(void *picture, const struct doacross_question *question,
			      void **block);
};

#endif /* RUNTIME_RUNTIME_H */
