/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of every data-sharing attribute, type and place that C has.
 */
#include "oracle.h"

#include <omp.h>
#include <stdlib.h>

#define THREADS 3

enum colour { RED = 3, GREEN, BLUE };
struct point {
	int id;
	double at[2];
	unsigned flag : 1, kind : 4;
};
union word {
	int as_int;
	unsigned char as_bytes[4];
};

extern int use_elsewhere(int by);

int everybodys = 41;
static int files_own = 42;
static int arrived;
static int own_copy;
#pragma omp threadprivate(own_copy)
int exported_copy;
#pragma omp threadprivate(exported_copy)
static _Thread_local double thread_local_real;

static volatile int used;

/* What is behind a pointer may be read and written here. */
static void use(const void *what)
{
	__asm__ volatile("" : : "r"(what) : "memory");
}

/* As many as are here go on when one of them has been looked at. */
__attribute__((noinline)) static void stand(int threads)
{
	const int number = __atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);

	if (number == threads) {
		stop_here();
		__atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);
	} else {
		while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST))
			;
	}
}

static void attributes(int n, double *given)
{
	int count = 5, mine = 6, rest = 7, sum = 0, product = 1, last = 0, kept = 17;
	double part = 0.5, list[4] = {1, 2, 3, 4};
	struct point p = {.id = 1, .at = {0.25, 0.75}, .flag = 1, .kind = 9}, q = {.id = 2};
	static int of_function = 50;
	const int fixed = 13;

	say_sharing("count list p", "private");
	say_sharing("mine", "private");
	say_sharing("rest q n given everybodys files_own of_function of_region kept", "shared");
	say_sharing("own_copy exported_copy thread_local_real", "threadprivate");
	say_sharing("sum product", "reduction");
	say_sharing("inner", "private");
#pragma omp parallel num_threads(THREADS) firstprivate(count, list, p) private(mine, part)           \
	reduction(+ : sum) reduction(* : product)
	{
		const int me = omp_get_thread_num();
		static int of_region = 60;
		int inner = 100 + me;

		count += me;
		list[1] = 20 + me;
		p.id = 30 + me;
		p.kind = (unsigned)me;
		mine = 40 + me;
		part = 1.5 * me;
		sum += me + 1;
		product *= me + 2;
		own_copy = 70 + me;
		exported_copy = 80 + me;
		thread_local_real = 0.5 + me;
#pragma omp single
		{
			rest = 8;
			of_function++;
			of_region++;
			q.at[1] = 3.5;
			given[1] = 4.5;
		}
		use(list);
		use(&p);
		use(&q);
		INTEGER(me);
		INTEGER(count);
		REAL(list[1]);
		REAL(list[3]);
		INTEGER(p.id);
		INTEGER(p.kind);
		REAL(p.at[1]);
		INTEGER(mine);
		REAL(part);
		INTEGER(sum);
		INTEGER(product);
		INTEGER(rest);
		REAL(q.at[1]);
		INTEGER(q.id);
		INTEGER(n);
		REAL(given[1]);
		INTEGER(inner);
		INTEGER(fixed);
		INTEGER(kept);
		INTEGER(of_function);
		INTEGER(of_region);
		INTEGER(everybodys);
		INTEGER(files_own);
		INTEGER(own_copy);
		INTEGER(exported_copy);
		REAL(thread_local_real);
		INTEGER(count + mine);
		STAND
		use(list);
		use(&p);
		use(&inner);
		sum += count + mine + (int)part;
	}
	use(&sum);
	use(&product);
	use(&last);
	used += fixed + kept + n;
}

static void types(void)
{
	enum colour colour = GREEN;
	union word word = {.as_int = 0x01020304};
	long double wide = 2.5L;
	float narrow = 0.75f;
	unsigned char small = 200;
	_Bool yes = 1;
	long long large = -5000000000ll;

#pragma omp parallel num_threads(THREADS)                                                          \
	firstprivate(colour, word, wide, narrow, small, yes, large)
	{
		const int me = omp_get_thread_num();
		int length = me + 2, *pointer = &length, grid[2][3] = {{1, 2, me}, {4, 5, 6}};
		int variable[length];

		variable[1] = 90 + me;
		colour = me ? BLUE : RED;
		word.as_bytes[0] = (unsigned char)me;
		wide += me;
		narrow += (float)me;
		small = (unsigned char)(small + me);
		yes = me == 1;
		large -= me;
		use(pointer);
		use(grid);
		use(variable);
		use(&word);
		say_text("colour", me ? "BLUE" : "RED");
		INTEGER(word.as_int);
		REAL(wide);
		REAL(narrow);
		INTEGER((int)small);
		say_text("yes", yes ? "true" : "false");
		INTEGER(large);
		INTEGER(length);
		INTEGER(*pointer);
		INTEGER(grid[0][2]);
		INTEGER(variable[1]);
		STAND
		use(pointer);
		use(grid);
		use(variable);
		use(&word);
		used += (int)wide + (int)narrow + small + yes + (int)large + (int)colour;
	}
}

