/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct segment {
	uint64_t address;
	uint64_t size;
	uint8_t *bytes;
};

struct range {
	uint64_t address;
	uint64_t size;
};

struct symbol {
	const char *object;
	const char *name;
	uint64_t address;
};

struct thread {
	uint64_t pthread_id;
	uint64_t lwp;
};

struct fake_target {
	struct fake_machine machine;
	unsigned number;
	struct segment *segments;
	size_t segment_count;
	struct range *hidden;
	size_t hidden_count;
	struct symbol *symbols;
	size_t symbol_count;
	struct thread *threads;
	size_t thread_count;
	struct fake_target *next;
};

/* Every target that is alive, so that a context can be checked without being dereferenced. */
static struct fake_target *targets;
static unsigned last_number;

static void fail(const char *what, uint64_t address)
{
	fprintf(stderr, "fake target: %s at %#llx\n", what, (unsigned long long)address);
	abort();
}

static void *grow(void *array, size_t count, size_t element)
{
	void *grown = realloc(array, (count + 1) * element);

	if (!grown)
		abort();
	return grown;
}

struct fake_target *fake_target_create(struct fake_machine machine)
{
	struct fake_target *target = calloc(1, sizeof(*target));

	if (!target || (machine.pointer_size != 4 && machine.pointer_size != 8))
		abort();
	target->machine = machine;
	target->number = ++last_number;
	target->next = targets;
	targets = target;
	return target;
}

void fake_target_destroy(struct fake_target *target)
{
	struct fake_target **link = &targets;

	while (*link != target)
		link = &(*link)->next;
	*link = target->next;
	for (size_t i = 0; i < target->segment_count; i++)
		free(target->segments[i].bytes);
	free(target->segments);
	free(target->hidden);
	free(target->symbols);
	free(target->threads);
	free(target);
}

struct fake_machine fake_machine_of(const struct fake_target *target)
{
	return target->machine;
}

unsigned fake_target_number(const struct fake_target *target)
{
	return target->number;
}

ompd_address_space_context_t *fake_context(struct fake_target *target)
{
	return (ompd_address_space_context_t *)(void *)target;
}

struct fake_target *fake_target_of(const ompd_address_space_context_t *context)
{
	struct fake_target *target = targets;

	while (target && (const void *)target != (const void *)context)
		target = target->next;
	return target;
}

void fake_map(struct fake_target *target, uint64_t address, uint64_t size)
{
	struct segment *segment;

	for (size_t i = 0; i < target->segment_count; i++) {
		segment = &target->segments[i];
		if (address < segment->address + segment->size && segment->address < address + size)
			fail("memory mapped twice", address);
	}
	target->segments = grow(target->segments, target->segment_count, sizeof(*target->segments));
	segment = &target->segments[target->segment_count++];
	segment->address = address;
	segment->size = size;
	segment->bytes = calloc(1, size);
	if (!segment->bytes)
		abort();
}

void fake_hide(struct fake_target *target, uint64_t address, uint64_t size)
{
	target->hidden = grow(target->hidden, target->hidden_count, sizeof(*target->hidden));
	target->hidden[target->hidden_count++] = (struct range){address, size};
}

void fake_unhide_all(struct fake_target *target)
{
	target->hidden_count = 0;
}

static const struct segment *segment_at(const struct fake_target *target, uint64_t address)
{
	for (size_t i = 0; i < target->segment_count; i++) {
		const struct segment *segment = &target->segments[i];

		if (address >= segment->address && address - segment->address < segment->size)
			return segment;
	}
	return NULL;
}

static bool hidden(const struct fake_target *target, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < target->hidden_count; i++) {
		const struct range *range = &target->hidden[i];

		if (address < range->address + range->size && range->address < address + size)
			return true;
	}
	return false;
}

/* The mapped bytes at address, at most size; *length says how many follow each other. */
static uint8_t *bytes_at(const struct fake_target *target, uint64_t address, uint64_t size,
			 uint64_t *length)
{
	const struct segment *segment = segment_at(target, address);

	if (!segment)
		return NULL;
	*length = segment->size - (address - segment->address);
	if (*length > size)
		*length = size;
	return segment->bytes + (address - segment->address);
}

const uint8_t *fake_memory(const struct fake_target *target, size_t number, uint64_t *address,
			   uint64_t *size)
{
	if (number >= target->segment_count)
		return NULL;
	*address = target->segments[number].address;
	*size = target->segments[number].size;
	return target->segments[number].bytes;
}

