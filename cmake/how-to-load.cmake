# SPDX-License-Identifier: Apache-2.0
# At the end of the installation: does this machine's GDB load the plugin by itself? If not, the line
# that makes it do so. plugin: the file to source; gdbinit_d: where the link to it was installed.

# A staged installation is not where it will be used.
if("$ENV{DESTDIR}" STREQUAL "" AND NOT CMAKE_INSTALL_PREFIX MATCHES "/_CPack_Packages/")
	cmake_path(ABSOLUTE_PATH gdbinit_d BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE)
	execute_process(COMMAND gdb -nx -batch -ex "show configuration"
		OUTPUT_VARIABLE configuration ERROR_QUIET RESULT_VARIABLE failed)
	string(REGEX MATCH "--with-system-gdbinit-dir=([^ \n]+)" found "${configuration}")
	if(NOT found OR NOT "${CMAKE_MATCH_1}" STREQUAL "${gdbinit_d}")
		message(STATUS "For GDB to load it by itself, this line belongs into ~/.gdbinit:\nsource ${plugin}")
	endif()
endif()
