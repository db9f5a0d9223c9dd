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
	get_filename_component(folder ${file} DIRECTORY)
	get_filename_component(module ${file} NAME_WLE)
	file(GLOB compiled ${folder}/__pycache__/${module}.*.pyc)
	file(REMOVE ${file} ${compiled})
	list(APPEND folders ${folder}/__pycache__ ${folder})
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
	# Others, as PREFIX/bin, may have been empty before.
	while(folder MATCHES "/ompd(/|$)")
		execute_process(COMMAND rmdir ${folder} ERROR_QUIET)
		get_filename_component(folder ${folder} DIRECTORY)
	endwhile()
endforeach()
