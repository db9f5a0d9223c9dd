/* SPDX-License-Identifier: Apache-2.0
 *
 * Where is libomptarget's PluginManager, which holds all? A hidden variable leads to it, so it is found by what it
 * looks like: two trees and a list of devices, each with a tree of its own, that prove themselves.
 */
#ifndef OFFLOAD_MANAGER_H
#define OFFLOAD_MANAGER_H

#include "offload/reading.h"
#include "target/image.h"

enum manager_found { MANAGER_NONE, MANAGER_ONE, MANAGER_SEVERAL };

/* Fills reading->manager, ->devices and ->policy when there is one. */
ompd_rc_t manager_find(struct offload_reading *reading, const struct image *image,
		       enum manager_found *ret);

#endif /* OFFLOAD_MANAGER_H */
