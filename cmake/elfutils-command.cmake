# SPDX-License-Identifier: Apache-2.0
# The command that brings elfutils' libraries and headers here, as elfutils_command.
set(elfutils_command "install them")
if(CMAKE_CROSSCOMPILING)
	set(elfutils_command "name a folder with those for ${CMAKE_SYSTEM_PROCESSOR} by -DOMPD_FOREIGN_ROOT")
	return()
endif()
foreach(command "apt-get install libdw-dev" "dnf install elfutils-devel" "zypper install libdw-devel"
		"pacman -S elfutils" "apk add elfutils-dev")
	string(REGEX MATCH "^[^ ]+" manager ${command})
	find_program(OMPD_MANAGER_${manager} ${manager})
	mark_as_advanced(OMPD_MANAGER_${manager})
	if(OMPD_MANAGER_${manager})
		set(elfutils_command ${command})
		return()
	endif()
endforeach()
