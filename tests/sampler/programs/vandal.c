/* SPDX-License-Identifier: Apache-2.0
 *
 * vandal SEED SECONDS [bare]: OpenMP threads that work and wait, while a thread of their own spoils what a sampler reads of
 * them: all that can be reached from the runtime's and the dynamic linker's data (any bytes, pointers to themselves, into
 * nothing and to each other, huge counts, pages that may not be read or are not there), and the stacks of two threads that
 * do not need them, one of which has lost its stack pointer. What was spoilt is put back after some milliseconds, so
 * that the program goes on. bare: its file is gone, and what tells how to unwind its code is spoilt in its memory before it says
 * "ready".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)
#define MAPS_MAX 512
#define WORDS_MAX (1 << 16)
#define OBJECT_BYTES 1024
#define SPOILT_MAX 512
#define STACK_BYTES (1 << 20)
#define OTHER_STACKS 32
#define OTHER_STACK_BYTES 65536

struct range {
	uint64_t start, end;
	int root;
};

static struct range maps[MAPS_MAX];
static size_t map_count;
static uint64_t words[WORDS_MAX]; /* addresses that are reachable */
static size_t word_count;
static uint64_t own_stack, hole; /* hole: a page that may not be touched */
static uint64_t seed;
static volatile uint64_t scrambled[2]; /* stacks that nobody needs, from there upwards */
static volatile double sink;

static uint64_t any(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 31) % below;
}

static int peek(uint64_t address, uint64_t *value)
{
	struct iovec here = {value, 8}, there = {(void *)address, 8};

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 8;
}

static void poke(uint64_t address, uint64_t value)
{
	struct iovec here = {&value, 8}, there = {(void *)address, 8};

	process_vm_writev(getpid(), &here, 1, &there, 1, 0);
}

static void rest(long us)
{
	const struct timespec time = {us / 1000000, us % 1000000 * 1000};

	/* The C library's own looks at the thread's structure, which may be spoilt. */
	syscall(SYS_nanosleep, &time, NULL);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whoever stumbles over it tries again until it has been put back. */
static void stumble(int number)
{
	do
		rest(500);
	while (number == SIGABRT);
}

static void take_stumbles(void)
{
	const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
	struct sigaction action = {.sa_handler = stumble, .sa_flags = SA_ONSTACK};

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		sigaction(numbers[i], &action, NULL);
}

static void take_other_stack(void)
{
	static uint8_t stacks[OTHER_STACKS][OTHER_STACK_BYTES];
	static unsigned count;
	static __thread unsigned own;

	if (!own)
		own = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	const stack_t stack = {.ss_sp = stacks[own % OTHER_STACKS], .ss_size = OTHER_STACK_BYTES};

	sigaltstack(&stack, NULL);
}

static void read_maps(void)
{
	static char text[1 << 18];
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t size = 0, count;
	int root_before = 0;

	while ((count = read(fd, text + size, sizeof text - 1 - (size_t)size)) > 0)
		size += count;
	close(fd);
	text[size] = 0;
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		char *at, *path = strchr(line, '/');
		uint64_t start = strtoull(line, &at, 16), stop = strtoull(at + 1, &at, 16);
		/* The runtime's and the linker's zeros follow their files' data. */
		int root = path ? strstr(path, "/libomp") || strstr(path, "/libgomp") ||
					   strstr(path, "/ld-linux")
				: root_before && maps[map_count - 1].end == start;

		root_before = 0;
		if (at[2] != 'w' || (path && !root) || map_count == MAPS_MAX ||
		    (start <= own_stack && own_stack < stop) || strstr(line, "[stack]"))
			continue;
		/* What the vandal itself needs. */
		if (start <= (uintptr_t)words && (uintptr_t)words < stop)
			continue;
		root_before = root;
		maps[map_count++] = (struct range){start, stop, root};
	}
}

static const struct range *map_of(uint64_t address)
{
	for (size_t i = 0; i < map_count; i++)
		if (address >= maps[i].start && address < maps[i].end)
			return &maps[i];
	return NULL;
}

static int is_listed(uint64_t address)
{
	for (size_t i = word_count; i-- > 0 && i + 4096 > word_count;)
		if (words[i] == address)
			return 1;
	return 0;
}

static void list(uint64_t start, uint64_t end)
{
	for (uint64_t at = start; at + 8 <= end && word_count < WORDS_MAX; at += 8)
		words[word_count++] = at;
}

