/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA driver without a GPU, by the names and numbers of NVIDIA's documented interface: LLVM's CUDA plugin loads it
 * as libcuda.so.1. Memory of a device is at addresses where the process has nothing; kernels do nothing for a while.
 *
 * Environment: FAKE_DRIVER_DEVICES  how many (2)
 *              FAKE_DRIVER_RUN_MS   how long a kernel runs; -1: for ever (0)
 *              FAKE_DRIVER_FAIL     the so many-th launch fails when it is waited for, counted from 1; 0: none
 *              FAKE_DRIVER_STUCK    copies to a device of so many bytes never end; 0: none
 */
#define _GNU_SOURCE
#include <elf.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef int result;
typedef uint64_t device_address;

enum {
	OK = 0,
	INVALID = 1,
	NO_MEMORY = 2,
	NO_DEVICE = 100,
	NOT_FOUND = 500,
	NOT_READY = 600,
	LAUNCH_FAILED = 719
};
#define FIRST UINT64_C(0x200000000000)
#define SPACE (UINT64_C(1) << 30)

#define DRIVER(name, ...)                                                                          \
	result name(__VA_ARGS__);                                                                  \
	__attribute__((visibility("default"))) result name(__VA_ARGS__)
/* The same under the name that newer headers give it. */
#define ALSO_V2(name)                                                                              \
	extern __typeof__(name) name##_v2 __attribute__((alias(#name), visibility("default")));

struct stream {
	int running, fails;
	struct timespec until;
};

static char *memory; /* what stands for the devices' */
static device_address next_block = FIRST;
static int launches;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;
static __thread int current_device;

static long setting(const char *name, long usual)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : usual;
}

static char *host_of(device_address address)
{
	return memory && address >= FIRST && address - FIRST < SPACE ? memory + (address - FIRST)
								     : NULL;
}

DRIVER(cuInit, unsigned flags)
{
	(void)flags;
	if (setting("FAKE_DRIVER_DEVICES", 2) == 0)
		return NO_DEVICE;
	memory = mmap(NULL, SPACE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NO_MEMORY;
	madvise(memory, SPACE, MADV_DONTDUMP); /* no core file has a GPU's */
	return OK;
}

/* ---- Devices and contexts: a context is its device's number, counted from 1 --------------------- */

DRIVER(cuDeviceGetCount, int *count)
{
	*count = (int)setting("FAKE_DRIVER_DEVICES", 2);
	return OK;
}

DRIVER(cuDeviceGet, int *device, int number)
{
	*device = number;
	return OK;
}

DRIVER(cuDeviceGetName, char *name, int size, int device)
{
	(void)device;
	strncpy(name, "a GPU that is none", (size_t)size);
	return OK;
}

DRIVER(cuDeviceTotalMem, size_t *size, int device)
{
	(void)device;
	*size = SPACE;
	return OK;
}
ALSO_V2(cuDeviceTotalMem)

DRIVER(cuDeviceGetUuid, char *uuid, int device)
{
	memset(uuid, device + 1, 16);
	return OK;
}
ALSO_V2(cuDeviceGetUuid)

/* Of CUdevice_attribute what the plugin divides by or sizes things with. */
DRIVER(cuDeviceGetAttribute, int *value, int attribute, int device)
{
	static const struct {
		int attribute, value;
	} known[] = {{1, 1024},  {2, 1024},  {3, 1024},  {4, 64},  {5, 65535},
		     {6, 65535}, {7, 65535}, {8, 49152}, {10, 32}, {16, 108},
		     {39, 2048}, {75, 8},    {76, 0}};

	(void)device;
	*value = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].attribute == attribute)
			*value = known[i].value;
	return OK;
}

DRIVER(cuDriverGetVersion, int *version)
{
	*version = 12000;
	return OK;
}

DRIVER(cuGetErrorString, int error, const char **text)
{
	*text = error == LAUNCH_FAILED ? "the fake driver was asked to fail"
				       : "the fake driver's error";
	return OK;
}

DRIVER(cuGetErrorName, int error, const char **text)
{
	return cuGetErrorString(error, text);
}

DRIVER(cuDevicePrimaryCtxRetain, void **context, int device)
{
	*context = (void *)(intptr_t)(device + 1);
	return OK;
}

