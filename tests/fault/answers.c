/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include <stdlib.h>
#include <string.h>

#define OUTWARDS_MAX 20
#define ICVS_MAX 100

/* What is asked about: thread, steps outwards, and what of it. */
static uint32_t subject_of(size_t thread, unsigned outwards, uint64_t what)
{
	return (uint32_t)(thread << 16 | outwards << 8) + (uint32_t)what;
}

static void add(struct answers *answers, const char *routine, uint32_t subject, ompd_rc_t rc,
		uint64_t value)
{
	const bool told = rc == ompd_rc_ok || rc == ompd_rc_incomplete;

	if (answers->count == answers->room) {
		answers->room = answers->room ? answers->room * 2 : 256;
		answers->list = realloc(answers->list, answers->room * sizeof(*answers->list));
		if (!answers->list)
			abort();
	}
	answers->list[answers->count++] = (struct answer){routine, subject, rc, told ? value : 0};
}

static uint64_t hash(const char *text)
{
	uint64_t value = UINT64_C(14695981039346656037);

	while (*text)
		value = (value ^ (uint8_t)*text++) * UINT64_C(1099511628211);
	return value;
}

/* The tool frees text. */
static uint64_t consume(ompd_rc_t rc, const char *text)
{
	uint64_t value;

	if (rc != ompd_rc_ok)
		return 0;
	value = hash(text);
	fake_callbacks()->free_memory((void *)(uintptr_t)text);
	return value;
}

struct icv {
	ompd_icv_id_t id;
	ompd_scope_t scope;
};

struct asking {
	struct answers *answers;
	ompd_address_space_handle_t *handle;
	struct icv icvs[ICVS_MAX];
	size_t icv_count;
};

static void enumerate_icvs(struct asking *asking)
{
	ompd_icv_id_t id = ompd_icv_undefined;
	ompd_rc_t rc = ompd_rc_ok;
	int more = 1;

	while (rc == ompd_rc_ok && more && asking->icv_count < ICVS_MAX) {
		struct icv *icv = &asking->icvs[asking->icv_count];
		const char *name = NULL;

		rc = ompd_enumerate_icvs(asking->handle, id, &icv->id, &name, &icv->scope, &more);
		add(asking->answers, "enumerate_icvs", (uint32_t)id, rc, consume(rc, name));
		if (rc == ompd_rc_ok) {
			id = icv->id;
			asking->icv_count++;
		}
	}
}

static void ask_icvs(struct asking *asking, void *handle, ompd_scope_t scope, size_t thread,
		     unsigned outwards)
{
	for (size_t i = 0; i < asking->icv_count; i++) {
		const uint32_t subject = subject_of(thread, outwards, asking->icvs[i].id);
		const char *text = NULL;
		ompd_word_t number = 0;
		ompd_rc_t rc;

		if (asking->icvs[i].scope != scope)
			continue;
		rc = ompd_get_icv_from_scope(handle, scope, asking->icvs[i].id, &number);
		add(asking->answers, "icv", subject, rc, (uint64_t)number);
		rc = ompd_get_icv_string_from_scope(handle, scope, asking->icvs[i].id, &text);
		add(asking->answers, "icv_string", subject, rc, consume(rc, text));
	}
}

static void ask_tool_data(struct asking *asking, void *handle, ompd_scope_t scope, uint32_t subject)
{
	ompd_address_t pointer;
	ompd_word_t value = 0;
	const ompd_rc_t rc = ompd_get_tool_data(handle, scope, &value, &pointer);

	add(asking->answers, "tool_data", subject + (uint32_t)scope, rc, (uint64_t)value);
}

static void ask_states(struct asking *asking)
{
	ompd_word_t state = 0x102, more = 1;
	ompd_rc_t rc = ompd_rc_ok;

	for (unsigned i = 0; rc == ompd_rc_ok && more && i < 100; i++) {
		const char *name = NULL;

		rc = ompd_enumerate_states(asking->handle, state, &state, &name, &more);
		add(asking->answers, "enumerate_states", i, rc,
		    consume(rc, name) + (uint64_t)state);
	}
}

static void ask_control_vars(struct asking *asking)
{
	const char *const *vars = NULL;
	uint64_t value = 0;
	const ompd_rc_t rc = ompd_get_display_control_vars(asking->handle, &vars);

	/* What is not known is left out, so each setting is an answer of its own. */
	for (size_t i = 0; rc == ompd_rc_ok && vars[i]; i++) {
		value = hash(vars[i]);
		add(asking->answers, "control_var", (uint32_t)value, rc, value);
	}
	if (rc == ompd_rc_ok)
		assert_ok(ompd_rel_display_control_vars(&vars));
}

