/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target.h"

#include <string.h>

#include "target/callbacks.h"
#include "target/memory_cache.h"

static bool sizes_supported(const ompd_device_type_sizes_t *sizes)
{
	return sizes->sizeof_char == 1 && sizes->sizeof_int == 4 &&
	       (sizes->sizeof_long == 4 || sizes->sizeof_long == 8) &&
	       (sizes->sizeof_pointer == 4 || sizes->sizeof_pointer == 8);
}

/* Converting bytes one number at a time by callback costs a call into the debugger each. A pattern that
 * no order maps to itself, converted once, tells the order for good. */
static ompd_rc_t find_byte_order(struct target *target)
{
	static const uint32_t pattern = UINT32_C(0x01020304);
	uint32_t converted = 0;
	const ompd_rc_t rc =
		callback_to_host(target->context, &pattern, sizeof(pattern), 1, &converted);

	if (rc != ompd_rc_ok)
		return rc;
	if (converted != pattern && converted != UINT32_C(0x04030201))
		return ompd_rc_incompatible;
	target->swapped = converted != pattern;
	target->big_endian = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != target->swapped;
	return ompd_rc_ok;
}

ompd_rc_t target_init(struct target *target, ompd_address_space_context_t *context,
		      struct diagnostics *diagnostics)
{
	ompd_rc_t rc;

	memset(target, 0, sizeof(*target));
	target->context = context;
	target->diagnostics = diagnostics;
	rc = callback_sizeof(context, &target->sizes);
	if (rc != ompd_rc_ok)
		return rc;
	if (!sizes_supported(&target->sizes))
		return ompd_rc_incompatible;
	return find_byte_order(target);
}

ompd_rc_t target_read(const struct target *target, target_addr address, size_t size, void *buffer)
{
	if (address == 0 || address + size < address)
		return ompd_rc_error;
	if (target->cache)
		return memory_cache_read(target->cache, target->context, address, size, buffer);
	return callback_read(target->context, address, size, buffer);
}

void target_expect(const struct target *target, target_addr address, size_t size)
{
	if (target->cache && address && address + size >= address)
		memory_cache_expect(target->cache, target->context, address, size);
}

/* The string by the bytes that are remembered, block after block. */
static ompd_rc_t read_known_string(const struct target *target, target_addr address, size_t room,
				   char *buffer)
{
	for (size_t done = 0; done < room;) {
		const size_t in_block =
			MEMORY_BLOCK_BYTES - (size_t)((address + done) % MEMORY_BLOCK_BYTES);
		const size_t part = in_block < room - done ? in_block : room - done;
		const ompd_rc_t rc = target_read(target, address + done, part, buffer + done);

		if (rc != ompd_rc_ok || memchr(buffer + done, 0, part))
			return rc;
		done += part;
	}
	return ompd_rc_incomplete;
}

ompd_rc_t target_read_string(const struct target *target, target_addr address, size_t size,
			     char *buffer)
{
	ompd_rc_t rc;

	if (address == 0)
		return ompd_rc_error;
	memset(buffer, 0, size);
	rc = target->cache ? read_known_string(target, address, size - 1, buffer) : ompd_rc_error;
	if (rc == ompd_rc_error)
		rc = callback_read_string(target->context, address, size - 1, buffer);
	buffer[size - 1] = '\0';
	return rc;
}

uint64_t target_decode(const struct target *target, const void *bytes, size_t size)
{
	uint8_t value8;
	uint16_t value16;
	uint32_t value32;
	uint64_t value64;

	switch (size) {
	case 1:
		memcpy(&value8, bytes, size);
		return value8;
	case 2:
		memcpy(&value16, bytes, size);
		return target->swapped ? __builtin_bswap16(value16) : value16;
	case 4:
		memcpy(&value32, bytes, size);
		return target->swapped ? __builtin_bswap32(value32) : value32;
	case 8:
		memcpy(&value64, bytes, size);
		return target->swapped ? __builtin_bswap64(value64) : value64;
	default:
		return 0;
	}
}

int64_t target_decode_signed(const struct target *target, const void *bytes, size_t size)
{
	const uint64_t value = target_decode(target, bytes, size);

	switch (size) {
	case 1:
		return (int8_t)value;
	case 2:
		return (int16_t)value;
	case 4:
		return (int32_t)value;
	default:
		return (int64_t)value;
	}
}

void target_encode(const struct target *target, uint64_t value, size_t size, void *bytes)
{
	uint8_t *to = bytes;

	for (size_t i = 0; i < size; i++) {
		const size_t place = target->big_endian ? size - 1 - i : i;

		to[place] = (uint8_t)(value >> (8 * i));
	}
}

ompd_rc_t target_read_unsigned(const struct target *target, target_addr address, size_t size,
			       uint64_t *ret)
{
	uint8_t bytes[8];
	ompd_rc_t rc;

	if (size > sizeof(bytes))
		return ompd_rc_unsupported;
	rc = target_read(target, address, size, bytes);
	if (rc == ompd_rc_ok)
		*ret = target_decode(target, bytes, size);
	return rc;
}

ompd_rc_t target_read_pointer(const struct target *target, target_addr address, target_addr *ret)
{
	return target_read_unsigned(target, address, target->sizes.sizeof_pointer, ret);
}

ompd_rc_t target_read_pointers(const struct target *target, target_addr address, size_t count,
			       target_addr *ret)
{
	const size_t width = target->sizes.sizeof_pointer;
	const uint8_t *bytes = (const uint8_t *)ret;
	const ompd_rc_t rc = target_read(target, address, count * width, ret);

	if (rc != ompd_rc_ok)
		return rc;
	/* From the end, since a decoded pointer takes at least the room of a raw one. */
	for (size_t i = count; i-- > 0;)
		ret[i] = target_decode(target, bytes + i * width, width);
	return ompd_rc_ok;
}

ompd_rc_t target_symbol(const struct target *target, const char *name, const char *file_name,
			target_addr *ret)
{
	target_addr found = 0;
	const ompd_rc_t rc = callback_symbol(target->context, name, file_name, &found);

	if (rc != ompd_rc_ok)
		return rc;
	if (found == 0)
		return ompd_rc_unavailable;
	*ret = found;
	return ompd_rc_ok;
}

ompd_rc_t target_thread_symbol(const struct target *target, uint64_t lwp, const char *name,
			       const char *file_name, target_addr *ret)
{
	target_addr found = 0;
	uint8_t id[8];
	const size_t size = target->sizes.sizeof_long;
	ompd_rc_t rc;

	target_encode(target, lwp, size, id);
	rc = callback_thread_symbol(target->context, OMPD_THREAD_ID_LWP, size, id, name, file_name,
				    &found);
	if (rc == ompd_rc_ok && found == 0)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		*ret = found;
	return rc;
}
