/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_VTU_CASE_H
#define OP2_TEST_VTU_CASE_H

#include <stdbool.h>
#include <stddef.h>

/* A reader of VTU files that knows what the format says and nothing of who wrote them. */

struct vtu {
  char *data;
  size_t size;
};

bool vtu_open(const char *path, struct vtu *vtu);
void vtu_close(struct vtu *vtu);
/* The number in an attribute of the first element that has this text; -1: there is none. */
long vtu_number(const struct vtu *vtu, const char *element, const char *attribute);
/* The values of the array of this name, *size bytes of them; null: it is not there, or damaged. The
 * caller frees them. */
void *vtu_array(const struct vtu *vtu, const char *name, size_t *size);
bool vtu_has(const struct vtu *vtu, const char *text);

#endif
