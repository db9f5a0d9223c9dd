/* SPDX-License-Identifier: Apache-2.0
 *
 * Each thread is in a scenario of its own: it holds locks and critical constructs, or could on another way through
 * the same code, and stays there.
 */
#include "holding.h"

#include <setjmp.h>

static omp_lock_t busy, locks[64];
static omp_nest_lock_t nests[4];

#define SET_NEST(lock) (omp_set_nest_lock(lock), takes("nest_lock", (lock)))

/* ---- Critical constructs ---------------------------------------------------------------------- */

static int alpha_is_held;

APART static void critical_named(void)
{
#pragma omp critical(alpha)
	{
		takes("critical", "alpha");
		__atomic_store_n(&alpha_is_held, 1, __ATOMIC_SEQ_CST);
		park();
	}
}

APART static void critical_waiter(void)
{
	while (!__atomic_load_n(&alpha_is_held, __ATOMIC_SEQ_CST))
		usleep(1000);
	declare("alpha");
#pragma omp critical(alpha)
	truth_seen();
}

APART static void critical_unnamed(void)
{
#pragma omp critical
	{
		takes("critical", "(unnamed)");
		park();
	}
}

APART static void critical_over(void)
{
#pragma omp critical(gamma)
	zero = 0;
	park();
}

APART static void critical_not_taken(void)
{
	if (zero) {
#pragma omp critical(delta)
		park();
	} else {
		park();
	}
}

APART static void critical_in_loop(void)
{
	for (int i = 0; i < three; i++) {
		if (i == one)
			continue;
#pragma omp critical(epsilon)
		{
			if (i == two) {
				takes("critical", "epsilon");
				park();
				gives("epsilon");
			}
		}
	}
}

APART static void ordered(void)
{
#pragma omp parallel for ordered num_threads(1)
	for (int i = 0; i < 2; i++) {
#pragma omp ordered
		{
			if (i == one) {
				takes("ordered", "-");
				park();
			}
		}
	}
}

/* ---- Where the lock is ------------------------------------------------------------------------ */

APART static void lock_plain(void)
{
	SET(&locks[0]);
	park();
	UNSET(&locks[0]);
}

APART static void lock_in_array(int i)
{
	SET(&locks[i]);
	park();
	UNSET(&locks[i]);
}

struct box {
	int size;
	omp_lock_t lock;
	struct box *next;
};

APART static void lock_in_struct(struct box *box)
{
	SET(&box->lock);
	park();
	UNSET(&box->lock);
}

APART static void lock_in_list(struct box *box)
{
	SET(&box->next->next->lock);
	park();
	UNSET(&box->next->next->lock);
}

APART static void lock_on_stack(void)
{
	omp_lock_t local[2];

	omp_init_lock(&local[one]);
	SET(&local[one]);
	park();
	UNSET(&local[one]);
}

APART static void lock_chosen(void)
{
	omp_lock_t *lock = one ? &locks[2] : &locks[3];

	SET(lock);
	park();
	UNSET(lock);
}

static omp_lock_t *pointer;

APART static void lock_behind_pointer(void)
{
	pointer = &locks[4];
	SET(pointer);
	park();
	UNSET(pointer);
}

APART static void lock_another_then(void)
{
	omp_lock_t *lock = &locks[one + 5];

	SET(lock);
	lock++;
	truth_lines[15] = lock != NULL;
	park();
	UNSET(lock - 1);
}

APART static void moves_on(int *i)
{
	*i += 1;
}

APART static void lock_index_changed(void)
{
	int i = one + 7;

	SET(&locks[i]);
	moves_on(&i);
	park();
	UNSET(&locks[i - 1]);
}

APART static void locks_in_turn(void)
{
	for (int i = 10; i < 12 + one; i++)
		SET(&locks[i]);
	park();
	for (int i = 10; i < 12 + one; i++)
		UNSET(&locks[i]);
}

APART static void two_and_one_given_up(void)
{
	SET(&locks[14]);
	SET(&locks[15]);
	UNSET(&locks[14]);
	park();
	UNSET(&locks[15]);
}

