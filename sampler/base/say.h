/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for people, one sentence each, on stderr; and how the sampler ends.
 */
#ifndef SAMPLER_SAY_H
#define SAMPLER_SAY_H

enum exit_status {
	EXIT_WHOLE = 0,
	EXIT_USAGE = 2,
	EXIT_NOT_ALLOWED = 3,
	EXIT_NO_PROCESS = 4,
	EXIT_NOT_WRITTEN = 5,
	EXIT_NO_READER = 6,
	EXIT_STUCK = 7,
	EXIT_FAULT = 70
};

__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
__attribute__((format(printf, 2, 3), noreturn)) void fail(enum exit_status status,
							  const char *format, ...);

#endif /* SAMPLER_SAY_H */
