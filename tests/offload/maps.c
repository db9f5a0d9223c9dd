/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps and unmaps at random and keeps its own account of what is mapped where: maps SEED STEPS HOW FILE. At the end it
 * writes the account to FILE, which is there at once or not, and then, by HOW: "wait"s; "abort"s; "dump"s: has the
 * runtime print its own tables, and waits; "extend"s what is mapped, which fails: the runtime prints the tables that it is
 * told to, and aborts; "lock" and a number: maps once more, and waits in the so many-th call of
 * operator new, which libomptarget makes with its table's lock held (compiled with COUNT_NEW).
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFERS = 48, BYTES_MAX = 4000, DEVICES_MAX = 8, NEVER = -1 };
enum { LIFE_SECONDS = 900 }; /* what outlives its test must not stay */

/* One on each device that is used, for ever. */
#pragma omp declare target
int declared[25];
#pragma omp end declare target

/* One that may be mapped. */
struct buffer {
	char *start;
	int first, bytes; /* which part of it is mapped, as long as it is */
	int count[DEVICES_MAX];
	void *associated[DEVICES_MAX];
};

static struct buffer buffers[BUFFERS];
static int used[DEVICES_MAX];
static int devices;
static char *held;
static FILE *account;
static int written;

/* From libomptarget 19 on. */
extern void ompx_dump_mapping_tables(void) __attribute__((weak));

static char unfinished[4096];
static const char *finished;
static int calls_left = -1; /* of operator new; -1: they are not counted */

static void show_account(void)
{
	rename(unfinished, finished);
}

#ifdef COUNT_NEW
/* C++'s operator new (unsigned long), which the libraries call too. */
void *_Znwm(size_t size);
void *_Znwm(size_t size)
{
	if (calls_left >= 0 && calls_left-- == 0) {
		show_account();
		pause();
	}
	return malloc(size ? size : 1);
}
#endif

static unsigned next(unsigned bound)
{
	return (unsigned)random() % bound;
}

static void *on_device(char *host, int device)
{
	char *translated = host;

#pragma omp target data use_device_ptr(translated) device(device)
	held = translated;
	return held;
}

static void write_mapping(int device, char *begin, int bytes, int dynamic, int hold, void *target,
			  const char *variable)
{
	fprintf(account,
		"%s\n  {\"device\": %d, \"begin\": %lu, \"end\": %lu, \"dynamic\": %d, \"hold\": "
		"%d, ",
		written++ ? "," : "", device, (unsigned long)(uintptr_t)begin,
		(unsigned long)(uintptr_t)(begin + bytes), dynamic, hold);
	fprintf(account, "\"target\": %lu, \"variable\": \"%s\"}", (unsigned long)(uintptr_t)target,
		variable);
}

static void enter(struct buffer *buffer, int device)
{
	char *part = buffer->start + buffer->first;
	const int bytes = buffer->bytes;

#pragma omp target enter data map(to : part [0:bytes]) device(device)
	buffer->count[device]++;
	used[device] = 1;
}

static void leave(struct buffer *buffer, int device)
{
	char *part = buffer->start + buffer->first;
	const int bytes = buffer->bytes;

	if (next(8) == 0) {
#pragma omp target exit data map(delete : part [0:bytes]) device(device)
		buffer->count[device] = 0;
	} else {
#pragma omp target exit data map(from : part [0:bytes]) device(device)
		buffer->count[device]--;
	}
}

static void associate(struct buffer *buffer, int device)
{
	void *target = omp_target_alloc((size_t)buffer->bytes, device);

	if (target && omp_target_associate_ptr(buffer->start + buffer->first, target,
					       (size_t)buffer->bytes, 0, device) == 0) {
		buffer->count[device] = NEVER;
		buffer->associated[device] = target;
	}
}

static int is_free(const struct buffer *buffer)
{
	for (int i = 0; i < devices; i++)
		if (buffer->count[i])
			return 0;
	return 1;
}

