/* SPDX-License-Identifier: Apache-2.0
 *
 * All threads sleep until another one wakes them, or so it seems. Scenarios marked HANGS never go on. The twins do, as
 * soon as a byte comes from stdin, or a timer's end, and say "went on": what wakes them is no thread of theirs that is
 * awake. One that this machine does not allow says "not here".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "scenarios.h"

#define SECONDS 3 /* of a timer: it must not end before it is looked at */
#define STACK 65536

static sem_t slots, never;
static int word;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_t first_thread;

static long futex(int *at, int operation, int value)
{
	return syscall(SYS_futex, at, operation, value, NULL, NULL, 0);
}

/* Of futex2: for one of two words. */
static void wait_for_one_of(int *a, int *b)
{
	const struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} words[] = {{0, (uintptr_t)a, 2 | FUTEX_PRIVATE_FLAG, 0}, {0, (uintptr_t)b, 2, 0}};

	syscall(449, words, 2, 0, NULL, 0);
}

static void wait_for(int *at, int operation)
{
	while (!__atomic_load_n(at, __ATOMIC_SEQ_CST))
		if (futex(at, operation, 0) && errno != EAGAIN && errno != EINTR)
			abort();
}

static void let_go(int *at, int operation)
{
	__atomic_store_n(at, 1, __ATOMIC_SEQ_CST);
	futex(at, operation, 64);
}

static void not_here(void)
{
	puts("not here");
	exit(0);
}

static void wait_for_byte(void)
{
	char byte;

	while (read(0, &byte, 1) < 0)
		;
}

/* Another process does it when the byte comes. */
static pid_t later(void (*act)(int), int argument)
{
	const pid_t made = fork();

	if (made)
		return made;
	wait_for_byte();
	act(argument);
	_exit(0);
}

static void post(int signal)
{
	(void)signal;
	sem_post(&slots);
}

static void nothing(int signal)
{
	(void)signal;
}

static void wait_for_post(void)
{
	while (sem_wait(&slots))
		;
}

static void handle(int number, void (*handler)(int))
{
	const struct sigaction action = {.sa_handler = handler};

	sigaction(number, &action, NULL);
}

/* So that the process has more than one thread. */
static void *sleep_for_ever(void *unused)
{
	while (sem_wait(&never))
		;
	return unused;
}

static pthread_t start(void *(*run)(void *), void *argument)
{
	pthread_t made;

	if (pthread_create(&made, NULL, run, argument))
		abort();
	return made;
}

static void *shared_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

/* ---- Nobody goes on any more --------------------------------------------------------------------- */

static void *take_back(void *mutexes)
{
	pthread_mutex_t *const *those = mutexes;

	pthread_mutex_lock(those[1]);
	post(0);
	pthread_mutex_lock(those[0]);
	return NULL;
}

static void take(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_t *const those[] = {a, b};

	pthread_mutex_lock(a);
	start(take_back, (void *)those);
	wait_for_post();
	pthread_mutex_lock(b);
}

static void mutexes(void)
{
	take(&one, &other);
}

/* A private futex in memory that others share: they cannot wake it. */
static void private_in_shared(void)
{
	pthread_mutex_t *const those = shared_page();

	pthread_mutex_init(&those[0], NULL);
	pthread_mutex_init(&those[1], NULL);
	take(&those[0], &those[1]);
}

/* And the other way round. */
static void shared_in_private(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&one, &attributes);
	pthread_mutex_init(&other, &attributes);
	take(&one, &other);
}

static void inheriting(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&one, &attributes);
	pthread_mutex_init(&other, &attributes);
	take(&one, &other);
}

static void missed_signal(void)
{
	static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

	pthread_cond_signal(&changed);
	pthread_mutex_lock(&one);
	pthread_cond_wait(&changed, &one);
}

static void *join_first(void *unused)
{
	pthread_join(first_thread, NULL);
	sleep_for_ever(NULL);
	return unused;
}

