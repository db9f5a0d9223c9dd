/* SPDX-License-Identifier: Apache-2.0 */
#include "run/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/say.h"
#include "target/process.h"

/* The other ends are closed by exec, and by whoever dies. */
static void be_program(char **program, int wait_for, int answer)
{
	char byte;

	while (read(wait_for, &byte, 1) < 0 && errno == EINTR)
		;
	execvp(program[0], program);
	int error = errno;

	if (write(answer, &error, sizeof error) < 0)
		_exit(127);
	_exit(127);
}

void launch_prepare(struct launch *launch, char **program)
{
	int go[2], answer[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		fail(EXIT_FAULT, "No pipe for the program: %s.", strerror(errno));
	*launch = (struct launch){.pid = fork(), .go = go[1], .answer = answer[0]};
	if (launch->pid < 0)
		fail(EXIT_NO_PROCESS, "No process for the program: %s.", strerror(errno));
	if (launch->pid == 0) {
		close(go[1]);
		close(answer[0]);
		be_program(program, go[0], answer[1]);
	}
	close(go[0]);
	close(answer[1]);
}

void launch_go(struct launch *launch, const char *name)
{
	int error = 0;
	ssize_t count;

	close(launch->go);
	do {
		count = read(launch->answer, &error, sizeof error);
	} while (count < 0 && errno == EINTR);
	close(launch->answer);
	if (count == (ssize_t)sizeof error) {
		waitpid(launch->pid, NULL, 0);
		fail(EXIT_NO_PROCESS, "%s cannot be started: %s.", name, strerror(error));
	}
}

bool launch_ended(struct launch *launch)
{
	siginfo_t news = {0};

	/* Only its end: that it has stopped for a sample is for whoever stopped it. */
	if (!launch->ended &&
	    waitid(P_PID, (id_t)launch->pid, &news, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    news.si_pid == launch->pid && process_news_is_end(&news))
		launch->ended = waitpid(launch->pid, &launch->status, 0) == launch->pid;
	return launch->ended;
}
