// SPDX-License-Identifier: Apache-2.0
//
// C++: regions in a member function template and in a lambda, beside a std::thread without OpenMP.
// Truth: everything at the innermost level, and who is no thread of OpenMP's.

#include "truth.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

namespace grid
{
template <typename Value, int Depth> struct Solver {
	std::map<std::string, std::vector<Value>> fields;

	template <typename Body> void each(Body body)
	{
		TRUTH_CONSTRUCT(1);
#pragma omp parallel num_threads(2)
		body(fields);
	}
};
} // namespace grid

int main()
{
	std::thread beside([] {
		truth_record_native();
		while (!__atomic_load_n(&truth_released, __ATOMIC_SEQ_CST))
			usleep(10000);
	});

	omp_set_max_active_levels(8);
	grid::Solver<double, 3>().each([](const std::map<std::string, std::vector<double>> &) {
		TRUTH_CONSTRUCT(2);
#pragma omp parallel num_threads(2)
		{
			truth_record();
			truth_stop(5);
		}
	});
	beside.join();
	return 0;
}
