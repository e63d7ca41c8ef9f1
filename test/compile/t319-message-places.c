/* SPDX-License-Identifier: BSD-3-Clause */
/* A compiler's message about a kernel names the line and the column that the program's file has,
 * and shows that line, though the compiler was given the kernel's text on one line. The command is
 * in the message only where it may be at fault. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "support.h"
#include "text.h"

static const double lacking = 1, missing = 2;
/* clang-format off */
OP2_FUNCTION(twice, double, (double a), { return 2 * a; });
OP2_KERNEL(late, (double *x /* the
  value */, const double *y), {
  // a comment with a } and a "quote
  double a = twice(*y);   /* blanks */
  const char *word = "two  blanks, \"a quote\" and // no comment";
  *x = a + word[0] + lacking;
});
OP2_KERNEL(early, (double *x, const double *y), { *x = missing + *y; });
/* clang-format on */

/* Find the line and the column, from 1, of the first such words of this file. */
static void find_word(const char *word, int *line, int *column, char text[256]) {
  FILE *file = fopen(__FILE__, "r");
  *line = *column = 0;
  if (!ok(file != NULL, "the test's own text can be read")) return;
  for (int n = 1; !*line && fgets(text, 256, file); n++) {
    const char *at = strstr(text, word);
    if (at) {
      *line = n;
      *column = (int)(at - text) + 1;
    }
  }
  fclose(file);
  text[strcspn(text, "\n")] = '\0';
}

static const char *message_of(const op2_kernel_desc *desc, const char *compiler) {
  static char message[16384];
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache(), .cc = compiler};
  op2_context ctx = NULL;
  op2_set set = NULL;
  op2_dat x = NULL, y = NULL;
  op2_kernel kernel = NULL;
  double values[20];
  message[0] = '\0';
  op2_status status = op2_init(&options, &ctx);
  if (!status) status = op2_set_create(ctx, 20, "cells", &set);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "x", &x);
  if (!status) status = op2_dat_create(set, 1, OP2_F64, NULL, "y", &y);
  if (!status) status = op2_kernel_create(ctx, desc, &kernel);
  if (!status)
    status = op2_par_loop(kernel, set, op2_arg_direct(x, OP2_WRITE), op2_arg_direct(y, OP2_READ));
  if (!CHECK(status)) return message;
  FAILS(op2_dat_get(x, values), OP2_ERR_COMPILE);
  snprintf(message, sizeof message, "%s", op2_error_message());
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&y);
  op2_dat_destroy(&x);
  op2_set_destroy(&set);
  CHECK(op2_finalize(&ctx));
  return message;
}

static void says(const char *message, const char *what, const char *name) {
  if (!ok(strstr(message, what) != NULL, "%s: %s", name, what)) diag("%s", message);
}

/* Check that the message names the place of a word, and shows the line with a mark below it. */
static void placed(const op2_kernel_desc *desc, const char *word, const char *compiler) {
  char what[512], text[256];
  int line, column;
  find_word(word, &line, &column, text);
  const char *message = message_of(desc, compiler);
  snprintf(what, sizeof what, "%s:%d:%d: error: ", __FILE__, line, column);
  says(message, what, compiler);
  snprintf(what, sizeof what, "\n%5d | %s\n      | %*s\n", line, text, column, "^");
  says(message, what, compiler);
  ok(!strstr(message, "late_k") && !strstr(message, "early_k") &&
         !strstr(message, "the command was:"),
     "%s: neither keys nor the command", compiler);
  const char *note = strstr(message, "note: kernel");
  snprintf(what, sizeof what, "uses '%.7s'", word);
  ok(note && strstr(note, what), "%s: the library's note comes last", compiler);
}

static void compilers(void) {
  static const char *const names[] = {"gcc", "clang"};
  for (int i = 0; i < 2; i++) {
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null", names[i]);
    if (system(command)) {
      skip("there is no %s", names[i]);
      continue;
    }
    placed(&late_kernel, "lacking;", names[i]);
    placed(&early_kernel, "missing + *y", names[i]);
    const op2_kernel_desc plain = {
        .name = "plain",
        .source = "void plain(double *x, const double *y) {\n  *x = *y + unknown;\n}\n"};
    says(message_of(&plain, names[i]), "kernel:plain:2: error: ", names[i]);
    says(message_of(&plain, names[i]), "\n      |   *x = *y + unknown;\n      |             ^\n",
         names[i]);
  }
}

