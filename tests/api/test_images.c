/* SPDX-License-Identifier: Apache-2.0
 *
 * Which images does a process have? Its dynamic linker's list in all its namespaces, and what the kernel told the
 * program, for machines of both widths and byte orders.
 */
#include <elf.h>
#include <string.h>

#include "api_test.h"

static const struct fake_machine machines[] = {{8, false}, {8, true}, {4, false}, {4, true}};

#define LIBRARY_BASE UINT64_C(0x50000000)
#define VDSO_BASE UINT64_C(0x60000000)
#define LIBRARY_PATH "/opt/plugins/libplug.so"

/* A program, the C library, a library with a build-id, and what the kernel told of it. */
struct process {
	struct fake_target *target;
	struct fake_image images[3];
	uint64_t entries; /* of the list */
	uint64_t debug;
	ompdx_auxv_t auxv;
};

static const uint8_t build_id[] = {1, 2, 3, 4, 5, 6, 7, 8};

static struct fake_image load(struct fake_target *target, const char *path, uint64_t base)
{
	const struct fake_elf elf = {.path = path,
				     .base = base,
				     .text_size = 0x2000,
				     .data_size = 0x1000,
				     .build_id = build_id,
				     .build_id_size = sizeof(build_id)};

	return fake_elf_load(target, &elf);
}

static struct process process_create(struct fake_machine machine)
{
	struct fake_target *target = fake_target_create(machine);
	struct process process = {.target = target};

	process.images[0] = fake_executable_load(target);
	process.images[1] = fake_libc_load(target);
	process.images[2] = load(target, LIBRARY_PATH, LIBRARY_BASE);
	process.entries = fake_link_map(target, process.images, 3);
	process.debug = process.entries - FAKE_LINK_MAP_STRIDE;
	process.auxv = (ompdx_auxv_t){
		.size = sizeof(process.auxv),
		.headers = process.images[0].base + (machine.pointer_size == 8 ? 64 : 52),
		.header_count = 3,
	};
	return process;
}

/* The dynamic linker has told the program where its list is. */
static void tell_program(const struct process *process)
{
	struct fake_target *target = process->target;
	const unsigned width = fake_machine_of(target).pointer_size;
	uint64_t at = process->images[0].dynamic;

	while (fake_get(target, at, width) != DT_NULL)
		at += UINT64_C(2) * width;
	fake_put(target, at, width, DT_DEBUG);
	fake_put(target, at + width, width, process->debug);
	fake_forget_symbol(target, "_r_debug");
}

static ompdx_images_t *images_of(const struct process *process, const ompdx_auxv_t *auxv)
{
	ompdx_images_t *images = UNTOUCHED;

	assert_ok(ompdx_images(fake_context(process->target), auxv, &images));
	assert_int_equal(images->size, sizeof(*images));
	for (ompd_size_t i = 0; i < images->count; i++)
		assert_int_equal(images->images[i].size, sizeof(images->images[i]));
	return images;
}

static void give_back(ompdx_images_t *images)
{
	assert_ok(fake_callbacks()->free_memory(images));
}

static void assert_image(const ompdx_loaded_image_t *image, const struct fake_image *truth,
			 uint32_t flags, uint32_t link_namespace)
{
	assert_int_equal(image->load_bias, truth->bias);
	assert_int_equal(image->dynamic, truth->dynamic);
	assert_int_equal(image->start, truth->base);
	assert_int_equal(image->end, truth->end);
	assert_int_equal(image->flags, flags);
	assert_int_equal(image->link_namespace, link_namespace);
}

static void assert_all_three(const struct process *process, const ompdx_images_t *images)
{
	assert_true(images->count >= 3);
	assert_image(&images->images[0], &process->images[0],
		     OMPDX_IMAGE_PROGRAM | OMPDX_IMAGE_STATIC, 0);
	assert_image(&images->images[1], &process->images[1], 0, 0);
	assert_image(&images->images[2], &process->images[2], 0, 0);
	assert_null(images->images[0].path);
	assert_string_equal(images->images[1].path, process->images[1].path);
	assert_string_equal(images->images[2].path, LIBRARY_PATH);
	assert_int_equal(images->images[1].build_id_length, 0);
	assert_int_equal(images->images[2].build_id_length, sizeof(build_id));
	assert_memory_equal(images->images[2].build_id, build_id, sizeof(build_id));
	assert_int_equal(images->debug, process->debug);
	assert_int_equal(images->problem, ompdx_problem_none);
}

