/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of a program's sections, which form a tree. */
#include <errno.h>

#include "compat.h"
#include "mem.h"
#include "op_profile.h"

struct section {
  char *name;
  int64_t calls;
  double total, least, most; /* seconds */
  double began;              /* of the present call */
  struct section *parent, *children, *next;
};

/* The outermost section, and the one that the program is in; null: none. */
static struct section *whole, *present;

static int level(void) {
  const char *text = getenv("OP_PROFILE_LEVEL");
  return text && *text ? atoi(text) : 2;
}

/* The clock, when all that was queued has run. */
static double now(void) {
  double cpu, elapsed;
  op_timers(&cpu, &elapsed);
  return elapsed;
}

static struct section *make(const char *name, struct section *parent) {
  struct section *s = op2i_compat_memory(sizeof *s);
  s->name = op2i_strdup(name ? name : "");
  if (!s->name) op2i_compat_end("memory is lacking");
  s->parent = parent;
  return s;
}

static void forget(struct section *s) {
  while (s) {
    struct section *next = s->next;
    forget(s->children);
    op2i_free(s->name);
    op2i_free(s);
    s = next;
  }
}

void op2i_compat_forget_sections(void) {
  forget(whole);
  whole = present = NULL;
}

static void enter(const char *name) {
  struct section **at = &present->children;
  while (*at && strcmp((*at)->name, name)) at = &(*at)->next;
  if (!*at) *at = make(name, present);
  present = *at;
}

/* Add the time of the present call to the section, and return to the one around it. */
static void leave(double time) {
  struct section *s = present;
  double seconds = time - s->began;
  s->least = s->calls && s->least < seconds ? s->least : seconds;
  s->most = s->most > seconds ? s->most : seconds;
  s->total += seconds;
  s->calls++;
  present = s->parent;
}

void op_profile_start(const char *name) {
  if (!level()) return;
  op2i_compat_forget_sections();
  whole = present = make(name, NULL);
  whole->began = now();
}

void op_profile_enter(const char *name) {
  if (!level()) return;
  if (!present) op_profile_start("program");
  enter(name);
  present->began = now();
}

void op_profile_exit(void) {
  if (!level()) return;
  if (!present || present == whole) op2i_compat_end("op_profile_exit: there is no section to end");
  leave(now());
}

void op_profile_next(const char *name) {
  op_profile_exit();
  op_profile_enter(name);
}

void op_profile_end(void) {
  if (!present) return;
  double time = now();
  while (present) leave(time);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print(const struct section *s, int depth) {
  for (; s; s = s->next) {
    printf("%*s%-*s %10lld %12.6f %12.6f %12.6f\n", 2 * depth, "", 40 - 2 * depth, s->name,
           (long long)s->calls, s->total, s->least, s->most);
    print(s->children, depth + 1);
  }
}

static void json_text(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', file);
    if ((unsigned char)*text < ' ')
      fprintf(file, "\\u%04x", (unsigned char)*text);
    else
      fputc(*text, file);
  }
  fputc('"', file);
}

static void json(FILE *file, const struct section *s) {
  fprintf(file, "{\"name\": ");
  json_text(file, s->name);
  fprintf(file, ", \"calls\": %lld, \"total\": %.9g, \"min\": %.9g, \"max\": %.9g, \"children\": [",
          (long long)s->calls, s->total, s->least, s->most);
  for (const struct section *child = s->children; child; child = child->next) {
    json(file, child);
    if (child->next) fprintf(file, ", ");
  }
  fprintf(file, "]}");
}

void op_profile_output_json(const char *name) {
  if (!whole || !op_is_root()) return;
  FILE *file = fopen(name, "w");
  if (!file)
    op2i_compat_end("op_profile_output_json: %s cannot be written: %s", name, strerror(errno));
  json(file, whole);
  fputc('\n', file);
  if (ferror(file) | fclose(file))
    op2i_compat_end("op_profile_output_json: %s cannot be written", name);
}

void op_profile_output(void) {
  const char *name = getenv("OP_PROFILE_JSON_OUTPUT");
  if (!level()) return;
  op_profile_end();
  if (whole && op_is_root()) {
    printf("%-40s %10s %12s %12s %12s\n", "section", "calls", "seconds", "least", "most");
    print(whole, 0);
  }
  if (level() > 1) op_timing_output();
  if (name && *name) op_profile_output_json(name);
}
