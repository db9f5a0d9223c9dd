/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

struct library library;
