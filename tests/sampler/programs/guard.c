/* SPDX-License-Identifier: Apache-2.0
 *
 * guard KIND COMMAND...: executes the command under a seccomp filter that others are not to notice. kill: whoever calls
 * what stops, signals or writes another process is killed; perf, memory: those calls are refused, with -acces and -nosys
 * behind it by that error.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int harmful[] = {SYS_ptrace, SYS_process_vm_writev, SYS_kill, SYS_tkill,
			      SYS_tgkill, SYS_pidfd_send_signal};
static const int perf[] = {SYS_perf_event_open}, memory[] = {SYS_process_vm_readv};

static int filter(const int *calls, unsigned count, unsigned verdict)
{
	struct sock_filter code[64] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	unsigned at = 1;

	for (unsigned i = 0; i < count; i++) {
		code[at++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {(unsigned short)at, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static unsigned refusal(const char *kind)
{
	return SECCOMP_RET_ERRNO | (unsigned)(strstr(kind, "-acces")   ? EACCES
					      : strstr(kind, "-nosys") ? ENOSYS
								       : EPERM);
}

int main(int argc, char **argv)
{
	int bad = argc < 3;

	if (!bad && strstr(argv[1], "kill"))
		bad |= filter(harmful, sizeof harmful / sizeof *harmful, SECCOMP_RET_KILL_PROCESS);
	if (!bad && strstr(argv[1], "perf"))
		bad |= filter(perf, 1, refusal(argv[1]));
	if (!bad && strstr(argv[1], "memory"))
		bad |= filter(memory, 1, refusal(argv[1]));
	if (!bad)
		execvp(argv[2], argv + 2);
	perror("guard");
	return 99;
}
