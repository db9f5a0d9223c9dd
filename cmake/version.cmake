# SPDX-License-Identifier: Apache-2.0
# At each build: which version is it, of which commit? source: the tree; version: the project's; file: where
# `ompd --version' finds it; header: where libompd does; date: what files of a package are dated. Written only if it
# has changed.
set(text ${version})
# Those of an unpacked archive are as old as its commit.
file(TIMESTAMP ${source}/CMakeLists.txt seconds %s UTC)
execute_process(COMMAND git -C ${source} rev-parse --show-toplevel
	OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
# An unpacked archive may lie in somebody else's repository.
if(NOT failed AND top STREQUAL source)
	execute_process(COMMAND git -C ${source} describe --always --dirty --exclude=* --abbrev=10
		OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
	execute_process(COMMAND git -C ${source} log -1 --format=%ct OUTPUT_VARIABLE committed OUTPUT_STRIP_TRAILING_WHITESPACE)
	if(NOT failed)
		set(seconds ${committed})
		string(REPLACE "-dirty" ", changed" commit ${commit})
		set(text "${version} (commit ${commit})")
	endif()
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})
	set(seconds $ENV{SOURCE_DATE_EPOCH})
endif()
function(write file text)
	file(WRITE ${file}.new "${text}\n")
	configure_file(${file}.new ${file} COPYONLY)
	file(REMOVE ${file}.new)
endfunction()
write(${file} "${text}")
write(${header} "#define OMPD_VERSION_STRING \"${text}\"")
write(${date} ${seconds})