static void flags(void) {
  setenv("OP2_CFLAGS", "-DNOTHING=1", 1);
  says(message_of(&early_kernel, "gcc"), "the command, with the flags of OP2_CFLAGS was:", "gcc");
  unsetenv("OP2_CFLAGS");
}

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *write_file(const char *text) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/given.c", test_scratch());
  FILE *file = fopen(path, "w");
  ok(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file of the program is written");
  return path;
}

/* Check what becomes of a message about column `column` of the only line of generated text. */
static void becomes(const char *given, const char *generated, int column, const char *expected) {
  char unit[16384], printed[16384], want[16384];
  struct op2i_text out = {0};
  const char *path = write_file(given);
  snprintf(unit, sizeof unit, "int a;\n#line 2 \"%s\"\n%s\n#line 1 \"op2:x\"\nint b;\n", path,
           generated);
  snprintf(printed, sizeof printed,
           "%s: In function 'f':\n%s:2:%d: error: no\n    2 | x\n      | ^", path, path, column);
  snprintf(want, sizeof want, "%s: In function 'f':\n%s:%s", path, path, expected);
  ok(op2i_messages_place(printed, unit, &out), "the message is about a kernel's text");
  is_str(out.chars, want, "%s", generated);
  op2i_text_free(&out);
}

static void texts(void) {
  const char *key = "_k0123456789abcdef0123456789abcdef";
  char generated[256];
  becomes("//\nK(f, (int *a),\n{ *a = b; });\n", "void F(f)(int *a) { *a = b; }", 26,
          "3:8: error: no\n    3 | { *a = b; });\n      |        ^");
  becomes(
      "//\nK(f, (int *a), { *a =\n  b; });\n", "void F(f)(int *a) { *z = b; }", 26,
      "2: error: no\n      | void F(f)(int *a) { *z = b; }\n      |                          ^");
  becomes("//\n  \"  *a = b;\\n\"\n", "  *a = b;", 8,
          "2:11: error: no\n    2 |   \"  *a = b;\\n\"\n      |           ^");
  becomes("//\n", "void f(int *a) { *a = b; }", 23,
          "2: error: no\n      | void f(int *a) { *a = b; }\n      |                       ^");
  snprintf(generated, sizeof generated, "void f%s(int *a) { *a = g%s(b); }", key, key);
  becomes("//\nK(f, (int *a), { *a = g(b); });\n", generated,
          (int)(strstr(generated, "b)") - generated) + 1,
          "2:25: error: no\n    2 | K(f, (int *a), { *a = g(b); });\n      |                       "
          "  ^");
  becomes("//\nM(f, g(b));\n", "void F(f)(int *a) { *a = g(b); }", 28,
          "2: error: no\n      | void F(f)(int *a) { *a = g(b); }\n      |                     "
          "       ^");
  becomes("//\r\nK(f, (int *a), { *a = \\\r\n b; });\r\n", "void F(f)(int *a) { *a = b; }", 26,
          "3:2: error: no\n    3 |  b; });\n      |  ^");
  /* The columns of GCC are those of the program's line on a terminal, those of clang are bytes. */
  becomes(
      "//\n\tK(f, (int *a), { *a = b; });\n", "void F(f)(int *a) { *a = b; }", 33,
      "2:24: error: no\n    2 | \tK(f, (int *a), { *a = b; });\n      | \t                      "
      "^");
  becomes("//\nK(f, (int *a), { g(\"\xc3\xa4\", b); });\n",
          "void F(f)(int *a) { g(\"\xc3\xa4\", b); }", 28,
          "2:26: error: no\n    2 | K(f, (int *a), { g(\"\xc3\xa4\", b); });\n      |             "
          "            ^");
  struct op2i_text out = {0};
  ok(!op2i_messages_place("cc: error: no such flag\nop2:x:1:3: error: b",
                          "#line 1 \"op2:x\"\nint b;\n", &out),
     "others are not");
  is_str(out.chars, "cc: error: no such flag\nop2:x:1:3: error: b", "and stay as they are");
  op2i_text_free(&out);
}

/* Numbers agree with the words of what they count. */
static void counts(void) {
  is_str(OP2I_N(1, "loop"), "1 loop", "one");
  is_str(OP2I_N(0, "loop"), "0 loops", "none");
  is_str(OP2I_N(INT64_MAX, "byte"), "9223372036854775807 bytes", "very many");
  is_str(OP2I_N(2, "launch"), "2 launches", "a word in ch");
  is_str(OP2I_N(2, "halo class"), "2 halo classes", "a word in s");
}

int main(void) {
  test_environment();
  ok(twice(lacking) == missing, "the function is the program's, too");
  compilers();
  flags();
  texts();
  counts();
  return done();
}