static void join_each(void)
{
	pthread_join(start(join_first, NULL), NULL);
}

static void first_has_ended(void)
{
	start(join_first, NULL);
	pthread_exit(NULL);
}

static void *come(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

static void barrier_of_three(void)
{
	static pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, 3);
	start(come, &barrier);
	come(&barrier);
}

static void one_of_two(void)
{
	wait_for_one_of(&word, &word);
}

static void fault_handlers(void)
{
	handle(SIGSEGV, nothing);
	handle(SIGFPE, nothing);
	mutexes();
}

static void no_child(void)
{
	handle(SIGCHLD, post);
	mutexes();
}

static void blocked_signal(void)
{
	sigset_t all;

	handle(SIGUSR1, post);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	mutexes();
}

static void in_region(void)
{
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1)
			wait_for_post();
#pragma omp barrier
	}
}

/* ---- A sleep that ends otherwise ----------------------------------------------------------------- */

static void limited(void)
{
	struct timespec end;

	start(sleep_for_ever, NULL);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += SECONDS;
	while (sem_timedwait(&slots, &end) && errno != ETIMEDOUT)
		;
}

static void pipe_read(void)
{
	start(sleep_for_ever, NULL);
	wait_for_byte();
}

static void *read_and_post(void *unused)
{
	wait_for_byte();
	post(0);
	return unused;
}

static void one_reads(void)
{
	start(read_and_post, NULL);
	wait_for_post();
}

static void send_usr1(int pid)
{
	kill(pid, SIGUSR1);
}

static void signal_wait(void)
{
	sigset_t wanted;
	int got;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGUSR1);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	start(sleep_for_ever, NULL);
	later(send_usr1, getpid());
	sigwait(&wanted, &got);
}

static void by_event(union sigval unused)
{
	(void)unused;
	post(0);
}

static void end_timer(struct sigevent *event)
{
	const struct itimerspec end = {.it_value = {SECONDS, 0}};
	timer_t made;

	if (timer_create(CLOCK_MONOTONIC, event, &made) || timer_settime(made, 0, &end, NULL))
		abort();
	wait_for_post();
}

static void timer_of_thread(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = by_event};

	end_timer(&event);
}

static void *wait_for_child(void *unused)
{
	if (vfork() == 0) {
		wait_for_byte();
		_exit(0);
	}
	post(0);
	return unused;
}

static void vforked(void)
{
	start(wait_for_child, NULL);
	wait_for_post();
}

/* Each wakes the other, and sleeps: at most looks one of them is asleep. */
static void *ping(void *self)
{
	static int turn;
	const int me = (int)(intptr_t)self;

	FOR_EVER
	{
		while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != me)
			futex(&turn, FUTEX_WAIT_PRIVATE, !me);
		__atomic_store_n(&turn, !me, __ATOMIC_SEQ_CST);
		futex(&turn, FUTEX_WAKE_PRIVATE, 1);
	}
	return NULL;
}

static void pingpong(void)
{
	start(ping, (void *)1);
	puts("went on");
	fflush(stdout);
	ping(NULL);
}