DRIVER(cuDevicePrimaryCtxRelease, int device)
{
	(void)device;
	return OK;
}
ALSO_V2(cuDevicePrimaryCtxRelease)

DRIVER(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active)
{
	(void)device;
	*flags = 0;
	*active = 0;
	return OK;
}

DRIVER(cuDevicePrimaryCtxSetFlags, int device, unsigned flags)
{
	(void)device;
	(void)flags;
	return OK;
}
ALSO_V2(cuDevicePrimaryCtxSetFlags)

DRIVER(cuCtxGetDevice, int *device)
{
	*device = current_device;
	return OK;
}

DRIVER(cuCtxSetCurrent, void *context)
{
	current_device = (int)(intptr_t)context - 1;
	return OK;
}

DRIVER(cuCtxGetCurrent, void **context)
{
	*context = (void *)(intptr_t)(current_device + 1);
	return OK;
}

DRIVER(cuCtxGetLimit, size_t *value, int limit)
{
	(void)limit;
	*value = 1 << 20;
	return OK;
}

DRIVER(cuCtxSetLimit, int limit, size_t value)
{
	(void)limit;
	(void)value;
	return OK;
}

DRIVER(cuDeviceCanAccessPeer, int *can, int device, int peer)
{
	(void)device;
	(void)peer;
	*can = 0;
	return OK;
}

DRIVER(cuCtxEnablePeerAccess, void *context, unsigned flags)
{
	(void)context;
	(void)flags;
	return INVALID;
}

/* ---- Memory: each block once ------------------------------------------------------------------- */

DRIVER(cuMemAlloc, device_address *block, size_t size)
{
	pthread_mutex_lock(&mutex);
	*block = next_block;
	next_block += (size + 511) / 512 * 512;
	pthread_mutex_unlock(&mutex);
	return *block + size <= FIRST + SPACE ? OK : NO_MEMORY;
}
ALSO_V2(cuMemAlloc)

DRIVER(cuMemAllocAsync, device_address *block, size_t size, void *stream)
{
	(void)stream;
	return cuMemAlloc(block, size);
}

DRIVER(cuMemFree, device_address block)
{
	(void)block;
	return OK;
}
ALSO_V2(cuMemFree)

DRIVER(cuMemFreeAsync, device_address block, void *stream)
{
	(void)block;
	(void)stream;
	return OK;
}

DRIVER(cuMemAllocHost, void **block, size_t size)
{
	*block = malloc(size);
	return OK;
}
ALSO_V2(cuMemAllocHost)

DRIVER(cuMemAllocManaged, device_address *block, size_t size, unsigned flags)
{
	(void)flags;
	*block = (device_address)(uintptr_t)malloc(size);
	return OK;
}

DRIVER(cuMemFreeHost, void *block)
{
	free(block);
	return OK;
}

DRIVER(cuMemHostGetDevicePointer, device_address *address, void *block, unsigned flags)
{
	(void)flags;
	*address = (device_address)(uintptr_t)block;
	return OK;
}
ALSO_V2(cuMemHostGetDevicePointer)

DRIVER(cuMemHostRegister, void *block, size_t size, unsigned flags)
{
	(void)block;
	(void)size;
	(void)flags;
	return OK;
}
ALSO_V2(cuMemHostRegister)

DRIVER(cuMemHostUnregister, void *block)
{
	(void)block;
	return OK;
}

DRIVER(cuPointerGetAttribute, void *data, int attribute, device_address address)
{
	(void)data;
	(void)attribute;
	(void)address;
	return INVALID;
}

DRIVER(cuMemGetInfo, size_t *unused, size_t *all)
{
	*unused = *all = SPACE;
	return OK;
}
ALSO_V2(cuMemGetInfo)

DRIVER(cuMemcpyHtoD, device_address to, const void *from, size_t size)
{
	if (!host_of(to))
		return INVALID;
	while (size && size == (size_t)setting("FAKE_DRIVER_STUCK", 0))
		pause();
	memcpy(host_of(to), from, size);
	return OK;
}
ALSO_V2(cuMemcpyHtoD)

DRIVER(cuMemcpyDtoH, void *to, device_address from, size_t size)
{
	if (!host_of(from))
		return INVALID;
	memcpy(to, host_of(from), size);
	return OK;
}
ALSO_V2(cuMemcpyDtoH)

