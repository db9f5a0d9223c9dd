/* SPDX-License-Identifier: Apache-2.0
 *
 * Long names of C++: a task's code in a method of a template, which is not the function that holds the region. `names WHERE': the
 * one thread that comes there calls reached(), the other waits for it in a critical construct. WHERE: task, header.
 */
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#define APART __attribute__((noinline))

extern "C" APART void reached(void)
{
	__asm__ volatile("");
}

namespace simulation
{
namespace details
{
template <typename Number, typename Other> struct Solver {
	APART void relax(const std::map<std::string, std::vector<Number>> &rows, Other other)
	{
		const char *name = rows.begin()->first.c_str();

		for (int i = 0; i < 1; i++) {
#pragma omp task firstprivate(name)
			{
				reached();
				last = name[0] + (int)other.second.size();
			}
		}
#pragma omp taskwait
	}
	int last;
};
} // namespace details
} // namespace simulation

static volatile int turns;

static void turn(std::pair<int, int> &)
{
	reached();
	turns = turns + 1;
}

int main(int argc, char **argv)
{
	const bool header = argc > 1 && !strcmp(argv[1], "header");
	simulation::details::Solver<double, std::pair<int, std::map<int, float>>> solver = {};
	std::vector<std::pair<int, int>> pairs(3);

#pragma omp parallel num_threads(2)
	{
#pragma omp critical(taking_turns)
		{
			if (header)
				std::for_each(pairs.begin(), pairs.end(), turn);
			else
				solver.relax({{"rows", {1.0}}}, {});
		}
	}
	return solver.last == 0;
}
