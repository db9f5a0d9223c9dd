/* SPDX-License-Identifier: Apache-2.0 */
#include "names/separate.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In one of elfutils' folders there is a file of that name. */
static bool lies_beside(const char *file, const char *name)
{
	static const char *const patterns[] = {"%.*s/%s", "%.*s/.debug/%s",
					       "/usr/lib/debug%.*s/%s"};
	const char *slash = strrchr(file, '/');
	const int folder = slash ? (int)(slash - file) : 0;
	char path[2 * PATH_MAX];

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		snprintf(path, sizeof path, patterns[i], folder, file, name);
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* By the name that the file says, or that is usual. */
static bool is_there(const char *file, const char *link)
{
	char usual[PATH_MAX];
	const char *slash = strrchr(file, '/');

	snprintf(usual, sizeof usual, "%s.debug", slash ? slash + 1 : file);
	if (link && *link == '/')
		return access(link, R_OK) == 0;
	return lies_beside(file, link ? link : usual);
}

/* elfutils' own would load a client of HTTP, and the thirty libraries that this needs, to ask nobody: half of what it
 * takes to begin. So it is asked only where it finds a file. */
int separate_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       const char *file, const char *link, GElf_Word link_checksum, char **found)
{
	const int fd =
		dwfl_build_id_find_debuginfo(module, userdata, name, base, NULL, NULL, 0, found);

	if (fd >= 0 || !file)
		return fd;
	char *real = realpath(file, NULL);
	const bool any = is_there(file, link) || (real && is_there(real, link));

	free(real);
	return any ? dwfl_standard_find_debuginfo(module, userdata, name, base, file, link,
						  link_checksum, found)
		   : -1;
}