static void ask_regions(struct asking *asking, ompd_thread_handle_t *thread, size_t number)
{
	ompd_parallel_handle_t *region = NULL;
	ompd_rc_t rc = ompd_get_curr_parallel_handle(thread, &region);

	for (unsigned outwards = 0; rc == ompd_rc_ok; outwards++) {
		ompd_parallel_handle_t *enclosing = NULL;

		ask_icvs(asking, region, ompd_scope_parallel, number, outwards);
		ask_tool_data(asking, region, ompd_scope_parallel, subject_of(number, outwards, 0));
		rc = outwards < OUTWARDS_MAX
			     ? ompd_get_enclosing_parallel_handle(region, &enclosing)
			     : ompd_rc_unavailable;
		assert_ok(ompd_rel_parallel_handle(region));
		region = enclosing;
	}
}

static void ask_task(struct asking *asking, ompd_task_handle_t *task, size_t number,
		     unsigned outwards)
{
	const uint32_t subject = subject_of(number, outwards, 0);
	ompd_frame_info_t exit_frame = {{0, 0}, 0}, enter_frame = exit_frame;
	ompd_task_handle_t *scheduling = NULL;
	ompd_address_t function = {0, 0};
	ompd_rc_t rc = ompd_get_task_function(task, &function);

	add(asking->answers, "function", subject, rc, function.address);
	rc = ompd_get_task_frame(task, &exit_frame, &enter_frame);
	add(asking->answers, "frame", subject, rc,
	    exit_frame.frame_address.address * 3 + enter_frame.frame_address.address * 5 +
		    (uint64_t)(exit_frame.frame_flag * 7 + enter_frame.frame_flag * 11));
	rc = ompd_get_scheduling_task_handle(task, &scheduling);
	add(asking->answers, "scheduling", subject, rc, 0);
	if (rc == ompd_rc_ok)
		assert_ok(ompd_rel_task_handle(scheduling));
	ask_icvs(asking, task, ompd_scope_task, number, outwards);
	ask_tool_data(asking, task, ompd_scope_task, subject);
}

static void ask_tasks(struct asking *asking, ompd_thread_handle_t *thread, size_t number)
{
	ompd_task_handle_t *task = NULL;
	ompd_rc_t rc = ompd_get_curr_task_handle(thread, &task);

	for (unsigned outwards = 0; rc == ompd_rc_ok; outwards++) {
		ompd_task_handle_t *generating = NULL;

		ask_task(asking, task, number, outwards);
		rc = outwards < OUTWARDS_MAX ? ompd_get_generating_task_handle(task, &generating)
					     : ompd_rc_unavailable;
		assert_ok(ompd_rel_task_handle(task));
		task = generating;
	}
}

void answers_take(struct answers *answers, ompd_address_space_handle_t *handle,
		  struct fake_target *target)
{
	struct asking asking = {.answers = answers, .handle = handle};

	memset(answers, 0, sizeof(*answers));
	enumerate_icvs(&asking);
	ask_states(&asking);
	ask_icvs(&asking, handle, ompd_scope_address_space, 0, 0);
	ask_tool_data(&asking, handle, ompd_scope_global, 0);
	ask_control_vars(&asking);
	for (size_t i = 0; i < fake_thread_count(target); i++) {
		ompd_thread_handle_t *thread;
		ompd_wait_id_t wait_id = 0;
		ompd_word_t state = 0;
		ompd_rc_t rc =
			check_thread_handle(handle, target, fake_pthread_of(target, i), &thread);

		fake_expire_thread_contexts();
		if (rc != ompd_rc_ok)
			continue;
		rc = ompd_get_state(thread, &state, &wait_id);
		add(answers, "state", subject_of(i, 0, 0), rc, (uint64_t)state + wait_id * 1000);
		ask_icvs(&asking, thread, ompd_scope_thread, i, 0);
		ask_tool_data(&asking, thread, ompd_scope_thread, subject_of(i, 0, 0));
		ask_regions(&asking, thread, i);
		ask_tasks(&asking, thread, i);
		assert_ok(ompd_rel_thread_handle(thread));
	}
}

void answers_free(struct answers *answers)
{
	free(answers->list);
	memset(answers, 0, sizeof(*answers));
}

static bool is_in(const struct answer *one, const struct answers *truth)
{
	for (size_t i = 0; i < truth->count; i++) {
		const struct answer *other = &truth->list[i];

		if (other->subject == one->subject && other->value == one->value &&
		    strcmp(other->routine, one->routine) == 0 &&
		    (other->rc == one->rc || one->rc == ompd_rc_incomplete))
			return true;
	}
	return false;
}

const struct answer *answers_untrue(const struct answers *answers, const struct answers *truth)
{
	for (size_t i = 0; i < answers->count; i++) {
		const struct answer *one = &answers->list[i];

		if ((one->rc == ompd_rc_ok || one->rc == ompd_rc_incomplete) && !is_in(one, truth))
			return one;
	}
	return NULL;
}
