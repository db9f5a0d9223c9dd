# SPDX-License-Identifier: Apache-2.0
#
# For AArch64 on another machine, by Debian's cross-compiler (g++-aarch64-linux-gnu):
#   cmake -S . -B build/aarch64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake
# With -DOMPD_FOREIGN_ROOT=FOLDER (what `tools/test-runtimes path libraries-arm64' prints) also what other libraries of that
# machine are linked with: ompd-sampler, and the C suites, which ctest runs in an emulator (qemu-user).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(OMPD_FOREIGN_ROOT "" CACHE PATH "Where libraries of that machine are unpacked")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OMPD_FOREIGN_ROOT)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${OMPD_FOREIGN_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
if(OMPD_FOREIGN_ROOT)
	set(CMAKE_C_FLAGS_INIT "-isystem ${OMPD_FOREIGN_ROOT}/usr/include")
	set(folders ${OMPD_FOREIGN_ROOT}/usr/lib/aarch64-linux-gnu ${OMPD_FOREIGN_ROOT}/lib/aarch64-linux-gnu)
	list(JOIN folders : searched)
	# The second is for what those libraries need themselves.
	set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${OMPD_FOREIGN_ROOT}/usr/lib/aarch64-linux-gnu -Wl,-rpath-link,${searched}")
	list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -E LD_LIBRARY_PATH=${searched})
endif()
