# SPDX-License-Identifier: Apache-2.0
# At the end of the installation: does this machine's GDB load the plugin by itself? If not, the line
# that makes it do so. folder: where the plugin was installed; gdbinit_d: where the link to it was.
get_filename_component(gdbinit_d ${gdbinit_d} ABSOLUTE BASE_DIR ${CMAKE_INSTALL_PREFIX})
execute_process(COMMAND gdb -nx -batch -ex "show configuration"
	OUTPUT_VARIABLE configuration ERROR_QUIET RESULT_VARIABLE failed)
string(REGEX MATCH "--with-system-gdbinit-dir=([^ \n]+)" found "${configuration}")
if(NOT found OR NOT "${CMAKE_MATCH_1}" STREQUAL "${gdbinit_d}")
	message(STATUS "For GDB to load it by itself, this line belongs into ~/.gdbinit:\nsource ${folder}/ompd-gdb.py")
endif()