APART static void nest_still_held(void)
{
	SET_NEST(&nests[0]);
	omp_set_nest_lock(&nests[0]);
	omp_unset_nest_lock(&nests[0]);
	park();
	omp_unset_nest_lock(&nests[0]);
}

APART static void nest_given_up(void)
{
	omp_set_nest_lock(&nests[1]);
	omp_set_nest_lock(&nests[1]);
	omp_unset_nest_lock(&nests[1]);
	omp_unset_nest_lock(&nests[1]);
	park();
}

/* ---- Which way was taken ---------------------------------------------------------------------- */

APART static void never_taken(void)
{
	if (zero)
		SET(&locks[16]);
	park();
	if (zero)
		UNSET(&locks[16]);
}

APART static void innocent_twin(void)
{
	if (one) {
		park();
	} else {
		SET(&locks[17]);
		park();
		UNSET(&locks[17]);
	}
}

APART static void guilty_twin(void)
{
	if (zero) {
		park();
	} else {
		SET(&locks[18]);
		park();
		UNSET(&locks[18]);
	}
}

APART static void given_up_elsewhere(void)
{
	SET(&locks[19]);
	if (one)
		UNSET(&locks[19]);
	park();
	if (!one)
		UNSET(&locks[19]);
}

APART static void not_given_up_elsewhere(void)
{
	SET(&locks[20]);
	if (zero)
		UNSET(&locks[20]);
	park();
}

APART static void both_ways(void)
{
	if (one) {
		SET(&locks[21]);
		truth_lines[14]++;
	} else {
		truth_lines[13]++;
		SET(&locks[21]);
	}
	park();
	UNSET(&locks[21]);
}

APART static void breaks_out(void)
{
	for (int i = 0;; i++) {
		SET(&locks[22]);
		if (i == three)
			break;
		UNSET(&locks[22]);
	}
	park();
	UNSET(&locks[22]);
}

APART static void returns_early(void)
{
	SET(&locks[23]);
	if (zero) {
		UNSET(&locks[23]);
		return;
	}
	park();
	UNSET(&locks[23]);
}

APART static void jumps(void)
{
	int tries = 0;
again:
	SET(&locks[24]);
	if (tries++ < two) {
		UNSET(&locks[24]);
		goto again;
	}
	if (zero)
		goto out;
	park();
out:
	UNSET(&locks[24]);
}

APART static void falls_into(int which)
{
	switch (which) {
	case 0:
		truth_lines[14]++;
		break;
	case 1:
		SET(&locks[25]);
		/* fall through */
	case 2:
		park();
		break;
	case 3:
		truth_lines[13]++;
		break;
	case 4:
		truth_lines[12]++;
		break;
	case 5:
		truth_lines[11]--;
		break;
	}
}

APART static void in_case(int which)
{
	switch (which) {
	case 0:
		SET(&locks[26]);
		park();
		UNSET(&locks[26]);
		break;
	case 1:
		truth_lines[14]++;
		break;
	case 2:
		SET(&locks[27]);
		park();
		UNSET(&locks[27]);
		break;
	case 3:
		truth_lines[13]++;
		break;
	case 4:
		truth_lines[12]++;
		break;
	case 5:
		SET(&locks[28]);
		park();
		UNSET(&locks[28]);
		break;
	}
}

APART static void computed(int which)
{
	static void *const ways[] = {&&takes_it, &&parks, &&leaves};

	goto *ways[which];
takes_it:
	SET(&locks[29]);
parks:
	park();
leaves:
	return;
}

APART static void lands_again(void)
{
	jmp_buf place;

	SET(&locks[30]);
	if (setjmp(place) == 0) {
		UNSET(&locks[30]);
		longjmp(place, 1);
	}
	park();
}

/* ---- Other functions -------------------------------------------------------------------------- */

APART static void callee(void)
{
	zero = 0;
	park();
	zero = 0;
}