static void test_list(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct process process = process_create(machines[i]);
		ompdx_images_t *images = images_of(&process, NULL);

		assert_int_equal(images->count, 3);
		assert_all_three(&process, images);
		give_back(images);

		images = images_of(&process, &process.auxv);
		assert_int_equal(images->count, 3);
		assert_all_three(&process, images);
		give_back(images);

		tell_program(&process);
		images = images_of(&process, &process.auxv);
		assert_all_three(&process, images);
		give_back(images);
		fake_target_destroy(process.target);
	}
}

/* A program without a dynamic linker has what the kernel told of it, and no list. */
static void test_no_list(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct process process = process_create(machines[i]);
		const struct fake_image vdso = load(process.target, NULL, VDSO_BASE);
		ompdx_images_t *images;

		fake_forget_symbol(process.target, "_r_debug");
		process.auxv.vdso = VDSO_BASE;
		images = images_of(&process, &process.auxv);
		assert_int_equal(images->count, 2);
		assert_image(&images->images[0], &process.images[0],
			     OMPDX_IMAGE_PROGRAM | OMPDX_IMAGE_STATIC, UINT32_MAX);
		assert_image(&images->images[1], &vdso, OMPDX_IMAGE_VDSO, UINT32_MAX);
		assert_null(images->images[1].path);
		assert_int_equal(images->debug, 0);
		assert_int_equal(images->problem, ompdx_problem_none);
		give_back(images);

		images = images_of(&process, NULL);
		assert_int_equal(images->count, 0);
		give_back(images);
		fake_target_destroy(process.target);
	}
}

/* The kernel's image stands in the list of glibc's linker, too. */
static void test_vdso_in_the_list(void **state)
{
	struct process process = process_create(machines[0]);
	ompdx_images_t *images;

	(void)state;
	process.auxv.vdso = LIBRARY_BASE;
	images = images_of(&process, &process.auxv);
	assert_int_equal(images->count, 3);
	assert_image(&images->images[2], &process.images[2], OMPDX_IMAGE_VDSO, 0);
	assert_string_equal(images->images[2].path, LIBRARY_PATH);
	give_back(images);
	fake_target_destroy(process.target);
}

/* dlmopen: its list has a library of its own, and one in common with the program's. */
static void test_namespaces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct process process = process_create(machines[i]);
		struct fake_target *target = process.target;
		const unsigned width = machines[i].pointer_size;
		const uint64_t other = UINT64_C(0x70000000), entry = other + 0x100;
		const struct fake_image copy = load(target, LIBRARY_PATH, LIBRARY_BASE + 0x100000);
		ompdx_images_t *images;

		fake_map(target, other, FAKE_PAGE);
		fake_put(target, process.debug, 4, 2);
		fake_put_pointer(target, process.debug + 5 * width, other);
		fake_put(target, other, 4, 2);
		fake_put_pointer(target, other + width, entry);
		fake_put_pointer(target, entry, process.images[1].bias);
		fake_put_pointer(target, entry + 2 * width, process.images[1].dynamic);
		fake_put_pointer(target, entry + 3 * width, entry + 0x100);
		fake_put_pointer(target, entry + 0x100, copy.bias);
		fake_put_pointer(target, entry + 0x100 + width, entry + 0x200);
		fake_put_pointer(target, entry + 0x100 + 2 * width, copy.dynamic);
		fake_put_string(target, entry + 0x200, LIBRARY_PATH);
		images = images_of(&process, &process.auxv);
		assert_int_equal(images->count, 4);
		assert_all_three(&process, images);
		assert_image(&images->images[3], &copy, 0, 1);
		assert_string_equal(images->images[3].path, LIBRARY_PATH);
		give_back(images);

		/* The linkers of before know of no other. */
		fake_put(target, process.debug, 4, 1);
		images = images_of(&process, &process.auxv);
		assert_int_equal(images->count, 3);
		give_back(images);
		fake_target_destroy(target);
	}
}

/* What cannot be read is missing, and said to be. */
static void test_unreadable(void **state)
{
	struct process process = process_create(machines[0]);
	struct fake_target *target = process.target;
	ompdx_images_t *images;

	(void)state;
	fake_hide(target, process.entries + 2 * FAKE_LINK_MAP_STRIDE, 40);
	images = images_of(&process, &process.auxv);
	assert_int_equal(images->count, 2);
	assert_int_equal(images->problem, ompdx_problem_unreadable);
	give_back(images);

	/* The list, and nothing of a library: as in a core file without it. */
	fake_unhide_all(target);
	fake_hide(target, process.images[2].base, process.images[2].end - process.images[2].base);
	images = images_of(&process, &process.auxv);
	assert_int_equal(images->count, 3);
	assert_int_equal(images->images[2].flags, OMPDX_IMAGE_NAMELESS);
	assert_int_equal(images->images[2].load_bias, LIBRARY_BASE);
	assert_int_equal(images->images[2].end, 0);
	assert_string_equal(images->images[2].path, LIBRARY_PATH);
	assert_int_equal(images->problem, ompdx_problem_none);
	give_back(images);

	/* The program's headers: then the list is found by its symbol. */
	fake_unhide_all(target);
	fake_hide(target, process.images[0].base, FAKE_PAGE);
	images = images_of(&process, &process.auxv);
	assert_int_equal(images->count, 3);
	assert_int_equal(images->images[0].end, 0);
	assert_int_equal(images->images[0].flags, OMPDX_IMAGE_PROGRAM | OMPDX_IMAGE_NAMELESS);
	give_back(images);
	fake_target_destroy(target);
}

