/* SPDX-License-Identifier: Apache-2.0
 *
 * What did the compiler record of a construct: ";file;function;line;column;;"?
 */
#ifndef INFERENCE_SOURCE_H
#define INFERENCE_SOURCE_H

enum source_compiler {
	SOURCE_NOTHING,  /* no place, or none by this format */
	SOURCE_OF_CLANG, /* with the file */
	SOURCE_OF_FLANG  /* which records what stands for any file */
};

/* text: NULL or any. */
enum source_compiler source_compiler(const char *text);

#endif /* INFERENCE_SOURCE_H */
