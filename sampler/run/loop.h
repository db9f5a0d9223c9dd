/* SPDX-License-Identifier: Apache-2.0
 *
 * From the first sample to the last.
 */
#ifndef SAMPLER_LOOP_H
#define SAMPLER_LOOP_H

#include "base/say.h"
#include "run/launch.h"
#include "run/session.h"

/* launch NULL: the process is not ours. */
enum exit_status loop_run(struct session *session, struct launch *launch);

#endif /* SAMPLER_LOOP_H */
