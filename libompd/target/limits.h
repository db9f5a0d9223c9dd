/* SPDX-License-Identifier: Apache-2.0
 *
 * The bound of every walk over the target's memory. Whatever the target says, no loop runs longer.
 */
#ifndef TARGET_LIMITS_H
#define TARGET_LIMITS_H

/* Loaded objects of a process; large MPI programs with plugins load several hundred. */
#define LINK_MAP_MAX 8192
/* Namespaces of dlmopen: glibc has 16. */
#define LINK_NAMESPACES_MAX 64
/* Pages before the tables of an image that are searched for its ELF header, where it does not lie at the load
 * bias: linkers put the tables right behind the headers. */
#define HEADER_PAGES_MAX 256
/* The same of all images of a process together: the headers of most lie at their load biases. */
#define ALL_HEADER_PAGES_MAX 4096
/* Text of all images' paths together. */
#define IMAGES_TEXT_MAX (16 * 1024 * 1024)
/* Longest path of an image: PATH_MAX. */
#define LINK_PATH_MAX 4096
/* Program headers of an image: a dozen in practice. */
#define PROGRAM_HEADERS_MAX 64
/* Entries of a dynamic section: some thirty in practice. */
#define DYNAMIC_ENTRIES_MAX 256
/* Words of a GNU hash table before its chains: libomp has 1,300 exports and 2,500 words. */
#define HASH_WORDS_MAX 65536
/* Symbols of one hash chain. */
#define HASH_CHAIN_MAX 1024
/* What asking all loaded objects for names may cost: reads, and KiB beyond them. A thousand objects with a
 * hash table of 20 KiB each cost a tenth. */
#define NAMES_COST_MAX (256 * 1024)
/* Definitions of symbol versions in an image: libgomp has three dozen, glibc as many. */
#define IMAGE_VERSIONS_MAX 256
/* Symbols of an image that are listed: libomp exports 1,300, a program as many as the user makes it. */
#define IMAGE_SYMBOLS_MAX 65536
/* Relocations of an image that are looked at: libgomp has 300. */
#define RELOCATIONS_MAX 8192
/* Longest symbol name that we ask for. */
#define SYMBOL_NAME_MAX 128
/* Writable data searched for the descriptors of a stripped runtime: libomp has 41 to 68 KiB. */
#define RECOVERY_BYTES_MAX (192 * 1024)
/* Of a program that a runtime may be linked into, the end of its data is searched. */
#define EMBEDDED_BYTES_MAX (1024 * 1024)
/* Candidates looked at when the thread array has to be searched for: in libomp 14 to 19 it is the 300th. */
#define RECOVERY_CANDIDATES_MAX 1024
/* Threads of a runtime: libomp's own limit for its thread array is KMP_MAX_NTH, INT_MAX; the kernel's is lower. */
#define THREADS_MAX 131072
/* Of a pthread's structure: in glibc 2.36 what it was created with stands in words 200 and 201 on 64 bit. */
#define PTHREAD_WORDS 224
/* Teams enclosing each other. Every one costs the target a thread or a stack frame. */
#define TEAM_DEPTH_MAX 4096
/* Nested serialized regions kept in one team. */
#define SERIAL_DEPTH_MAX 65536
/* Largest structure that is read whole. */
#define STRUCTURE_BYTES_MAX 4096
/* What a compiler records of a construct: file, function, line. */
#define SOURCE_LENGTH_MAX 2048
/* Regions of one view, and steps of all its threads' chains: a thousand threads, each alone in a region
 * nested a thousand deep. */
#define VIEW_REGIONS_MAX (1024 * 1024)
#define VIEW_LEVELS_MAX (4 * 1024 * 1024)
#define VIEW_MEMBERS_MAX (4 * 1024 * 1024)
/* Loops nested in a doacross loop: a program writes each. */
#define DOACROSS_DIMENSIONS_MAX 64
/* Explicit tasks: a million take libomp 400 MB. */
#define TASKS_MAX (1024 * 1024)
/* Queues, places in them and dependences that are looked at, wherever they lead: a task is in one queue, and
 * few others wait for it. */
#define TASK_STEPS_MAX (2 * 1024 * 1024)
/* Locks: a million take libomp 200 MB. */
#define LOCKS_MAX (1024 * 1024)
/* Locks that are looked at, of which no variable is known: each costs a read. */
#define LOCKS_READ_MAX (64 * 1024)
/* Tables of locks: each has twice the rows of the one before it. */
#define LOCK_TABLES_MAX 32
/* Lists of tasks by priority; OMP_MAX_TASK_PRIORITY is small in practice. */
#define PRIORITIES_MAX 4096
/* Items that a user gave for nesting levels. */
#define NESTED_LIST_MAX 1024
/* Items of an ICV that is a list: one per nesting level, or per place. */
#define ICV_ITEMS_MAX 65536
/* Longest string of an ICV: a list of as many items. */
#define ICV_TEXT_MAX (1024 * 1024)
/* Text of all threads' ICVs together: they have 150 bytes each, and a list of places where they are bound. */
#define ICV_TABLE_TEXT_MAX (64 * 1024 * 1024)
/* Variables of the environment, or arguments: the kernel lets a program start with more of the shortest only. */
#define ENVIRONMENT_MAX (16 * 1024)
/* Arguments and environment together: a quarter of 8 MiB of stack. */
#define ENVIRONMENT_PAGES_MAX 512
/* Longest string that a user gave a runtime in an environment variable. */
#define SETTING_LENGTH_MAX 4096
/* Blocks of the target's memory that are remembered, 64 MiB: a thousand threads have 12. */
#define MEMORY_BLOCKS_MAX (16 * 1024)
/* Text of all constructs together. */
#define VIEW_TEXT_MAX (16 * 1024 * 1024)
/* Depth of a balanced tree: twice the logarithm of its nodes. */
#define TREE_DEPTH_MAX 64
/* Of an offload runtime. Its writable data, which is searched: LLVM's has 30 to 285 KiB. */
#define OFFLOAD_BYTES_MAX (1024 * 1024)
/* Devices: a node has a dozen, each in a few parts. */
#define OFFLOAD_DEVICES_MAX 512
/* Programs and libraries with code for devices, and what they have registered. */
#define OFFLOAD_LIBRARIES_MAX 4096
#define OFFLOAD_ENTRIES_MAX 65536
/* Mappings of all devices together: so many take libomptarget 60 to 200 MB. */
#define OFFLOAD_MAPPINGS_MAX (256 * 1024)

#endif /* TARGET_LIMITS_H */
