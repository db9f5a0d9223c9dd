# SPDX-License-Identifier: Apache-2.0
# The system's GDB looks in /etc for what it loads by itself, not below /usr; an unpacked release does not know where it
# will be. Run by CPack on the tree that it is about to pack.
if(CPACK_GENERATOR MATCHES "^(DEB|RPM)$")
	set(top ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
	file(REMOVE_RECURSE ${top}/usr/etc)
	file(MAKE_DIRECTORY ${top}/etc/gdb/gdbinit.d)
	file(CREATE_LINK ../../../usr/share/ompd/ompd-gdb.py ${top}/etc/gdb/gdbinit.d/ompd.py SYMBOLIC)
endif()
