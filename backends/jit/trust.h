/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_TRUST_H
#define OP2I_TRUST_H

#include <stdbool.h>
#include <sys/types.h>

/* These decide whose code is run without being compiled here. `list` is what OP2_CACHE_TRUST says:
 * names or numbers of users, and names or numbers of groups behind an @, with commas between them;
 * it may be null. */

/* True for the user of this process, root, users on the list, and members of groups on the list. */
bool op2i_trust_user(const char *list, uid_t user);
/* Whether this group is on the list: its members may write into folders of compiled loops. */
bool op2i_trust_group(const char *list, gid_t group);

#endif
