/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of headers as options of OpenCL's compilers. */
#define _GNU_SOURCE
#include "opencl_include.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "error.h"

/* Whether it can be a word of the options as it is. */
static bool is_word(const char *path) {
  for (const unsigned char *c = (const unsigned char *)path; *c; c++)
    if (*c <= ' ' || strchr("\"'\\", *c)) return false;
  return true;
}

static op2_status make_folder(struct op2i_opencl_links *links) {
  const char *parent = op2i_env_system("TMPDIR");
  if (links->folder[0]) return OP2_SUCCESS;
  if (!parent || !is_word(parent) || strlen(parent) > sizeof links->folder / 2) parent = "/tmp";
  snprintf(links->folder, sizeof links->folder, "%s/op2-opencl-XXXXXX", parent);
  if (mkdtemp(links->folder)) return OP2_SUCCESS;
  links->folder[0] = '\0';
  return op2i_error(OP2_ERR_IO, "a folder in %s for links to folders of headers: %s", parent,
                    strerror(errno));
}

static void link_name(const struct op2i_opencl_links *links, int i, char *name, size_t room) {
  snprintf(name, room, "%s/%d", links->folder, i);
}

static op2_status add_link(struct op2i_opencl_links *links, const char *path,
                           struct op2i_text *options) {
  char real[PATH_MAX], name[sizeof links->folder + 16];
  if (!realpath(path, real)) return OP2_SUCCESS; /* one that is not there has no headers */
  op2_status status = make_folder(links);
  if (status != OP2_SUCCESS) return status;
  link_name(links, links->n, name, sizeof name);
  if (symlink(real, name) != 0)
    return op2i_error(OP2_ERR_IO, "a link %s to %s: %s", name, real, strerror(errno));
  links->n++;
  op2i_text_add(options, " -I%s", name);
  return OP2_SUCCESS;
}

op2_status op2i_opencl_include(struct op2i_opencl_links *links, const char *const *includes,
                               struct op2i_text *options) {
  op2_status status = OP2_SUCCESS;
  for (; includes && *includes && status == OP2_SUCCESS; includes++) {
    if (is_word(*includes))
      op2i_text_add(options, " -I%s", *includes);
    else
      status = add_link(links, *includes, options);
  }
  return status;
}

void op2i_opencl_links_remove(struct op2i_opencl_links *links) {
  char name[sizeof links->folder + 16];
  for (; links->n > 0; links->n--) {
    link_name(links, links->n - 1, name, sizeof name);
    (void)unlink(name);
  }
  if (links->folder[0]) (void)rmdir(links->folder);
  links->folder[0] = '\0';
}
