/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of every kind that C++ has.
 */
#include "oracle.h"

#include <array>
#include <map>
#include <omp.h>
#include <string>
#include <utility>
#include <vector>

static const int THREADS = 3;
static volatile int used;

/* It may be read and written here. */
template <typename T> static void use(const T &what)
{
	__asm__ volatile("" : : "r"(&what) : "memory");
}

namespace mesh
{
int cells = 11;
static int hidden = 12;
namespace
{
int anonymous = 13;
}

struct Cell {
	int x;
	double y;
	explicit Cell(int of = 0) : x(of), y(of / 2.0)
	{
	}
	Cell(const Cell &other) : x(other.x), y(other.y)
	{
	}
	~Cell()
	{
	}
	Cell &operator=(const Cell &) = default;
};

struct Special : Cell {
	int extra;
	explicit Special(int of) : Cell(of), extra(of + 1)
	{
	}
};

class Field
{
      public:
	static int made;
	int size = 4;
	std::vector<int> values;

	explicit Field(int n) : values(static_cast<std::size_t>(n), 7)
	{
	}

	void sweep(int by)
	{
		int scale = 2;

		say_sharing("scale", "shared");
#pragma omp parallel num_threads(THREADS) firstprivate(by)
		{
			int me = omp_get_thread_num();

			by += me;
#pragma omp single
			size = 5;
			INTEGER(me);
			INTEGER(by);
			INTEGER(size);
			INTEGER(this->size);
			INTEGER(scale);
			INTEGER(made);
			INTEGER(cells);
			INTEGER(hidden);
			INTEGER(anonymous);
			INTEGER(mesh::cells);
			STAND
			use(me);
			use(by);
		}
		use(scale);
	}
};
int Field::made = 21;

template <typename T, int N> T reduce(T start)
{
	T total = start;
	std::array<T, N> parts{};

	say_sharing("total", "reduction");
	say_sharing("parts", "shared");
#pragma omp parallel num_threads(THREADS) reduction(+ : total)
	{
		T part = static_cast<T>(omp_get_thread_num()) + start;

		total += part;
		parts[static_cast<std::size_t>(omp_get_thread_num())] = part;
		REAL(part);
		REAL(total);
		REAL(start);
		INTEGER(N);
		STAND
		use(part);
	}
	use(parts);
	return total;
}
} // namespace mesh

static void objects()
{
	mesh::Cell cell(3), other(4);
	mesh::Special special(8);
	std::string text = "text", same = "same";
	std::vector<int> list{1, 2, 3};
	std::pair<int, double> pair{5, 2.5};
	int plain[3] = {1, 2, 3}, number = 6;
	int &alias = number;
	const int &fixed = plain[1];

	say_sharing("cell text pair plain special", "private");
	say_sharing("list other same number", "shared");
#pragma omp parallel num_threads(THREADS) firstprivate(cell, text, pair, plain, special)
	{
		const int me = omp_get_thread_num();
		std::vector<int> own(2, me);
		mesh::Cell *pointer = &cell;

		cell.x += me;
		special.extra += me;
		special.x = 80 + me;
		text += static_cast<char>('0' + me);
		pair.first += me;
		plain[2] = 30 + me;
		use(cell);
		use(other);
		use(special);
		use(text);
		use(pair);
		use(plain);
		use(own);
		INTEGER(cell.x);
		REAL(cell.y);
		INTEGER(other.x);
		INTEGER(special.extra);
		INTEGER(special.x);
		INTEGER(pointer->x);
		say_text("text", ("\"" + text + "\"").c_str());
		say_text("same", "\"same\"");
		INTEGER(pair.first);
		REAL(pair.second);
		INTEGER(plain[2]);
		INTEGER(number);
		INTEGER(alias);
		INTEGER(fixed);
		say_text("list", "{1, 2, 3}");
		say_text("own",
			 ("{" + std::to_string(me) + ", " + std::to_string(me) + "}").c_str());
		STAND
		use(cell);
		use(special);
		use(text);
		use(pair);
		use(plain);
		use(own);
	}
	use(other);
	use(list);
	use(same);
	used = used + alias + fixed;
}

static void lambdas()
{
	int captured = 15, copied = 16;

	auto inside = [&captured, copied](int given) {
		int local = given + 1;

#pragma omp parallel num_threads(THREADS)
		{
			int me = omp_get_thread_num() + local;

			INTEGER(me);
			INTEGER(local);
			INTEGER(given);
			INTEGER(captured);
			INTEGER(copied);
			STAND
			use(me);
		}
		use(local);
	};

	inside(4);
#pragma omp parallel num_threads(THREADS) firstprivate(copied)
	{
		copied += omp_get_thread_num();
		auto called = [&](int given) {
			int twice = 2 * given + copied;

			INTEGER(twice);
			INTEGER(given);
			INTEGER(copied);
			STAND
			use(twice);
		};

		called(9);
	}
	use(captured);
}

static void tasks()
{
	int arrived = 0;

#pragma omp parallel num_threads(THREADS)
	{
		mesh::Cell cell(omp_get_thread_num());

#pragma omp task firstprivate(cell) shared(arrived)
		{
			std::string name(1, static_cast<char>('a' + cell.x));

			cell.x += 40;
			use(cell);
			use(name);
			INTEGER(cell.x);
			REAL(cell.y);
			say_text("name", ("\"" + name + "\"").c_str());
			if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == THREADS) {
				stop_here();
				__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
			}
			while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) <= THREADS)
				;
			use(cell);
			use(name);
		}
	}
}

static void ranges()
{
	std::vector<double> data{0.5, 1.5, 2.5};
	mesh::Cell last(0);
	int arrived = 0;

	say_sharing("last", "lastprivate");
	say_sharing("data", "shared");
#pragma omp parallel for num_threads(THREADS) lastprivate(last)
	for (auto at = data.begin(); at < data.end(); ++at) {
		double here = *at;

		last.x = static_cast<int>(here * 10);
		use(last);
		use(data);
		REAL(here);
		INTEGER(last.x);
		say_text("data", "{0.5, 1.5, 2.5}");
		if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == THREADS) {
			stop_here();
			__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
		}
		while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) <= THREADS)
			;
		use(here);
	}
	use(last);
}

extern "C" int use_elsewhere(int by);

int main(int argc, char **)
{
	mesh::Field field(argc + 2);

	field.sweep(argc + 1);
	mesh::reduce<double, 3>(0.5);
	mesh::reduce<int, 4>(2);
	objects();
	lambdas();
	tasks();
	ranges();
	return use_elsewhere(argc) == used + mesh::Field::made;
}
