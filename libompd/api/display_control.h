/* SPDX-License-Identifier: Apache-2.0 */
#ifndef API_DISPLAY_CONTROL_H
#define API_DISPLAY_CONTROL_H

/* Frees the vectors that tools hold: after ompd_finalize they could not give them back. */
void control_vars_free(void);

#endif /* API_DISPLAY_CONTROL_H */
