# SPDX-License-Identifier: Apache-2.0
"""`ompd job': all processes of a parallel job at once. Who they are, and how to come to other
nodes, its launcher knows."""
