/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SAMPLER_REGULAR_FILE_H
#define SAMPLER_REGULAR_FILE_H

/* To read. Programs name files, which may be pipes or devices: those are not even opened. -1: it is none, or cannot be. */
int open_regular(const char *path);

#endif /* SAMPLER_REGULAR_FILE_H */