static void test_circle(void **state)
{
	struct process process = process_create(machines[0]);
	const uint64_t last = process.entries + 2 * FAKE_LINK_MAP_STRIDE;
	ompdx_images_t *images;

	(void)state;
	fake_put(process.target, last + 24, 8, process.entries);
	images = images_of(&process, &process.auxv);
	assert_int_equal(images->count, 3);
	assert_int_equal(images->problem, ompdx_problem_limit);
	give_back(images);
	fake_target_destroy(process.target);
}

/* Headers nowhere, each time: no image of the longest list is searched for as long as a few are. */
static void test_cost_of_the_longest_list(void **state)
{
	enum { LENGTH = 20000, ENTRY = 32 };
	struct process process = process_create(machines[0]);
	struct fake_target *target = process.target;
	const uint64_t list = UINT64_C(0x70000000);
	struct fake_counts counts;
	ompdx_images_t *images;

	(void)state;
	fake_map(target, list, LENGTH * ENTRY);
	for (uint64_t i = 0; i < LENGTH; i++) {
		fake_put(target, list + i * ENTRY, 8, UINT64_C(0xdead0000));
		fake_put(target, list + i * ENTRY + 16, 8, process.images[2].dynamic + i % 8192);
		fake_put(target, list + i * ENTRY + 24, 8, list + (i + 1) * ENTRY);
	}
	fake_put(target, process.debug + 8, 8, list);
	fake_counts_reset();
	images = images_of(&process, &process.auxv);
	counts = fake_counts();
	assert_int_equal(images->problem, ompdx_problem_limit);
	assert_true(images->count <= 8192 + 1);
	assert_true(counts.calls[FAKE_READ] + counts.calls[FAKE_READ_STRING] < 10 * 8192);
	give_back(images);
	fake_target_destroy(target);
}

static void test_bad_input(void **state)
{
	struct process process = process_create(machines[0]);
	ompd_address_space_context_t *context = fake_context(process.target);
	const ompdx_auxv_t tiny = {.size = sizeof(tiny.size)};
	ompdx_images_t *images = UNTOUCHED;

	(void)state;
	assert_rc(ompdx_images(NULL, NULL, &images), ompd_rc_bad_input);
	assert_rc(ompdx_images(context, &tiny, &images), ompd_rc_bad_input);
	assert_rc(ompdx_images(context, NULL, NULL), ompd_rc_bad_input);
	assert_ptr_equal(images, UNTOUCHED);
	fake_target_destroy(process.target);
}

/* Whichever call of the debugger fails: an answer or a failure, and no block is left. */
static void test_failing_callbacks(void **state)
{
	static const ompd_rc_t failures[] = {ompd_rc_error, ompd_rc_nomem, ompd_rc_stale_handle};
	struct process process = process_create(machines[0]);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		bool struck = true;

		for (unsigned nth = 1; struck; nth++) {
			ompdx_images_t *images = UNTOUCHED;
			ompd_rc_t rc;

			fake_fault_plan((struct fake_fault){.callbacks = FAKE_ANY_CALLBACK &
									 ~(1u << FAKE_FREE),
							    .nth = nth,
							    .rc = failures[i]});
			rc = ompdx_images(fake_context(process.target), &process.auxv, &images);
			struck = fake_fault_struck();
			fake_fault_clear();
			if (rc == ompd_rc_ok)
				give_back(images);
			else
				assert_ptr_equal(images, UNTOUCHED);
			assert_int_equal(fake_live_blocks(), 0);
		}
	}
	fake_target_destroy(process.target);
}

int main(void)
{
#define OPENED(test) cmocka_unit_test_setup_teardown(test, library_open, library_close)
	const struct CMUnitTest tests[] = {
		OPENED(test_list),
		OPENED(test_no_list),
		OPENED(test_vdso_in_the_list),
		OPENED(test_namespaces),
		OPENED(test_unreadable),
		OPENED(test_circle),
		OPENED(test_cost_of_the_longest_list),
		OPENED(test_bad_input),
		OPENED(test_failing_callbacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
