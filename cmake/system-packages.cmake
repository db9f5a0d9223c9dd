# SPDX-License-Identifier: Apache-2.0
# Packages for the system's own package manager: cpack -G DEB (or RPM) --config build/CPackConfig.cmake
set(CPACK_PACKAGE_CONTACT "The developers of ompd")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Debugging of OpenMP programs in GDB, of their core files, and their sampling")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/for-system-gdb.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
	set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
	set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# What tells these by itself (dpkg-shlibdeps) knows the libraries of the machine that builds only.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libdw1, gdb | gdb-multiarch, python3 (>= 3.9)")

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
# Else the link in /etc would be made by a script.
set(CPACK_PACKAGE_RELOCATABLE OFF)
# Libraries are found by rpm.
set(CPACK_RPM_PACKAGE_REQUIRES "gdb, python3 >= 3.9")
