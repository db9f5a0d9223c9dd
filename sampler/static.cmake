# SPDX-License-Identifier: Apache-2.0
#
# The sampler of a release is linked statically, with the C library too. Clusters have old C libraries, an elfutils of any
# age or none, and modules that put libraries of their own into LD_LIBRARY_PATH: none of it matters then.
cmake_minimum_required(VERSION 3.19)

set_target_properties(sampler ompd_objects ompd-sampler PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_sources(ompd-sampler PRIVATE no_loader.c)
target_link_options(ompd-sampler PRIVATE -static-pie -Wl,--undefined=__cxa_demangle
	-Wl,--wrap=dlopen,--wrap=dlsym,--wrap=dlclose)


set(packages libdw-dev libelf-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev)
set(archives "")
foreach(name IN ITEMS dw elf z bz2 lzma zstd)
	find_library(OMPD_ARCHIVE_${name} lib${name}.a)
	mark_as_advanced(OMPD_ARCHIVE_${name})
	list(APPEND archives ${OMPD_ARCHIVE_${name}})
endforeach()
if(NOT OMPD_ARCHIVE_zstd)
	# Of an elfutils that does not know it.
	list(REMOVE_ITEM archives OMPD_ARCHIVE_zstd-NOTFOUND)
	list(REMOVE_ITEM packages libzstd-dev)
endif()
# These two are the compiler's.
foreach(name IN ITEMS supc++ c)
	execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${name}.a
		OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
	get_filename_component(archive ${archive} REALPATH)
	list(APPEND archives ${archive})
	execute_process(COMMAND dpkg-query --search ${archive} OUTPUT_VARIABLE package ERROR_QUIET)
	string(REGEX REPLACE ":.*" "" package "${package}")
	list(APPEND packages ${package})
endforeach()
foreach(archive IN LISTS archives)
	if(NOT EXISTS ${archive})
		message(FATAL_ERROR "A release is linked statically, and a library for it is missing (${archive}). On Debian: "
			"apt-get install g++ libdw-dev libelf-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev")
	endif()
endforeach()
target_link_libraries(ompd-sampler PRIVATE ${archives})

include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
set(CMAKE_REQUIRED_LIBRARIES ${archives})
unset(OMPD_LINKS_STATICALLY CACHE)
check_c_source_compiles("#include <elfutils/libdwfl.h>
	int main(void) { return dwfl_begin(0) && dwfl_module_getdwarf(0, 0); }" OMPD_LINKS_STATICALLY)
if(NOT OMPD_LINKS_STATICALLY)
	message(FATAL_ERROR "This machine's elfutils cannot be linked statically. Debian 12's can; Debian 13's, 0.192, lacks a part.")
endif()

# What their licenses ask for: their versions, by which their sources are found, and the licenses.
set(OMPD_LINKED "")
foreach(package IN LISTS packages)
	execute_process(COMMAND dpkg-query --show "--showformat=\${source:Package} \${source:Version}" ${package}
		OUTPUT_VARIABLE source COMMAND_ERROR_IS_FATAL ANY)
	list(APPEND OMPD_LINKED "  ${package}, of the source package ${source}")
	install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses RENAME ${package})
endforeach()
list(JOIN OMPD_LINKED "\n" OMPD_LINKED)
configure_file(${PROJECT_SOURCE_DIR}/packaging/linked.txt.in linked.txt @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/linked.txt /usr/share/common-licenses/GPL-3
	/usr/share/common-licenses/LGPL-3 /usr/share/common-licenses/LGPL-2.1 DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses)
