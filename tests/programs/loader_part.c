/* SPDX-License-Identifier: Apache-2.0
 *
 * The library that loader.c loads.
 */
void loading(void);

__attribute__((constructor)) static void construct(void)
{
	loading();
}
