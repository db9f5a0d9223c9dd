/* SPDX-License-Identifier: Apache-2.0
 *
 * Regions in functions that can be named in many ways. Each is begun another power of two times, so that the number of
 * stops at a location tells which regions are there.
 */

static int sum;

#define REGION(n) \
	_Pragma("omp parallel num_threads(2)") \
	{ \
		_Pragma("omp atomic") \
		sum += (n); \
	}

static int overloaded(int n)
{
#pragma omp parallel num_threads(2) /* THE LINE */
	{
#pragma omp atomic
		sum += n;
	}
	return sum;
}

static int overloaded(double n)
{
	REGION((int)n)
	return sum;
}

namespace mesh {
namespace {
int hidden(int n)
{
	REGION(n)
	return sum;
}
} // namespace

int nested(int n)
{
#pragma omp parallel num_threads(1)
	REGION(n)
	return hidden(n);
}

template <class Value, int Size> class Field {
public:
	void sweep(Value value)
	{
#pragma omp parallel for num_threads(2)
		for (int i = 0; i < Size; i++)
			values[i] = value;
	}

	int operator()(int n) const
	{
		REGION(n)
		return sum;
	}

	~Field()
	{
		REGION(1)
	}

private:
	Value values[Size];
};
} // namespace mesh

extern "C" int c_function(int n)
{
	REGION(n)
	return sum;
}

static inline __attribute__((always_inline)) int inlined(int n)
{
	REGION(n)
	return sum;
}

static int serial(int n)
{
	return n + sum;
}

template <class Function> static void times(int n, Function call)
{
	for (int i = 0; i < n; i++)
		call();
}

int main()
{
	times(1, [] { overloaded(1); });
	times(2, [] { overloaded(2.0); });
	times(4, [] { mesh::nested(1); }); /* hidden 4, nested 4 + 4 */
	times(16, [] {
		mesh::Field<double, 5> field;
		field.sweep(1);
	}); /* and the destructor */
	times(32, [] {
		mesh::Field<float, 3> field;
		field.sweep(1);
	});
	mesh::Field<double, 5> field;
	times(64, [&field] { field(1); });
	times(128, [] { c_function(1); });
	times(256, [] { inlined(1); });
	return serial(0) == 0;
}
