/* SPDX-License-Identifier: Apache-2.0
 *
 * From the first sample to the last.
 */
#ifndef SAMPLER_LOOP_H
#define SAMPLER_LOOP_H

#include "base/say.h"
#include "run/launch.h"
#include "run/session.h"

/* SIGINT, SIGTERM and SIGHUP end the loop; a reader that went away is told by write. */
void loop_take_signals(void);

/* launch NULL: the process is not ours. */
enum exit_status loop_run(struct session *session, struct launch *launch);

#endif /* SAMPLER_LOOP_H */
