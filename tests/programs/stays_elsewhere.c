/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of another file, of which two have a name that stays.c uses for its own.
 */
static int elsewhere = 999;
static int middle = 888;
static int only_here = 777;

int shared_elsewhere(void)
{
	return elsewhere++ + middle++ + only_here++;
}