APART static void held_by_caller(void)
{
	SET(&locks[31]);
	callee();
	UNSET(&locks[31]);
}

APART static void gives_up(omp_lock_t *lock)
{
	UNSET(lock);
	zero = 0;
}

APART static void given_up_by_callee(void)
{
	SET(&locks[32]);
	gives_up(&locks[32]);
	park();
}

APART static void gives_up_and_parks(omp_lock_t *lock)
{
	UNSET(lock);
	park();
	zero = 0;
}

APART static void given_up_in_callee(void)
{
	SET(&locks[33]);
	gives_up_and_parks(&locks[33]);
	zero = 0;
}

APART static void gives_up_and_leaves(omp_lock_t *lock)
{
	UNSET(lock);
	park(); /* in place of its own frame, if the compiler likes */
}

APART static void given_up_before_jump(void)
{
	SET(&locks[34]);
	gives_up_and_leaves(&locks[34]);
	zero = 0;
}

/* Called like the runtime's own. */
APART static void omp_gives_up(omp_lock_t *lock)
{
	UNSET(lock);
	zero = 0;
}

APART static void given_up_by_namesake(void)
{
	SET(&locks[50]);
	omp_gives_up(&locks[50]);
	park();
}

static void (*volatile way_out)(omp_lock_t *) = gives_up;

APART static void given_up_by_pointer(void)
{
	SET(&locks[35]);
	way_out(&locks[35]);
	park();
}

static void (*volatile other_way)(omp_lock_t *) = gives_up;

static void keeps(omp_lock_t *lock)
{
	zero = lock == NULL;
}

APART static void given_up_by_changed_pointer(void)
{
	SET(&locks[49]);
	other_way(&locks[49]);
	other_way = keeps;
	park();
}

APART static void does_its_own(void)
{
	omp_set_lock(&locks[37]);
	zero = 0;
	omp_unset_lock(&locks[37]);
}

APART static void helped_by_callee(void)
{
	SET(&locks[36]);
	does_its_own();
	park();
	UNSET(&locks[36]);
}

APART static void takes_lock(omp_lock_t *lock)
{
	SET(lock);
	zero = 0;
}

APART static void taken_by_callee(void)
{
	takes_lock(&locks[38]);
	park();
	UNSET(&locks[38]);
}

APART static void recursive(int level)
{
	SET(&locks[39 + level]);
	if (level == 0)
		park();
	else
		recursive(level - 1);
	UNSET(&locks[39 + level]);
}

static int compares(const void *a, const void *b)
{
	park();
	zero = 0;
	return a < b;
}

APART static void held_over_library(void)
{
	int numbers[2] = {2, 1};

	SET(&locks[42]);
	qsort(numbers, 2, sizeof(numbers[0]), compares);
	UNSET(&locks[42]);
}

APART static void held_over_region(void)
{
	SET(&locks[43]);
#pragma omp parallel num_threads(1)
	{
		park();
		zero = 0;
	}
	UNSET(&locks[43]);
}

APART static void given_up_in_region(void)
{
	SET(&locks[44]);
#pragma omp parallel num_threads(1)
	UNSET(&locks[44]);
	park();
}

APART static void in_task(void)
{
#pragma omp task if (0)
	{
		SET(&locks[45]);
		park();
		UNSET(&locks[45]);
	}
	zero = 0;
}

APART static void all_at_once(struct box *box)
{
	SET(&locks[46]);
#pragma omp critical(zeta)
	{
		takes("critical", "zeta");
		SET_NEST(&nests[2]);
		SET(&box->lock);
		park();
		UNSET(&box->lock);
		omp_unset_nest_lock(&nests[2]);
	}
	UNSET(&locks[46]);
}

/* ---- Tries ------------------------------------------------------------------------------------ */

APART static void waits(omp_lock_t *lock)
{
	char address[32];

	snprintf(address, sizeof(address), "%#lx", (unsigned long)lock);
	declare(address);
	omp_set_lock(lock);
	omp_unset_lock(lock);
}