/* Another one answers in the kernel's place. */
static void supervised(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {4, code};
	struct seccomp_notif asked = {0};
	struct seccomp_notif_resp answer = {0};
	int listener;

	start(sleep_for_ever, NULL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (listener < 0)
		not_here();
	if (fork() == 0) {
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			_exit(1);
		wait_for_byte();
		answer.id = asked.id;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
		_exit(0);
	}
	futex(&word, FUTEX_WAIT_PRIVATE, 0);
}

/* ---- Other processes ----------------------------------------------------------------------------- */

static int *shared_word;

static void wake_shared(int unused)
{
	(void)unused;
	let_go(shared_word, FUTEX_WAKE);
}

static void shared(void)
{
	shared_word = shared_page();
	start(sleep_for_ever, NULL);
	later(wake_shared, 0);
	wait_for(shared_word, FUTEX_WAIT);
}

static void one_of_two_shared(void)
{
	shared_word = shared_page();
	start(sleep_for_ever, NULL);
	later(wake_shared, 0);
	while (!__atomic_load_n(shared_word, __ATOMIC_SEQ_CST))
		wait_for_one_of(&word, shared_word);
}

/* What has not been written is the file's still. */
static void read_only(void)
{
	const int file = memfd_create("word", 0);
	int *seen;

	if (ftruncate(file, 4096))
		abort();
	shared_word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	seen = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
	start(sleep_for_ever, NULL);
	later(wake_shared, 0);
	wait_for(seen, FUTEX_WAIT);
}

static int wake_by_memory(void *unused)
{
	(void)unused;
	wait_for_byte();
	let_go(&word, FUTEX_WAKE_PRIVATE);
	return 0;
}

static void same_memory(void)
{
	start(sleep_for_ever, NULL);
	if (clone(wake_by_memory, (char *)malloc(STACK) + STACK, CLONE_VM | SIGCHLD, NULL) < 0)
		abort();
	wait_for(&word, FUTEX_WAIT_PRIVATE);
}

/* It is no child any more. */
static void same_memory_of_orphan(void)
{
	start(sleep_for_ever, NULL);
	if (vfork() == 0) {
		clone(wake_by_memory, (char *)malloc(STACK) + STACK, CLONE_VM, NULL);
		_exit(0);
	}
	wait_for(&word, FUTEX_WAIT_PRIVATE);
}

static void traced(void)
{
	const pid_t self = getpid();

	start(sleep_for_ever, NULL);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	if (fork() == 0) {
		if (ptrace(PTRACE_SEIZE, self, NULL, NULL))
			_exit(1);
		wait_for_byte();
		ptrace(PTRACE_INTERRUPT, self, NULL, NULL);
		waitpid(self, NULL, 0);
		ptrace(PTRACE_POKEDATA, self, &word, (void *)1); /* as a debugger sets a variable */
		_exit(0);
	}
	wait_for(&word, FUTEX_WAIT_PRIVATE);
}

/* ---- Signals ------------------------------------------------------------------------------------- */

static void by_alarm(void)
{
	start(sleep_for_ever, NULL);
	handle(SIGALRM, post);
	alarm(SECONDS);
	wait_for_post();
}

static void by_signal(void)
{
	start(sleep_for_ever, NULL);
	handle(SIGUSR1, post);
	later(send_usr1, getpid());
	wait_for_post();
}

static void by_child(void)
{
	start(sleep_for_ever, NULL);
	handle(SIGCHLD, post);
	later(nothing, 0);
	wait_for_post();
}

/* Signals that only a thread's own work causes, else. */
static void by_timer(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};

	start(sleep_for_ever, NULL);
	handle(SIGPROF, post);
	end_timer(&event);
}

static int ends[2];

static void write_byte(int unused)
{
	(void)unused;
	if (write(ends[1], "x", 1) != 1)
		abort();
}

static void by_file(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	start(sleep_for_ever, NULL);
	handle(SIGSEGV, post);
	fcntl(ends[0], F_SETOWN, getpid());
	fcntl(ends[0], F_SETSIG, SIGSEGV);
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	later(write_byte, 0);
	wait_for_post();
}

/* ---- The kernel itself --------------------------------------------------------------------------- */

#ifdef WITH_RINGS /* whoever has the code may have made one */

static void *sleep_for_word(void *unused)
{
	futex(&word, FUTEX_WAIT_PRIVATE, 0); /* nobody changes it */
	puts("went on");
	exit(0);
	return unused;
}

