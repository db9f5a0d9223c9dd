/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways that only exceptions take, and what guards hold.
 */
#include "holding.h"

static omp_lock_t locks[8];

APART static void may_throw(int how)
{
	if (how)
		throw how;
}

APART static void given_up_when_caught(int how)
{
	SET(&locks[0]);
	try {
		may_throw(how);
	} catch (int) {
		UNSET(&locks[0]);
	}
	park();
	zero = 0;
}

APART static void held_when_caught(int how)
{
	SET(&locks[1]);
	try {
		may_throw(how);
		UNSET(&locks[1]);
	} catch (int) {
		park();
		zero = 0;
	}
}

struct guard {
	omp_lock_t *lock;
	explicit guard(omp_lock_t *which) : lock(which)
	{
		SET(lock);
	}
	~guard()
	{
		UNSET(lock);
	}
};

APART static void guarded(int how)
{
	guard own(&locks[2]);

	may_throw(how);
	park();
	zero = 0;
}

APART static void guard_unwound(int how)
{
	try {
		guard own(&locks[3]);

		may_throw(how);
		park();
	} catch (...) {
		park();
		zero = 0;
	}
}

struct base {
	virtual ~base() = default;
	virtual void work(omp_lock_t *lock) = 0;
};

struct gives_up : base {
	void work(omp_lock_t *lock) override
	{
		UNSET(lock);
	}
};

static base *volatile object = new gives_up;

APART static void given_up_by_method()
{
	SET(&locks[4]);
	object->work(&locks[4]);
	park();
	zero = 0;
}

int main()
{
	static void (*const scenarios[])() = {
		[] { scenario = "given_up_when_caught", given_up_when_caught(1); },
		[] { scenario = "held_when_caught", held_when_caught(1); },
		[] { scenario = "guarded", guarded(0); },
		[] { scenario = "guard_unwound", guard_unwound(1); },
		[] { scenario = "given_up_by_method", given_up_by_method(); },
	};

	for (auto &lock : locks)
		omp_init_lock(&lock);
	observe(5);
#pragma omp parallel num_threads(5)
	scenarios[omp_get_thread_num()]();
	return 0;
}
