# SPDX-License-Identifier: Apache-2.0
# At the end of the installation: a user's GDB cannot write there what would save it half of the first command's time.
# folder: where the plugin was installed; python: the one that GDB is linked with, if there is one.
if(python)
	execute_process(COMMAND ${python} -m compileall -q ${folder} RESULT_VARIABLE failed)
	if(failed)
		message(FATAL_ERROR "${python} -m compileall failed: ${failed}")
	endif()
endif()
