# SPDX-License-Identifier: Apache-2.0
# Takes away what `cmake --install' last put there, what Python has compiled of it, and our own folders when
# they are empty. build: the build folder, which has the list.
set(list ${build}/install_manifest.txt)
if(NOT EXISTS ${list})
	message(FATAL_ERROR "There is no ${list}: nothing was installed from this folder.")
endif()
file(STRINGS ${list} files)
list(TRANSFORM files PREPEND "$ENV{DESTDIR}")
foreach(file IN LISTS files)
	cmake_path(GET file PARENT_PATH folder)
	cmake_path(GET file STEM LAST_ONLY module)
	file(GLOB compiled ${folder}/__pycache__/${module}.*.pyc)
	file(REMOVE ${file} ${compiled})
	list(APPEND folders ${folder}/__pycache__ ${folder})
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
	# Others, as PREFIX/bin, may have been empty before.
	while(folder MATCHES "/ompd(/|$)")
		execute_process(COMMAND rmdir ${folder} ERROR_QUIET)
		cmake_path(GET folder PARENT_PATH folder)
	endwhile()
endforeach()
