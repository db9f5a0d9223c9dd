/* SPDX-License-Identifier: Apache-2.0
 *
 * Debug information in a file of its own, of this machine: a Dwfl_Callbacks' find_debuginfo.
 */
#ifndef SAMPLER_SEPARATE_H
#define SAMPLER_SEPARATE_H

#include <elfutils/libdwfl.h>

int separate_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       const char *file, const char *link, GElf_Word link_checksum, char **found);

#endif /* SAMPLER_SEPARATE_H */
