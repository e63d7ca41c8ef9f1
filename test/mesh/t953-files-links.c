/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is created under a symbolic link is written to the link's target, whether that exists
 * or not, and the link stays: chains, loops and links to folders that cannot be written, on one
 * rank and on several. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "init.h"
#include "op2/io.h"
#include "rank_case.h"
#include "support.h"

static char top[400]; /* the folder of one case */
static int ranks;     /* 0: alone */

static const char *in_top(const char *name) {
  static char paths[4][512];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", top, name);
  return path;
}

static void make_link(const char *to, const char *name) {
  if (symlink(to, in_top(name))) diag("symlink %s: %s", name, strerror(errno));
}

/* True if the link still has this text. */
static bool leads_to(const char *name, const char *to) {
  char text[512];
  ssize_t n = readlink(in_top(name), text, sizeof text - 1);
  text[n < 0 ? 0 : n] = '\0';
  return !strcmp(text, to);
}

static bool is_file(const char *name) {
  struct stat st;
  return lstat(in_top(name), &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_absent(const char *name) {
  struct stat st;
  return lstat(in_top(name), &st) != 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The task of all ranks: `value` is written and read again under this path. */
struct order {
  const char *path;
  double value;
  op2_status want;
  const char *word; /* in the message of a failure */
};

static op2_status write_file(op2_context ctx, const struct order *order) {
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, order->path, OP2_FILE_CREATE, &file);
  if (!status) status = op2_file_write_const(file, 1, OP2_F64, "value", &order->value);
  const op2_status closed = op2_file_close(&file);
  return status ? status : closed;
}

static op2_status read_file(op2_context ctx, const struct order *order, double *value) {
  op2_file file = NULL;
  op2_status status = op2_file_open(ctx, order->path, OP2_FILE_READ, &file);
  if (!status) status = op2_file_read_const(file, 1, OP2_F64, "value", value);
  const op2_status closed = op2_file_close(&file);
  return status ? status : closed;
}

static int on_rank(struct op2i_comm *comm, void *data) {
  const struct order *order = data;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx = NULL;
  double value = -1;
  int bad = 0;
  if (op2i_init_ranks(&options, comm, &ctx)) return 100;
  op2_status status = write_file(ctx, order);
  if (status != order->want) bad++;
  if (status) bad += !strstr(op2_error_message(), order->word);
  if (bad) diag("%s: %s", order->path, status ? op2_error_message() : "created");
  if (!status) bad += read_file(ctx, order, &value) || value != order->value;
  if (op2_finalize(&ctx)) bad++;
  return bad;
}

static bool carry_out(struct order order) {
  return (ranks ? run_contexts(ranks, on_rank, &order) : on_rank(NULL, &order)) == 0;
}

static bool creates(const char *name) {
  static double value;
  return carry_out((struct order){in_top(name), ++value, OP2_SUCCESS, ""});
}

static bool refuses(const char *name, const char *word) {
  return carry_out((struct order){in_top(name), 0, OP2_ERR_IO, word});
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void to_nothing(void) {
  make_link("later.h5", "link");
  ok(creates("link") && leads_to("link", "later.h5") && is_file("later.h5") &&
         is_absent("later.h5.op2-part") && is_absent("link.op2-part"),
     "%d ranks: a link to a file that is not there yet", ranks);
  ok(creates("link") && leads_to("link", "later.h5") && is_file("later.h5"),
     "%d ranks: and once more when it is there", ranks);
}

static void elsewhere(void) {
  char absolute[512];
  snprintf(absolute, sizeof absolute, "%s", in_top("folder/absolute.h5"));
  mkdir(in_top("folder"), 0700);
  make_link(absolute, "link");
  make_link("folder/relative.h5", "other");
  make_link("folder", "short");
  make_link("../beside.h5", "folder/up");
  ok(creates("link") && leads_to("link", absolute) && is_file("folder/absolute.h5"),
     "%d ranks: an absolute link", ranks);
  ok(creates("other") && leads_to("other", "folder/relative.h5") && is_file("folder/relative.h5"),
     "%d ranks: a relative link to another folder", ranks);
  ok(creates("short/up") && leads_to("short", "folder") && leads_to("folder/up", "../beside.h5") &&
         is_file("beside.h5"),
     "%d ranks: a link in a folder that is a link is relative to the folder itself", ranks);
}

static void chain(void) {
  mkdir(in_top("deep"), 0700);
  make_link("second", "first");
  make_link("deep/third", "second");
  make_link("end.h5", "deep/third");
  ok(creates("first") && leads_to("first", "second") && leads_to("second", "deep/third") &&
         leads_to("deep/third", "end.h5") && is_file("deep/end.h5"),
     "%d ranks: a chain of links", ranks);
}

static void loops(void) {
  make_link("b", "a");
  make_link("a", "b");
  make_link("self", "self");
  ok(refuses("a", in_top("a")) && refuses("a", strerror(ELOOP)) && leads_to("a", "b") &&
         leads_to("b", "a"),
     "%d ranks: two links that lead to each other", ranks);
  ok(refuses("self", strerror(ELOOP)) && leads_to("self", "self"),
     "%d ranks: a link that leads to itself", ranks);
}

static void to_no_file(void) {
  mkdir(in_top("folder"), 0700);
  make_link("folder", "link");
  make_link("absent/file.h5", "lost");
  make_link("/proc/op2-no-file.h5", "proc");
  ok(refuses("link", strerror(EISDIR)) && leads_to("link", "folder"),
     "%d ranks: a link to a folder", ranks);
  ok(refuses("lost", strerror(ENOENT)) && leads_to("lost", "absent/file.h5"),
     "%d ranks: a link into a folder that is not there", ranks);
  if (access("/proc/self", F_OK) != 0)
    skip("there is no /proc");
  else
    ok(refuses("proc", "cannot be created") && leads_to("proc", "/proc/op2-no-file.h5"),
       "%d ranks: a link to where nobody can create files", ranks);
}

static void not_writable(void) {
  if (geteuid() == 0) {
    skip("permissions of folders do not hold for the superuser");
    return;
  }
  mkdir(in_top("closed"), 0700);
  make_link("closed/new.h5", "link");
  if (chmod(in_top("closed"), 0500)) diag("chmod: %s", strerror(errno));
  ok(refuses("link", strerror(EACCES)) && leads_to("link", "closed/new.h5") &&
         is_absent("closed/new.h5"),
     "%d ranks: a link into a folder without permission to write", ranks);
  if (chmod(in_top("closed"), 0700)) diag("chmod: %s", strerror(errno));
}

int main(void) {
  static void (*const cases[])(void) = {to_nothing, elsewhere,  chain,
                                        loops,      to_no_file, not_writable};
  test_environment();
  for (ranks = 0; ranks <= 3; ranks++)
    for (int c = 0; c < (int)(sizeof cases / sizeof *cases); c++) {
      snprintf(top, sizeof top, "%s/%d-%d", test_scratch(), ranks, c);
      if (mkdir(top, 0700)) diag("mkdir %s: %s", top, strerror(errno));
      cases[c]();
    }
  return done();
}