/* A timer's end, and linked to it the waking of a word. hidden: without a file, in memory of the program's own. */
static void wake_by_ring(int hidden)
{
	static const struct {
		int64_t seconds, nanoseconds;
	} limit = {SECONDS, 0};
	struct io_uring_params asked = {.flags = hidden ? 1U << 14 | 1U << 15 : 0};
	char *ring = shared_page(), *entries = shared_page();
	struct io_uring_sqe *entry;
	unsigned *array;
	int file;

	if (hidden) {
		const uint64_t places[] = {(uintptr_t)entries, (uintptr_t)ring};

		memcpy((char *)&asked.sq_off + 32, &places[0], 8);
		memcpy((char *)&asked.cq_off + 32, &places[1], 8);
	}
	file = (int)syscall(SYS_io_uring_setup, 4, &asked);
	if (file < 0)
		not_here();
	if (!hidden) {
		ring = mmap(NULL, asked.sq_off.array + 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			    file, IORING_OFF_SQ_RING);
		entries =
			mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, IORING_OFF_SQES);
	}
	entry = (struct io_uring_sqe *)entries;
	memset(entry, 0, 2 * sizeof(*entry));
	entry[0].opcode = IORING_OP_TIMEOUT;
	entry[0].addr = (uintptr_t)&limit;
	entry[0].len = 1;
	entry[0].flags = IOSQE_IO_HARDLINK;
	entry[0].timeout_flags = 1 << 5; /* its end is a success */
	entry[1].opcode = 52;            /* FUTEX_WAKE, since Linux 6.7 */
	entry[1].addr = (uintptr_t)&word;
	entry[1].off = 1;
	memset((char *)&entry[1] + 48, 0xff, 4); /* any bit */
	entry[1].fd = 2 | FUTEX_PRIVATE_FLAG;
	array = (unsigned *)(ring + asked.sq_off.array);
	array[0] = 0;
	array[1] = 1;
	__atomic_store_n((unsigned *)(ring + asked.sq_off.tail), 2, __ATOMIC_RELEASE);
	start(sleep_for_word, NULL);
	if (syscall(SYS_io_uring_enter, file, 2, 0, hidden ? 1 << 4 : 0, NULL, 0) != 2)
		not_here();
	sleep_for_ever(NULL);
}

static void by_ring(void)
{
	wake_by_ring(0);
}

static void by_hidden_ring(void)
{
	wake_by_ring(1);
}
#endif

struct scenario {
	const char *name;
	void (*run)(void);
};

#define HANGS(name) TWIN(name)
#define TWIN(name)                                                                                 \
	{                                                                                          \
#name, name                                                                        \
	}

static const struct scenario scenarios[] = {
	HANGS(mutexes),
	HANGS(private_in_shared),
	HANGS(shared_in_private),
	HANGS(inheriting),
	HANGS(missed_signal),
	HANGS(join_each),
	HANGS(first_has_ended),
	HANGS(barrier_of_three),
	HANGS(one_of_two),
	HANGS(fault_handlers),
	HANGS(no_child),
	HANGS(blocked_signal),
	HANGS(in_region),
	TWIN(limited),
	TWIN(pipe_read),
	TWIN(one_reads),
	TWIN(signal_wait),
	TWIN(timer_of_thread),
	TWIN(vforked),
	TWIN(pingpong),
	TWIN(supervised),
	TWIN(shared),
	TWIN(one_of_two_shared),
	TWIN(read_only),
	TWIN(same_memory),
	TWIN(same_memory_of_orphan),
	TWIN(traced),
	TWIN(by_alarm),
	TWIN(by_signal),
	TWIN(by_child),
	TWIN(by_timer),
	TWIN(by_file),
#ifdef WITH_RINGS
	TWIN(by_ring),
	TWIN(by_hidden_ring),
#endif
};

int main(int argc, char **argv)
{
	const struct scenario *scenario = SCENARIO_NAMED(argc > 1 ? argv[1] : NULL, scenarios);

	alarm(LIFE_SECONDS);
	first_thread = pthread_self();
	sem_init(&slots, 0, 0);
	sem_init(&never, 0, 0);
	scenario->run();
	puts("went on");
	return 0;
}
