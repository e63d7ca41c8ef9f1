/* SPDX-License-Identifier: BSD-3-Clause */
/* op2-info: what the library that is installed here can do on this machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op2.h"

static const char usage[] =
    "Tell what op2 can do on this machine: its version, the backends and why others cannot be "
    "used,\n"
    "the workers that programs get, and devices.\n"
    "  op2-info                 all of that\n"
    "  op2-info --environment   the variables that programs obey, with default, value and meaning\n"
    "  op2-info --version       the version alone\n"
    "  op2-info --help          this\n"
    "It ends with status 1 if no program could run.\n";

static const char *const backends[] = {"starpu", "openmp", "sequential", "check",
                                       "cuda",   "hip",    "opencl",     "static"};

static int fail(void) {
  fprintf(stderr, "op2-info: %s\n", op2_error_message());
  return EXIT_FAILURE;
}

/* Print the lines of op2_explain() that do not concern loops. */
static int print_machine(op2_context ctx) {
  static const char *const wanted[] = {"machine: ", "workers: ", "  chosen because ", "device: "};
  char *text = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&text, &bytes);
  if (!stream || op2_explain(ctx, stream) || fclose(stream)) return fail();
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++)
      if (!strncmp(line, wanted[w], strlen(wanted[w]))) puts(line);
  free(text);
  return EXIT_SUCCESS;
}

static void print_backends(const char *usual) {
  puts("backends (OP2_BACKEND):");
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = op2_backend_unavailable(backends[b]);
    printf("  %-11s%s%s%s\n", backends[b], why ? "cannot be used: " : "can be used", why ? why : "",
           !strcmp(backends[b], usual) ? ", and is used unless another one is named" : "");
  }
}

static int print_all(void) {
  op2_context ctx = NULL;
  printf("op2 %s\n", op2_version());
  if (op2_init(NULL, &ctx)) return fail();
  print_backends(op2_backend_name(ctx));
  int status = print_machine(ctx);
  if (op2_finalize(&ctx)) status = fail();
  return status;
}

int main(int argc, char **argv) {
  const char *wish = argc > 1 ? argv[1] : "";
  if (argc == 1) return print_all();
  if (argc == 2 && !strcmp(wish, "--environment"))
    return op2_environment_write(stdout) ? fail() : EXIT_SUCCESS;
  if (argc == 2 && !strcmp(wish, "--version")) return puts(op2_version()) < 0;
  const int help = argc == 2 && (!strcmp(wish, "--help") || !strcmp(wish, "-h"));
  if (!help) fprintf(stderr, "op2-info: unknown argument %s\n", wish);
  fputs(usage, help ? stdout : stderr);
  return help ? EXIT_SUCCESS : EXIT_FAILURE;
}
