/* SPDX-License-Identifier: Apache-2.0
 *
 * The internal control variables that a runtime is asked for; names and scopes are in icv.def.
 */
#ifndef RUNTIME_ICV_H
#define RUNTIME_ICV_H

enum icv {
	ICV_LEVELS,
	ICV_ACTIVE_LEVELS,
	ICV_TEAM_SIZE,
	ICV_THREAD_NUM,
};

#endif /* RUNTIME_ICV_H */
