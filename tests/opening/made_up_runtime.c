/* SPDX-License-Identifier: Apache-2.0 */
#include "made_up.h"

#include "address_space.h"
#include "runtime/runtime.h"

static ompd_rc_t made_up_version(struct image *image, int32_t *ret)
{
	(void)image;
	*ret = MADE_UP_VERSION;
	return ompd_rc_ok;
}

static ompd_rc_t made_up_open(struct address_space *space)
{
	static int opened;

	space->runtime_state = &opened;
	return ompd_rc_ok;
}

static void made_up_close(struct address_space *space)
{
	space->runtime_state = NULL;
}

static ompd_rc_t made_up_info(struct address_space *space, ompdx_runtime_info_t *info)
{
	(void)space;
	info->initialized = 1;
	return ompd_rc_ok;
}

static ompd_rc_t made_up_thread(struct address_space *space, uint64_t pthread,
				struct entity *thread)
{
	(void)space;
	thread->address = pthread;
	thread->part = 0;
	return ompd_rc_ok;
}

static ompd_rc_t made_up_icv(struct address_space *space, enum icv icv, struct entity entity,
			     struct icv_value *value)
{
	(void)space;
	(void)icv;
	(void)entity;
	value->number = MADE_UP_VALUE;
	return ompd_rc_ok;
}

extern const struct runtime_ops made_up_runtime;
const struct runtime_ops made_up_runtime = {
	.kind = MADE_UP_KIND,
	.entry_symbol = MADE_UP_ENTRY,
	.version = made_up_version,
	.open = made_up_open,
	.close = made_up_close,
	.info = made_up_info,
	.thread_of_pthread = made_up_thread,
	.icv = made_up_icv,
};