bool fake_read(const struct fake_target *target, uint64_t address, uint64_t size, void *buffer)
{
	uint8_t *to = buffer;

	if (address + size < address || hidden(target, address, size))
		return false;
	while (size > 0) {
		uint64_t length;
		const uint8_t *from = bytes_at(target, address, size, &length);

		if (!from)
			return false;
		memcpy(to, from, length);
		to += length;
		address += length;
		size -= length;
	}
	return true;
}

void fake_write(struct fake_target *target, uint64_t address, const void *bytes, uint64_t size)
{
	const uint8_t *from = bytes;

	while (size > 0) {
		uint64_t length;
		uint8_t *to = bytes_at(target, address, size, &length);

		if (!to)
			fail("write to unmapped memory", address);
		memcpy(to, from, length);
		from += length;
		address += length;
		size -= length;
	}
}

void fake_encode(struct fake_machine machine, uint64_t value, unsigned size, uint8_t *bytes)
{
	for (unsigned i = 0; i < size; i++)
		bytes[machine.big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

void fake_put(struct fake_target *target, uint64_t address, unsigned size, uint64_t value)
{
	uint8_t bytes[8];

	fake_encode(target->machine, value, size, bytes);
	fake_write(target, address, bytes, size);
}

uint64_t fake_get(const struct fake_target *target, uint64_t address, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++) {
		uint64_t length;
		const uint64_t at = address + (target->machine.big_endian ? i : size - 1 - i);
		const uint8_t *byte = bytes_at(target, at, 1, &length);

		if (!byte)
			fail("read of unmapped memory", at);
		value = value << 8 | *byte;
	}
	return value;
}

void fake_put_pointer(struct fake_target *target, uint64_t address, uint64_t value)
{
	fake_put(target, address, target->machine.pointer_size, value);
}

uint64_t fake_get_pointer(const struct fake_target *target, uint64_t address)
{
	return fake_get(target, address, target->machine.pointer_size);
}

void fake_put_string(struct fake_target *target, uint64_t address, const char *string)
{
	fake_write(target, address, string, strlen(string) + 1);
}

void fake_add_symbol(struct fake_target *target, const char *object, const char *name,
		     uint64_t address)
{
	target->symbols = grow(target->symbols, target->symbol_count, sizeof(*target->symbols));
	target->symbols[target->symbol_count++] = (struct symbol){object, name, address};
}

void fake_forget_symbol(struct fake_target *target, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < target->symbol_count; i++) {
		if (strcmp(target->symbols[i].name, name) != 0)
			target->symbols[kept++] = target->symbols[i];
	}
	target->symbol_count = kept;
}

bool fake_find_symbol(const struct fake_target *target, const char *object, const char *name,
		      uint64_t *address)
{
	const struct symbol *found = NULL;

	for (size_t i = 0; i < target->symbol_count; i++) {
		const struct symbol *symbol = &target->symbols[i];
		const bool preferred =
			object && symbol->object && strcmp(symbol->object, object) == 0;

		if (strcmp(symbol->name, name) == 0 && (preferred || !found))
			found = symbol;
		if (preferred && found == symbol)
			break;
	}
	if (found)
		*address = found->address;
	return found != NULL;
}

const char *fake_symbol(const struct fake_target *target, size_t number, uint64_t *address)
{
	if (number >= target->symbol_count)
		return NULL;
	*address = target->symbols[number].address;
	return target->symbols[number].name;
}

void fake_add_thread(struct fake_target *target, uint64_t pthread_id, uint64_t lwp)
{
	target->threads = grow(target->threads, target->thread_count, sizeof(*target->threads));
	target->threads[target->thread_count++] = (struct thread){pthread_id, lwp};
}

size_t fake_thread_count(const struct fake_target *target)
{
	return target->thread_count;
}

int fake_thread_by_pthread(const struct fake_target *target, uint64_t pthread_id)
{
	for (size_t i = 0; i < target->thread_count; i++) {
		if (target->threads[i].pthread_id == pthread_id)
			return (int)i;
	}
	return -1;
}

int fake_thread_by_lwp(const struct fake_target *target, uint64_t lwp)
{
	for (size_t i = 0; i < target->thread_count; i++) {
		if (target->threads[i].lwp == lwp)
			return (int)i;
	}
	return -1;
}

uint64_t fake_pthread_of(const struct fake_target *target, size_t thread)
{
	return target->threads[thread].pthread_id;
}

uint64_t fake_lwp_of(const struct fake_target *target, size_t thread)
{
	return target->threads[thread].lwp;
}