static void find_words(void)
{
	for (size_t i = 0; i < map_count; i++)
		if (maps[i].root)
			list(maps[i].start, maps[i].end - maps[i].start > 32768
						    ? maps[i].start + 32768
						    : maps[i].end);
	for (size_t i = 0; i < word_count; i++) {
		uint64_t value;
		const struct range *range;

		if (!peek(words[i], &value) || value % 8 || !(range = map_of(value)) ||
		    is_listed(value))
			continue;
		list(value, value + OBJECT_BYTES < range->end ? value + OBJECT_BYTES : range->end);
	}
}

static struct {
	uint64_t address, value;
} spoilt[SPOILT_MAX];
static size_t spoilt_count;
static uint64_t hidden, hidden_at; /* a page that is elsewhere, or may not be read: hidden_at 0 */

static uint64_t spoilt_value(uint64_t address, uint64_t value)
{
	uint64_t other = words[any(word_count)], theirs = 0;

	switch (any(11)) {
	case 0:
		return any(UINT64_C(1) << 32) << 32 | any(UINT64_C(1) << 32);
	case 1:
		return (value & ~UINT64_C(0xffffffff)) | any(UINT64_C(1) << 32);
	case 2:
		return address;
	case 3:
		return other;
	case 4:
		return peek(other, &theirs) ? theirs : 0;
	case 5:
		return UINT64_C(0x7fffffff) << (any(2) ? 32 : 0) | 1;
	case 6:
		return 0;
	case 7:
		return hole + any(PAGE);
	case 8:
		return UINT64_C(0xdeadbeefdeadbeef);
	case 9:
		return value + (any(2) ? 8 : -8);
	default:
		return UINT64_MAX >> any(32);
	}
}

static void spoil(void)
{
	static const unsigned how_many[] = {1, 1, 1, 2, 5, 30, 400};
	unsigned count = how_many[any(sizeof how_many / sizeof *how_many)];

	while (count-- && spoilt_count < SPOILT_MAX) {
		uint64_t address = words[any(word_count)], value;

		if (!peek(address, &value) || (value == 0 && any(4)))
			continue;
		spoilt[spoilt_count].address = address;
		spoilt[spoilt_count++].value = value;
		poke(address, spoilt_value(address, value));
	}
	hidden = 0;
	if (any(4))
		return;
	hidden = words[any(word_count)] & ~(PAGE - 1);
	hidden_at = 0;
	if (any(2))
		mprotect((void *)hidden, PAGE, PROT_NONE);
	else if (mremap((void *)hidden, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
			(void *)(hole + PAGE)) != MAP_FAILED)
		hidden_at = hole + PAGE;
}

static void put_back(void)
{
	if (hidden_at)
		mremap((void *)hidden_at, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       (void *)hidden);
	else if (hidden)
		mprotect((void *)hidden, PAGE, PROT_READ | PROT_WRITE);
	hidden_at = hidden = 0;
	while (spoilt_count) {
		spoilt_count--;
		poke(spoilt[spoilt_count].address, spoilt[spoilt_count].value);
	}
}

/* Words as they might stand on a stack: of code, of itself, and any. */
static void scramble(uint64_t stack)
{
	const uint64_t code = (uint64_t)(uintptr_t)&scramble, library = (uint64_t)(uintptr_t)&read;

	for (int i = 0; stack && i < 64; i++) {
		const uint64_t address = stack + 8 * any(1024);
		const uint64_t values[] = {code + any(4096),  library + any(1 << 16),
					   stack + any(8192), stack + 8192 - 8 * any(64),
					   any(1 << 20),      hole};

		poke(address, values[any(sizeof values / sizeof *values)]);
	}
}

static void *vandal(void *until)
{
	rest(30000);
	read_maps();
	find_words();
	while (seconds() < *(double *)until) {
		spoil();
		scramble(scrambled[0]);
		scramble(scrambled[1]);
		rest((long)(1000 + any(30000)));
		put_back();
		rest((long)any(2000));
	}
	(void)!write(STDOUT_FILENO, "done\n", 5);
	_exit(0);
}

/* Neither needs its stack. The second has none: its stack pointer is anything. */
static void no_stack(int way)
{
	static const uint64_t nowhere[] = {0, 8, UINT64_C(0x7fffffffe000), UINT64_C(0x800000000000),
					   UINT64_MAX - 7};
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~UINT64_C(15);

	scrambled[way] = here;
	if (way == 0) {
#if defined __x86_64__
		__asm__ volatile("1: pause; jmp 1b");
#else
		__asm__ volatile("1: yield; b 1b");
#endif
	}
	uint64_t sp = any(3) ? nowhere[any(5)] : any(2) ? hole : here;
#if defined __x86_64__
	__asm__ volatile("mov %0, %%rsp; mov %0, %%rbp; 1: pause; jmp 1b" : : "r"(sp));
#else
	__asm__ volatile("mov sp, %0; 1: yield; b 1b" : : "r"(sp & ~UINT64_C(15)));
#endif
}