static void scopes(void)
{
	int depth = 1, outer = 2, same = 3;

	say_sharing("depth outer", "shared");
#pragma omp parallel num_threads(THREADS)
	{
		int same = 10 + omp_get_thread_num();

#pragma omp for
		for (int i = 0; i < THREADS; i++) {
			const int before = same;
			int same = 20 + i;

			if (before) {
				int deeper = 30 + i;

				INTEGER(same);
				INTEGER(deeper);
				INTEGER(before);
				INTEGER(i);
				INTEGER(outer);
				stand(THREADS);
				use(&deeper);
			}
			use(&same);
		}
		use(&same);
	}
	used += depth + outer + same;
}

static void nested(void)
{
	int both = 3;

	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int team = 50 + omp_get_thread_num(), total = 10 * team;

#pragma omp parallel num_threads(2) reduction(+ : total)
		{
			int member = 100 * (team - 50) + omp_get_thread_num();

			total += member;
			own_copy = member;
			INTEGER(member);
			INTEGER(total);
			INTEGER(team);
			INTEGER(both);
			INTEGER(own_copy);
			stand(4);
			use(&member);
		}
		use(&total);
		use(&team);
	}
	use(&both);
}

static void tasks(void)
{
	int shared_one = 4;

#pragma omp parallel num_threads(THREADS) shared(shared_one)
	{
		int label = 200 + omp_get_thread_num();
		double list[2] = {0.5, 1.5 + label};

#pragma omp task firstprivate(label, list) shared(shared_one)
		{
			int inside = label + 300, mine = omp_get_thread_num();

			label += 1000;
			list[0] += label;
			use(list);
			INTEGER(label);
			REAL(list[0]);
			REAL(list[1]);
			INTEGER(inside);
			INTEGER(mine);
			INTEGER(shared_one);
			stand(THREADS);
			use(&inside);
			use(list);
			used += label + mine;
		}
#pragma omp taskwait
		use(list);
		used += label;
	}
}

__attribute__((noinline)) static int recursive(int depth, const double *values, int *calls)
{
	int local = depth * 10;
	static int entered;

	if (depth) {
		int result = recursive(depth - 1, values + 1, calls);

		use(&local);
		return result + local;
	}
	*calls = 77;
	local += omp_get_thread_num();
	INTEGER(depth);
	REAL(*values);
	INTEGER(*calls);
	INTEGER(local);
	INTEGER(files_own);
#pragma omp barrier
	if (omp_get_thread_num() == 1)
		stop_here();
#pragma omp barrier
	use(&local);
	return entered + local;
}

static void called(void)
{
	const double values[4] = {0.125, 1.125, 2.125, 3.125};

#pragma omp parallel num_threads(THREADS)
	{
		int calls = 0, only_here = 500 + omp_get_thread_num();

		INTEGER(only_here);
		used += recursive(3, values, &calls);
		used += calls;
		use(&only_here);
	}
}

static void loops(int end)
{
	int last = 0, before = 5;

	say_sharing("last", "lastprivate");
	say_sharing("i", "private");
#pragma omp parallel for num_threads(THREADS) schedule(dynamic) lastprivate(last)
	for (int i = 0; i < end; i++) {
		int squared = i * i;

		last = 7 * i;
		if (i < THREADS) {
			INTEGER(i);
			INTEGER(last);
			INTEGER(squared);
			INTEGER(before);
			INTEGER(end);
			stand(THREADS);
		}
		used += squared + last;
	}
	used += last;
#pragma omp parallel for num_threads(THREADS) collapse(2)
	for (int i = 2; i < 5; i++)
		for (int j = 0; j < end; j += 2) {
			if (j == 2) {
				INTEGER(i);
				INTEGER(j);
				INTEGER(10 * i + j);
				stand(THREADS);
			}
			used += i * j;
		}
	used += before;
}

int main(int argc, char **argv)
{
	double given[2] = {0.5, 1.5};

	(void)argv;
	attributes(10 + argc, given);
	types();
	scopes();
	nested();
	tasks();
	called();
	loops(5 + argc);
	return use_elsewhere(argc) == used;
}