DRIVER(cuMemcpyHtoDAsync, device_address to, const void *from, size_t size, void *stream)
{
	(void)stream;
	return cuMemcpyHtoD(to, from, size);
}
ALSO_V2(cuMemcpyHtoDAsync)

DRIVER(cuMemcpyDtoHAsync, void *to, device_address from, size_t size, void *stream)
{
	(void)stream;
	return cuMemcpyDtoH(to, from, size);
}
ALSO_V2(cuMemcpyDtoHAsync)

DRIVER(cuMemcpyDtoDAsync, device_address to, device_address from, size_t size, void *stream)
{
	(void)stream;
	if (!host_of(to) || !host_of(from))
		return INVALID;
	memmove(host_of(to), host_of(from), size);
	return OK;
}
ALSO_V2(cuMemcpyDtoDAsync)

DRIVER(cuMemcpyPeerAsync, device_address to, void *there, device_address from, void *here,
       size_t size, void *stream)
{
	(void)there;
	(void)here;
	return cuMemcpyDtoDAsync(to, from, size, stream);
}

/* ---- Code: an image is the program's, and is looked into for its symbols ------------------------ */

static const Elf64_Sym *symbol_of(const char *image, const char *name)
{
	const Elf64_Ehdr *header = (const void *)image;
	const Elf64_Shdr *sections = (const void *)(image + header->e_shoff);

	for (unsigned i = 0; i < header->e_shnum; i++) {
		const Elf64_Sym *symbols = (const void *)(image + sections[i].sh_offset);
		const char *names = image + sections[sections[i].sh_link].sh_offset;

		if (sections[i].sh_type != SHT_SYMTAB && sections[i].sh_type != SHT_DYNSYM)
			continue;
		for (size_t k = 0; k < sections[i].sh_size / sizeof(*symbols); k++)
			if (symbols[k].st_shndx && strcmp(names + symbols[k].st_name, name) == 0)
				return &symbols[k];
	}
	return NULL;
}

DRIVER(cuModuleLoadDataEx, void **module, const void *image, unsigned count, void *options,
       void *values)
{
	(void)count;
	(void)options;
	(void)values;
	*module = (void *)(uintptr_t)image;
	return OK;
}

DRIVER(cuModuleLoadData, void **module, const void *image)
{
	return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

DRIVER(cuModuleUnload, void *module)
{
	(void)module;
	return OK;
}

DRIVER(cuModuleGetFunction, void **function, void *module, const char *name)
{
	const Elf64_Sym *symbol = symbol_of(module, name);

	*function = (void *)(uintptr_t)symbol;
	return symbol ? OK : NOT_FOUND;
}

/* Each time it is asked for a variable gets a place of its own: the plugin asks once. */
DRIVER(cuModuleGetGlobal, device_address *address, size_t *size, void *module, const char *name)
{
	const Elf64_Sym *symbol = symbol_of(module, name);
	device_address block = 0;

	if (!symbol)
		return NOT_FOUND;
	if (address && cuMemAlloc(&block, symbol->st_size) != OK)
		return NO_MEMORY;
	if (address)
		*address = block;
	if (size)
		*size = symbol->st_size;
	return OK;
}
ALSO_V2(cuModuleGetGlobal)

DRIVER(cuFuncGetAttribute, int *value, int attribute, void *function)
{
	(void)function;
	*value = attribute == 0 ? 1024 : 0;
	return OK;
}

DRIVER(cuFuncSetAttribute, void *function, int attribute, int value)
{
	(void)function;
	(void)attribute;
	(void)value;
	return OK;
}

/* ---- Streams and events: what is asked of a stream has happened, but for kernels --------------- */

DRIVER(cuStreamCreate, void **stream, unsigned flags)
{
	(void)flags;
	*stream = calloc(1, sizeof(struct stream));
	return OK;
}

DRIVER(cuStreamDestroy, void *stream)
{
	free(stream);
	return OK;
}
ALSO_V2(cuStreamDestroy)

DRIVER(cuLaunchKernel, void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *queue,
       void **arguments, void **extra)
{
	const long run = setting("FAKE_DRIVER_RUN_MS", 0);
	struct stream *stream = queue;

	(void)function;
	(void)grid_x, (void)grid_y, (void)grid_z;
	(void)block_x, (void)block_y, (void)block_z;
	(void)shared, (void)arguments, (void)extra;
	pthread_mutex_lock(&mutex);
	stream->running = 1;
	stream->fails = ++launches == setting("FAKE_DRIVER_FAIL", 0);
	clock_gettime(CLOCK_REALTIME, &stream->until);
	stream->until.tv_sec += run < 0 ? 1 << 28 : run / 1000;
	stream->until.tv_nsec += run < 0 ? 0 : run % 1000 * 1000000;
	if (stream->until.tv_nsec >= 1000000000) {
		stream->until.tv_sec++;
		stream->until.tv_nsec -= 1000000000;
	}
	pthread_mutex_unlock(&mutex);
	return OK;
}

static int is_over(const struct stream *stream)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > stream->until.tv_sec ||
	       (now.tv_sec == stream->until.tv_sec && now.tv_nsec >= stream->until.tv_nsec);
}

