/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory image of a fake process: dump_fake WORLD SCENARIO IMAGE
 *
 * For machines of which no real process can be had here: 32 bit, big endian. make_seeds.py calls this.
 */
#include <stdio.h>
#include <string.h>

#include "fake_scenarios.h"
#include "fake_target.h"
#include "image_file.h"
#include "memory_image.h"

static void write_image(const struct fake_target *target, FILE *file)
{
	const struct fake_machine machine = fake_machine_of(target);
	uint64_t address, size;
	const uint8_t *bytes;
	const char *name;

	image_put_flags(file, (machine.pointer_size == 4 ? FLAG_POINTERS_OF_4 : 0) |
				      (machine.big_endian ? FLAG_BIG_ENDIAN : 0));
	for (size_t i = 0; i < fake_thread_count(target); i++)
		image_put_item(file, 'T', fake_pthread_of(target, i), fake_lwp_of(target, i), 8);
	for (size_t i = 0; (name = fake_symbol(target, i, &address)); i++)
		image_put_symbol(file, address, name);
	for (size_t i = 0; (bytes = fake_memory(target, i, &address, &size)); i++) {
		image_put_item(file, 'M', address, size, 4);
		fwrite(bytes, 1, size, file);
	}
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < fake_world_count; i++) {
		const struct fake_scenario *scenario = fake_scenario(argv[2]);
		struct fake_libomp *omp;
		FILE *file;

		if (strcmp(fake_worlds[i].name, argv[1]) != 0 || !scenario)
			continue;
		file = fopen(argv[3], "wb");
		if (!file) {
			perror(argv[3]);
			return 1;
		}
		omp = fake_world_create(&fake_worlds[i], scenario);
		write_image(fake_libomp_target(omp), file);
		fake_process_destroy(omp);
		return fclose(file) ? 1 : 0;
	}
	fputs("usage: dump_fake WORLD SCENARIO IMAGE, as tests/fake/fake_scenarios.c names them\n",
	      stderr);
	return 2;
}