APART static void spins(void)
{
	int said = 0;

	while (!omp_test_lock(&busy)) {
		if (!said)
			park();
		said = 1;
	}
	omp_unset_lock(&busy);
}

APART static void tried(void)
{
	if (omp_test_lock(&locks[47])) {
		takes("lock", &locks[47]);
		park();
		UNSET(&locks[47]);
	}
}

APART static void tried_in_vain(void)
{
	if (!omp_test_lock(&busy)) {
		park();
		return;
	}
	truth_lines[13]++;
	UNSET(&busy);
}

APART static void tried_for_long(void)
{
	while (!omp_test_lock(&locks[48]))
		usleep(100);
	takes("lock", &locks[48]);
	park();
	UNSET(&locks[48]);
}

APART static void result_ignored(void)
{
	(void)omp_test_lock(&busy);
	park();
}

static struct box boxes[4];

static void run(int number)
{
	int at = 0;

#define SCENARIO(name, ...)                                                                        \
	if (number == at++) {                                                                      \
		scenario = #name #__VA_ARGS__;                                                     \
		name(__VA_ARGS__);                                                                 \
		return;                                                                            \
	}
	SCENARIO(lock_plain)
	SCENARIO(critical_named)
	SCENARIO(critical_waiter)
	SCENARIO(critical_unnamed)
	SCENARIO(critical_over)
	SCENARIO(critical_not_taken)
	SCENARIO(critical_in_loop)
	SCENARIO(ordered)
	SCENARIO(lock_in_array, one)
	SCENARIO(lock_in_struct, &boxes[0])
	SCENARIO(lock_in_list, &boxes[1])
	SCENARIO(lock_on_stack)
	SCENARIO(lock_chosen)
	SCENARIO(lock_behind_pointer)
	SCENARIO(lock_another_then)
	SCENARIO(lock_index_changed)
	SCENARIO(locks_in_turn)
	SCENARIO(two_and_one_given_up)
	SCENARIO(nest_still_held)
	SCENARIO(nest_given_up)
	SCENARIO(never_taken)
	SCENARIO(innocent_twin)
	SCENARIO(guilty_twin)
	SCENARIO(given_up_elsewhere)
	SCENARIO(not_given_up_elsewhere)
	SCENARIO(both_ways)
	SCENARIO(breaks_out)
	SCENARIO(returns_early)
	SCENARIO(jumps)
	SCENARIO(falls_into, two)
	SCENARIO(in_case, two)
	SCENARIO(computed, one)
	SCENARIO(lands_again)
	SCENARIO(held_by_caller)
	SCENARIO(given_up_by_callee)
	SCENARIO(given_up_in_callee)
	SCENARIO(given_up_before_jump)
	SCENARIO(given_up_by_namesake)
	SCENARIO(given_up_by_pointer)
	SCENARIO(given_up_by_changed_pointer)
	SCENARIO(helped_by_callee)
	SCENARIO(taken_by_callee)
	SCENARIO(recursive, two)
	SCENARIO(held_over_library)
	SCENARIO(held_over_region)
	SCENARIO(given_up_in_region)
	SCENARIO(in_task)
	SCENARIO(all_at_once, &boxes[1])
	SCENARIO(waits, &busy)
	SCENARIO(spins)
	SCENARIO(tried)
	SCENARIO(tried_in_vain)
	SCENARIO(tried_for_long)
	SCENARIO(result_ignored)
	abort();
}

enum { SCENARIOS = 54 };

int main(void)
{
	for (int i = 0; i < 64; i++)
		omp_init_lock(&locks[i]);
	for (int i = 0; i < 4; i++) {
		omp_init_nest_lock(&nests[i]);
		omp_init_lock(&boxes[i].lock);
		boxes[i].next = &boxes[(i + 1) % 4];
	}
	omp_init_lock(&busy);
	omp_set_dynamic(0);
	observe(SCENARIOS);
	SET(&busy);
#pragma omp parallel num_threads(SCENARIOS)
	run(omp_get_thread_num());
	UNSET(&busy);
	return 0;
}
