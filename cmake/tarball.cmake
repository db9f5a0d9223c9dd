# SPDX-License-Identifier: Apache-2.0
# Run by CPack when it has packed. Its own tarball tells who made it, and when: made again, of the same tree.
if(CPACK_GENERATOR STREQUAL TGZ)
	if(NOT CPACK_OMPD_RELEASE)
		file(REMOVE ${CPACK_PACKAGE_FILES})
		message(FATAL_ERROR "What is built here needs this machine's libraries. A release is made by: "
			"cmake -S . -B build/release -DOMPD_RELEASE=ON && cmake --build build/release --target package")
	endif()
	file(STRINGS ${CPACK_OMPD_BUILD}/date.txt date)
	get_filename_component(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY} DIRECTORY)
	get_filename_component(name ${CPACK_TEMPORARY_INSTALL_DIRECTORY} NAME)
	execute_process(
		COMMAND tar --format=gnu --sort=name --mtime=@${date} --mode=u=rwX,go=rX --owner=0 --group=0 --numeric-owner
			-C ${folder} -cf - ${name}
		COMMAND gzip -9n
		OUTPUT_FILE ${CPACK_PACKAGE_FILES} COMMAND_ERROR_IS_FATAL ANY)
endif()
