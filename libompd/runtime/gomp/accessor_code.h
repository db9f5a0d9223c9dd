/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of libgomp's small functions: a file for each machine.
 */
#ifndef RUNTIME_GOMP_ACCESSOR_CODE_H
#define RUNTIME_GOMP_ACCESSOR_CODE_H

#include "target/image.h"

enum operand {
	OPERAND_NUMBER, /* how far gomp_tls_data lies from the thread pointer, if a linker knew it */
	OPERAND_WORD_VARIABLE,  /* the address of a variable of 8 bytes that is loaded */
	OPERAND_WORD_CHOSEN,    /* the same, if another word is 0 */
	OPERAND_INT_VARIABLE,   /* of 4 */
	OPERAND_BYTE_VARIABLE,  /* of 1 */
	OPERAND_ADDRESS,        /* an address that is taken */
	OPERAND_THREAD_INT,     /* the offset of 4 bytes from gomp_tls_data */
	OPERAND_THREAD_WORD,    /* of 8 */
	OPERAND_PLACED_INT,     /* the offset of 4 bytes from the thread pointer */
	OPERAND_PLACED_WORD,    /* of 8 */
	OPERAND_MEMBER_BYTE,    /* the offset of a byte from an address in a register */
	OPERAND_MEMBER_ADDRESS, /* an offset that is added to an address in a register */
	OPERAND_ARGUMENT        /* a number that is the first argument of a call */
};

/* The first operand of this kind in the function that lies there. unavailable: it has none. */
ompd_rc_t accessor_code_x86_64(const struct image *image, target_addr address, enum operand kind,
			       uint64_t *ret);
ompd_rc_t accessor_code_aarch64(const struct image *image, target_addr address, enum operand kind,
				uint64_t *ret);

#endif /* RUNTIME_GOMP_ACCESSOR_CODE_H */
