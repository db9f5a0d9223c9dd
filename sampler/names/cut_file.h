/* SPDX-License-Identifier: Apache-2.0
 *
 * Files are mapped while they are read, and whoever writes to one may cut it short: what was behind its new end is no
 * memory any more. It reads as zeros then, as it does in a file with a hole.
 */
#ifndef SAMPLER_CUT_FILE_H
#define SAMPLER_CUT_FILE_H

/* From here on; of the whole process. */
void cut_files_read_as_zeros(void);

#endif /* SAMPLER_CUT_FILE_H */
