/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens files that options name. */
#include "report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "comm.h"
#include "context.h"
#include "error.h"
#include "file.h"

bool op2i_report_writes(op2_context ctx, const char *name) {
  return !ctx->comm || ctx->comm->rank == 0 || strstr(name, "%r");
}

void op2i_report_path(op2_context ctx, const char *name, int64_t number, char *path, size_t size) {
  bool numbered = false, ranked = false;
  const int64_t numbers[] = {number, ctx->comm ? ctx->comm->rank : 0};
  size_t at = 0;
  for (; *name && at + 24 < size; name++) {
    const bool d = !numbered && !strncmp(name, "%d", 2), r = !ranked && !strncmp(name, "%r", 2);
    numbered = numbered || d, ranked = ranked || r;
    if (d || r)
      at += (size_t)snprintf(path + at, size - at, "%" PRId64, numbers[r]), name++;
    else
      path[at++] = *name;
  }
  path[at] = '\0';
}

FILE *op2i_report_open(const char *path, const char *by) {
  const int fd = op2i_file_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  FILE *stream = fd >= 0 && fcntl(fd, F_SETFL, 0) == 0 ? fdopen(fd, "w") : NULL;
  if (stream) return stream;
  (void)op2i_error(OP2_ERR_IO, "%s: %s", by,
                   errno == ENXIO ? "nobody reads from this pipe" : strerror(errno));
  if (fd >= 0) close(fd);
  return NULL;
}
