# SPDX-License-Identifier: Apache-2.0
# At each build: which version is it, of which commit? source: the tree; version: the project's; file: where
# `ompd --version' finds it; header: where libompd does. Written only if it has changed.
set(text ${version})
execute_process(COMMAND git -C ${source} rev-parse --show-toplevel
	OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
# An unpacked archive may lie in somebody else's repository.
if(NOT failed AND top STREQUAL source)
	execute_process(COMMAND git -C ${source} describe --always --dirty --exclude=* --abbrev=10
		OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
	if(NOT failed)
		string(REPLACE "-dirty" ", changed" commit ${commit})
		set(text "${version} (commit ${commit})")
	endif()
endif()
function(write file text)
	file(WRITE ${file}.new "${text}\n")
	configure_file(${file}.new ${file} COPYONLY)
	file(REMOVE ${file}.new)
endfunction()
write(${file} "${text}")
write(${header} "#define OMPD_VERSION_STRING \"${text}\"")
