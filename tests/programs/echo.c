/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program gets from whoever starts it: arguments, environment, stdin, ignored signals, open files.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

int main(int argc, char **argv)
{
	struct sigaction old;

	for (int i = 0; i < argc; i++)
		printf("<%s>", argv[i]);
	for (char **one = environ; *one; one++)
		printf("{%s}", *one);
	for (int c; (c = getchar()) != EOF;)
		putchar(c);
	for (int number = 1; number < 32; number++)
		printf("%d ", sigaction(number, 0, &old) == 0 && old.sa_handler == SIG_IGN);
	fprintf(stderr, "to stderr\n");
	fflush(stdout);
	return system("ls /proc/self/fd | wc -l") == 0 ? 7 : 8;
}
