/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds what a compiler's message about a kernel leaves out: a name that is unknown to the kernel
 * may be known in the program's file, but the kernel sees nothing of that file. Compilers word
 * their messages differently and translate them, so only names are searched for in them. */
#include "hint.h"

#include <string.h>

#include "cnames.h"
#include "kernel.h"
#include "loop.h"
#include "mesh.h"
#include "reach.h"
#include "text.h"
#include "unit.h"

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* True if the message mentions the name in quotes of any kind or after "undefined symbol:". A line
 * of source that the message shows does not count: there a bar or blanks stand before names. */
static bool speaks_of(const char *message, const char *name, size_t length) {
  static const char *const before[] = {"'", "\"", "\xe2\x80\x98", "`", "symbol: "};
  for (const char *at = message; (at = strstr(at, name)); at++) {
    if (word_char(at[length])) continue;
    for (size_t b = 0; b < sizeof before / sizeof *before; b++) {
      size_t n = strlen(before[b]);
      if ((size_t)(at - message) >= n && !memcmp(at - n, before[b], n)) return true;
    }
  }
  return false;
}

/* True for a name that is used and is neither defined here nor the name of a constant. */
static bool stray(const struct op2i_unit *unit, const struct op2i_loop_const *consts, int nconsts,
                  int at, const char *name) {
  int t = unit->code[at];
  bool free_name = unit->roles[t] == OP2I_ROLE_FREE;
  bool declared = unit->roles[t] == OP2I_ROLE_FILE && op2i_unit_is(unit, at + 1, "(");
  if (!free_name && !declared) return false;
  if (op2i_unit_function(unit, t) >= 0) return false;
  const char *c_name = op2i_c_name(name); /* those that every kernel sees are misused */
  if (c_name && !strstr(c_name, "of the C library")) return false;
  for (int c = 0; c < nconsts; c++)
    if (!strcmp(consts[c].name, name)) return false;
  return true;
}

static void add_hint(struct op2i_text *message, const char *kernel, const char *name, bool called) {
  const char *c_name = op2i_c_name(name);
  if (c_name)
    op2i_text_add(message,
                  "\nnote: kernel '%s' uses '%s', %s. Kernels see <float.h>, <math.h>, <stddef.h> "
                  "and <stdint.h>; others are named in op2_kernel_desc.headers: \"<stdio.h>\"",
                  kernel, name, c_name);
  else if (called)
    op2i_text_add(
        message,
        "\nnote: kernel '%s' uses '%s', which its text does not define. A kernel sees its "
        "own text and its headers, and nothing else of the file around it: define helper "
        "functions with OP2_FUNCTION, or put them into op2_kernel_desc.source or into a header "
        "named in op2_kernel_desc.headers. Macros of the file are not expanded in it. Functions of "
        "libraries are linked by op2_kernel_desc.libraries or OP2_LDFLAGS",
        kernel, name);
  else
    op2i_text_add(message,
                  "\nnote: kernel '%s' uses '%s', which its text does not define. Macros and "
                  "variables of the file around a kernel are not known in it: declare a constant "
                  "(op2_const_create), pass an argument, or name a header in "
                  "op2_kernel_desc.headers",
                  kernel, name);
}

void op2i_kernel_hint(op2_kernel kernel, const struct op2i_loop_const *consts, int nconsts,
                      struct op2i_text *message) {
  enum { HINTS = 3 };
  struct op2i_unit unit;
  char reported[HINTS][64];
  struct op2i_macros macros = {0};
  int nreported = 0;
  op2_status status = op2i_unit_read(kernel->source, kernel->given, &unit);
  if (!status) op2i_reach_read(&unit.tokens, &macros);
  for (int p = 0; !status && p < unit.ncode && nreported < HINTS; p++) {
    const struct op2i_token *t = &unit.tokens.list[unit.code[p]];
    size_t length = t->end - t->begin;
    if (!op2i_unit_word(&unit, p) || length >= sizeof *reported) continue;
    char *name = reported[nreported];
    memcpy(name, unit.tokens.text + t->begin, length);
    name[length] = '\0';
    bool known = !stray(&unit, consts, nconsts, p, name) ||
                 op2i_reach_token(&macros, NULL, &unit.tokens, unit.code[p]);
    for (int i = 0; i < nreported && !known; i++) known = !strcmp(reported[i], name);
    if (known || message->failed || !speaks_of(message->chars, name, length)) continue;
    add_hint(message, kernel->obj.name, name, op2i_unit_is(&unit, p + 1, "("));
    nreported++;
  }
  op2i_macros_free(&macros);
  op2i_unit_free(&unit);
}
