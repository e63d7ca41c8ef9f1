/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRUST_H
#define OP2I_TRUST_H

#include <stdbool.h>
#include <sys/types.h>

/* These functions decide whose code runs without being compiled here. `list` is the value of
 * OP2_CACHE_TRUST: names or numbers of users, and names or numbers of groups after an @, separated
 * by commas; it may be null. */

/* True for the user of this process, root, users on the list, and members of groups on the list. */
bool op2i_trust_user(const char *list, uid_t user);
/* True if this group is on the list: its members may write to folders of compiled loops. */
bool op2i_trust_group(const char *list, gid_t group);

#endif