/* As deep as stacks are. */
static __attribute__((noinline)) void deeper(int depth, int way)
{
	volatile char room[64];

	room[depth % 64] = 1;
	if (depth)
		deeper(depth - 1, way);
	else
		no_stack(way);
	sink = sink + room[depth % 64];
}

static void work(long turns)
{
	for (long i = 0; i < turns; i++)
		sink = sink + 1;
}

/* Begins regions of its own. */
static void *other_root(void *nothing)
{
	take_other_stack();
	for (;;) {
#pragma omp parallel num_threads(2)
		{
			take_other_stack();
			work(20000);
#pragma omp barrier
		}
	}
	return nothing;
}

/* What tells how to unwind them fills pages in which nothing else is. */
#define ONE(n)                                                                                     \
	__attribute__((used, noinline)) static void filler##n(void)                                \
	{                                                                                          \
		__asm__ volatile("");                                                              \
	}
#define FOUR(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)
#define SIXTEEN(n) FOUR(n##0) FOUR(n##1) FOUR(n##2) FOUR(n##3)
#define SIXTY_FOUR(n) SIXTEEN(n##0) SIXTEEN(n##1) SIXTEEN(n##2) SIXTEEN(n##3)
SIXTY_FOUR(0)
SIXTY_FOUR(1)
SIXTY_FOUR(2)
SIXTY_FOUR(3)
SIXTY_FOUR(4)
SIXTY_FOUR(5)

static int find_frames(struct dl_phdr_info *info, size_t size, void *ret)
{
	struct range *range = ret;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && !info->dlpi_name[0]; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_GNU_EH_FRAME)
			continue;
		range->start = info->dlpi_addr + header->p_vaddr;
		for (int k = 0; k < info->dlpi_phnum; k++) {
			const ElfW(Phdr) *load = &info->dlpi_phdr[k];

			if (load->p_type == PT_LOAD && header->p_vaddr >= load->p_vaddr &&
			    header->p_vaddr < load->p_vaddr + load->p_memsz)
				range->end = info->dlpi_addr + load->p_vaddr + load->p_memsz;
		}
	}
	return info->dlpi_name[0] != 0;
}

static void spoil_frames(void)
{
	struct range frames = {0, 0, 0};
	char path[4096];
	ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);

	path[count > 0 ? count : 0] = 0;
	unlink(path);
	dl_iterate_phdr(find_frames, &frames);
	const uint64_t first = frames.start & ~(PAGE - 1), size = frames.end - first;

	if (!frames.start || mprotect((void *)first, size, PROT_READ | PROT_WRITE))
		return;
	for (uint64_t i = 0, changes = UINT64_C(1) << any(10); i < changes; i++)
		((uint8_t *)frames.start)[any(any(2) ? 64 : frames.end - frames.start)] =
			(uint8_t)any(256);
	const uint64_t own = (frames.start + PAGE - 1) & ~(PAGE - 1),
		       pages = (frames.end - own) / PAGE;

	if (pages && any(3) == 0)
		munmap((void *)(own + PAGE * any(pages)), PAGE);
	else if (pages && any(3) == 0)
		mprotect((void *)own, pages * PAGE, PROT_NONE);
}

int main(int argc, char **argv)
{
	static double until;
	pthread_attr_t attributes;
	pthread_t thread;
	omp_lock_t lock;

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	until = seconds() + (argc > 2 ? atof(argv[2]) : 1);
	alarm((unsigned)(until - seconds()) + 10);
	take_stumbles();
	take_other_stack();
	hole = (uint64_t)(uintptr_t)mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
					 0);
	void *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	own_stack = (uint64_t)(uintptr_t)stack;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK_BYTES);
	omp_init_lock(&lock);
	if (argc > 3)
		spoil_frames();
	(void)!write(STDOUT_FILENO, "ready\n", 6);
	pthread_create(&thread, &attributes, vandal, &until);
	pthread_create(&thread, NULL, other_root, NULL);
#pragma omp parallel num_threads(6)
	{
		take_other_stack();
		switch (omp_get_thread_num()) {
		case 2:
			deeper(20, 0);
			break;
		case 3:
			deeper(3, 1);
			break;
		case 4: {
#pragma omp barrier
			break;
		}
		default:
			for (;;) {
				omp_set_lock(&lock);
				work(3000);
				omp_unset_lock(&lock);
#pragma omp critical(shared)
				work(3000);
#pragma omp task
				work(3000);
#pragma omp taskwait
			}
		}
	}
	return 1;
}
