/* SPDX-License-Identifier: Apache-2.0
 *
 * What the threads of a program say of their own variables, to compare with what a debugger says.
 * Record: OMPD_TRUTH_FILE, a line "STOP TID NAME VALUE" of each, and "STOP sharing NAME KIND" of what a variable is in a
 * construct, with tabs between. STOP counts from 0; the program is to be looked at in stop_here().
 */
#ifndef ORACLE_H
#define ORACLE_H

#ifdef __cplusplus
extern "C" {
#endif

void say_integer(const char *name, long long value);
void say_real(const char *name, double value);
/* As the debugger writes it. */
void say_text(const char *name, const char *value);
void say_sharing(const char *names, const char *kind);
void stop_here(void);

#ifdef __cplusplus
}
#endif

#define INTEGER(expression) say_integer(#expression, (long long)(expression))
#define REAL(expression) say_real(#expression, (double)(expression))

/* One thread is looked at in a function that it has called, the others where they wait for it. */
#define STAND                                                                                      \
	_Pragma("omp barrier") if (omp_get_thread_num() == 1) stop_here();                         \
	_Pragma("omp barrier")

#endif /* ORACLE_H */