static void step(void)
{
	struct buffer *buffer = &buffers[next(BUFFERS)];
	const int device = (int)next((unsigned)devices);

	if (is_free(buffer)) {
		buffer->bytes = 1 + (int)next(BYTES_MAX - 1);
		buffer->first = (int)next((unsigned)(BYTES_MAX - buffer->bytes) + 1);
	}
	if (buffer->count[device] == NEVER)
		return;
	if (buffer->count[device] == 0 && next(10) == 0)
		associate(buffer, device);
	else if (buffer->count[device] == 0 || next(3) == 0)
		enter(buffer, device);
	else
		leave(buffer, device);
}

static void write_all(const char *hold_begin, int hold_bytes, int hold_device, const char *path)
{
	finished = path;
	snprintf(unfinished, sizeof(unfinished), "%s.unfinished", path);
	account = fopen(unfinished, "w");
	if (!account)
		exit(2);
	fprintf(account,
		"{\"pid\": %d, \"devices\": %d, \"initial\": %d, \"default\": %d, \"declared\": "
		"%lu, \"mappings\": [",
		(int)getpid(), omp_get_num_devices(), omp_get_initial_device(),
		omp_get_default_device(), (unsigned long)(uintptr_t)declared);
	for (int i = 0; i < BUFFERS; i++)
		for (int d = 0; d < devices; d++)
			if (buffers[i].count[d])
				write_mapping(d, buffers[i].start + buffers[i].first,
					      buffers[i].bytes, buffers[i].count[d], 0,
					      on_device(buffers[i].start + buffers[i].first, d),
					      buffers[i].count[d] == NEVER ? "" : "part[0:bytes]");
	write_mapping(hold_device, (char *)(uintptr_t)hold_begin, hold_bytes, 1, 0,
		      on_device((char *)(uintptr_t)hold_begin, hold_device), "scoped[0:bytes]");
	for (int d = 0; d < devices; d++)
		if (used[d])
			write_mapping(d, (char *)declared, sizeof(declared), NEVER, 0,
				      on_device((char *)declared, d), "");
	fprintf(account, "\n]}\n");
	fclose(account);
}

static void end(const char *how, char *scoped, int bytes, int device)
{
	if (strncmp(how, "lock", 4) == 0) {
		calls_left = atoi(how + 4);
#pragma omp target enter data map(to : scoped [BYTES_MAX:BYTES_MAX]) device(0)
		exit(4); /* it was not called so often */
	}
	if (strcmp(how, "dump") == 0 && ompx_dump_mapping_tables) {
		ompx_dump_mapping_tables();
		fflush(NULL);
	}
	show_account();
	if (strcmp(how, "extend") == 0) {
#pragma omp target enter data map(to : scoped [0:bytes + 1]) device(device)
		exit(5); /* it did not fail */
	}
	if (strcmp(how, "abort") == 0)
		abort();
	pause();
}

int main(int argc, char **argv)
{
	char *scoped = malloc(2 * BYTES_MAX);
	int device, bytes;

	if (argc < 5)
		return 2;
	alarm(LIFE_SECONDS);
	srandom((unsigned)atoi(argv[1]));
	devices = omp_get_num_devices();
	if (devices > DEVICES_MAX)
		devices = DEVICES_MAX;
	if (devices == 0)
		return 3;
	for (int i = 0; i < BUFFERS; i++)
		buffers[i].start = calloc(1, BYTES_MAX);
	for (int i = atoi(argv[2]); i > 0; i--)
		step();
	device = (int)next((unsigned)devices);
	bytes = 1 + (int)next(BYTES_MAX - 1);
#pragma omp target data map(tofrom : scoped [0:bytes]) device(device)
	{
		used[device] = 1;
#pragma omp target device(device)
		declared[0]++;
		write_all(scoped, bytes, device, argv[4]);
		end(argv[3], scoped, bytes, device);
	}
	return 0;
}
