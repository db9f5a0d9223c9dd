/* SPDX-License-Identifier: Apache-2.0
 *
 * Python's frames from memory that is damaged: whatever is there, each reading ends. Prints how many threads' stacks could be
 * read undamaged, and damaged. (tests/sampler/test_python.py)
 *
 *     python PID TIMES
 */
#include "python/frames.h"

#include <stdio.h>
#include <stdlib.h>

#include "names/names.h"
#include "python/interpreter.h"

#define STATES_MAX 64

/* One of so many reads is damaged; 0: none. */
static unsigned damage;

bool __real_memory_read(struct memory *memory, uint64_t address, size_t size, void *bytes);
bool __wrap_memory_read(struct memory *memory, uint64_t address, size_t size, void *bytes);

bool __wrap_memory_read(struct memory *memory, uint64_t address, size_t size, void *bytes)
{
	if (!__real_memory_read(memory, address, size, bytes))
		return false;
	if (damage && size && (unsigned)rand() % damage == 0)
		((uint8_t *)bytes)[(size_t)rand() % size] = (uint8_t)rand();
	return true;
}

/* Returns how many could be read. */
static unsigned read_all(const struct images *images, struct memory *memory)
{
	static struct python_stack stack;
	struct interpreter interpreter = {0};
	struct python_objects objects;
	uint64_t states[STATES_MAX];
	unsigned count = 0;

	interpreter_find(&interpreter, images, memory);
	if (!interpreter.image)
		return 0;
	python_objects_init(&objects, memory, &interpreter.layout);
	const uint32_t found = interpreter_states(&interpreter, memory, states, STATES_MAX);

	for (uint32_t i = 0; i < found; i++) {
		int32_t line;
		const bool is_read = python_read_stack(&objects, states[i], &stack);

		for (uint32_t j = 0; j < stack.place_count; j++)
			if (!python_code_at(&objects, stack.places[j], &line)->function || line < 0)
				abort();
		count += is_read && stack.place_count;
	}
	python_objects_deinit(&objects);
	return count;
}

int main(int argc, char **argv)
{
	struct process process;
	struct memory memory;
	struct images images;
	unsigned damaged = 0;

	if (argc != 3 || !process_init(&process, atoi(argv[1])))
		return 2;
	memory_init(&memory, process.pid, true);
	images_init(&images, &process, &memory);
	images_refresh(&images);
	printf("%u\n", read_all(&images, &memory));
	for (int i = 0; i < atoi(argv[2]); i++) {
		srand((unsigned)i);
		damage = 2 + (unsigned)i % 20;
		damaged += read_all(&images, &memory);
	}
	printf("%u\n", damaged);
	for (size_t i = 0; i < images.count; i++)
		names_release(images.all[i]);
	images_deinit(&images);
	memory_deinit(&memory);
	return 0;
}
