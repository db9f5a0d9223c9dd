/* SPDX-License-Identifier: Apache-2.0
 *
 * The record's frames, as the user wrote the program: functions, constructs, what is waited for.
 */
#ifndef SAMPLER_FRAMES_H
#define SAMPLER_FRAMES_H

#include "record/tables.h"

enum frame_kind {
	FRAME_USER,
	FRAME_CONSTRUCT,
	FRAME_WAIT,
	FRAME_RUNTIME,
	FRAME_SYSTEM,
	FRAME_UNKNOWN
};

/* All return NONE if the table is full. Of code: all places of one line of a function are one frame, and all of a system
 * function. */
uint32_t table_frame(struct tables *tables, enum frame_kind kind, uint32_t code);
uint32_t table_region_frame(struct tables *tables, uint32_t region);
uint32_t table_task_frame(struct tables *tables, uint32_t code);
uint32_t table_wait_frame(struct tables *tables, uint32_t state, uint32_t construct);

#endif /* SAMPLER_FRAMES_H */
