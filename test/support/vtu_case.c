/* SPDX-License-Identifier: BSD-3-Clause */
#include "vtu_case.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OP2_MESHFILE_ZLIB
#include <zlib.h>
#endif

bool vtu_open(const char *path, struct vtu *vtu) {
  FILE *file = fopen(path, "rb");
  *vtu = (struct vtu){malloc(1 << 22), 0};
  if (!file) return false;
  vtu->size = fread(vtu->data, 1, (1 << 22) - 1, file);
  vtu->data[vtu->size] = '\0';
  fclose(file);
  return true;
}

void vtu_close(struct vtu *vtu) { free(vtu->data); }

bool vtu_has(const struct vtu *vtu, const char *text) { return strstr(vtu->data, text) != NULL; }

long vtu_number(const struct vtu *vtu, const char *element, const char *attribute) {
  const char *at = strstr(vtu->data, element), *end = at ? strchr(at, '>') : NULL;
  char text[60];
  snprintf(text, sizeof text, " %s=\"", attribute);
  at = at ? strstr(at, text) : NULL;
  return at && at < end ? atol(at + strlen(text)) : -1;
}

/* Where the appended data begin: behind the mark. */
static const char *appended(const struct vtu *vtu) {
  const char *at = strstr(vtu->data, "<AppendedData encoding=\"raw\">");
  at = at ? strchr(at, '_') : NULL;
  return at ? at + 1 : NULL;
}

static void *plain(const char *at, const char *end, size_t *size) {
  uint64_t bytes;
  memcpy(&bytes, at, 8);
  if ((size_t)(end - at) < bytes + 8) return NULL;
  void *values = malloc(bytes + 1);
  memcpy(values, at + 8, bytes);
  *size = bytes;
  return values;
}

static void *unpacked(const char *at, const char *end, size_t *size) {
#ifdef OP2_MESHFILE_ZLIB
  uint64_t front[3], got;
  memcpy(front, at, sizeof front);
  if (front[0] > 1000 || front[1] > 1 << 24) return NULL;
  unsigned char *values = malloc(front[0] * front[1] + 1);
  const char *from = at + 8 * (3 + front[0]);
  *size = 0;
  for (uint64_t b = 0; b < front[0]; b++) {
    uLongf length = front[1];
    memcpy(&got, at + 8 * (3 + b), sizeof got);
    if (from + got > end || uncompress(values + *size, &length, (const Bytef *)from, got)) {
      free(values);
      return NULL;
    }
    from += got;
    *size += length;
  }
  return values;
#else
  (void)at, (void)end, (void)size;
  return NULL;
#endif
}

void *vtu_array(const struct vtu *vtu, const char *name, size_t *size) {
  char text[300];
  snprintf(text, sizeof text, " Name=\"%s\"", name);
  const long offset = vtu_number(vtu, text, "offset");
  const char *at = appended(vtu);
  *size = 0;
  if (offset < 0 || !at || (size_t)offset + 8 > vtu->size) return NULL;
  return (vtu_has(vtu, "vtkZLibDataCompressor") ? unpacked : plain)(at + offset,
                                                                    vtu->data + vtu->size, size);
}