DRIVER(cuStreamSynchronize, void *queue)
{
	struct stream *stream = queue;
	result answer;

	pthread_mutex_lock(&mutex);
	while (stream->running && !is_over(stream))
		pthread_cond_timedwait(&never_signalled, &mutex, &stream->until);
	answer = stream->running && stream->fails ? LAUNCH_FAILED : OK;
	stream->running = 0;
	pthread_mutex_unlock(&mutex);
	return answer;
}

DRIVER(cuStreamQuery, void *queue)
{
	struct stream *stream = queue;
	result answer = OK;

	pthread_mutex_lock(&mutex);
	if (stream->running && !is_over(stream))
		answer = NOT_READY;
	else if (stream->running && stream->fails)
		answer = LAUNCH_FAILED;
	else
		stream->running = 0;
	pthread_mutex_unlock(&mutex);
	return answer;
}

DRIVER(cuEventCreate, void **event, unsigned flags)
{
	(void)flags;
	*event = malloc(1);
	return OK;
}

DRIVER(cuEventDestroy, void *event)
{
	free(event);
	return OK;
}
ALSO_V2(cuEventDestroy)

DRIVER(cuEventRecord, void *event, void *stream)
{
	(void)event;
	(void)stream;
	return OK;
}

DRIVER(cuEventQuery, void *event)
{
	(void)event;
	return OK;
}

DRIVER(cuEventSynchronize, void *event)
{
	(void)event;
	return OK;
}

DRIVER(cuStreamWaitEvent, void *stream, void *event, unsigned flags)
{
	(void)stream;
	(void)event;
	(void)flags;
	return OK;
}

/* ---- What the plugin looks up and these tests never come to ------------------------------------ */

#define NEVER_CALLED(name)                                                                         \
	DRIVER(name, void)                                                                         \
	{                                                                                          \
		return INVALID;                                                                    \
	}

NEVER_CALLED(cuMemUnmap)
NEVER_CALLED(cuMemRelease)
NEVER_CALLED(cuMemAddressFree)
NEVER_CALLED(cuMemAddressReserve)
NEVER_CALLED(cuMemMap)
NEVER_CALLED(cuMemCreate)
NEVER_CALLED(cuMemSetAccess)
NEVER_CALLED(cuMemGetAllocationGranularity)
NEVER_CALLED(cuModuleGetLoadingMode)
NEVER_CALLED(cuModuleGetFunctionCount)
NEVER_CALLED(cuOccupancyMaxPotentialBlockSize)
NEVER_CALLED(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NEVER_CALLED(cuLaunchHostFunc)
NEVER_CALLED(cuStreamAddCallback)
NEVER_CALLED(cuMemsetD8Async)
NEVER_CALLED(cuMemsetD16Async)
NEVER_CALLED(cuMemsetD32Async)
NEVER_CALLED(cuMemsetD2D8Async)
NEVER_CALLED(cuMemsetD2D16Async)
NEVER_CALLED(cuMemsetD2D32Async)
NEVER_CALLED(cuMemPrefetchAsync)
NEVER_CALLED(cuEventElapsedTime)
NEVER_CALLED(cuPointerGetAttributes)
NEVER_CALLED(cuFuncGetParamInfo)
NEVER_CALLED(cuLaunchKernelEx)
NEVER_CALLED(cuGetProcAddress)
