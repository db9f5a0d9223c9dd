/* SPDX-License-Identifier: Apache-2.0
 *
 * Pointers as .eh_frame encodes them (LSB, section 10.5).
 */
#ifndef SAMPLER_POINTERS_H
#define SAMPLER_POINTERS_H

#include "unwind/bytes.h"

#define POINTER_OMITTED 0xff
#define POINTER_FORMAT 0x0f
#define POINTER_BASE 0x70
#define POINTER_PC_RELATIVE 0x10
#define POINTER_DATA_RELATIVE 0x30

/* address: of the bytes' start. data: what data-relative ones count from. Those that have to be read from the
 * process are bad here. */
uint64_t encoded_pointer(struct bytes *bytes, uint8_t encoding, uint64_t address, uint64_t data);

#endif /* SAMPLER_POINTERS_H */
