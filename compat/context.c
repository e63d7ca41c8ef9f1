/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end of a program for OP2, and what becomes of errors: such programs expect that calls
 * do not return from them. */
#include "compat.h"
#include "mem.h"
#include "ranks.h"

struct op2i_compat op2i_compat;
int OP_diags;
const struct op2_compat_ranks *op2i_compat_ranks;

void op2i_compat_end(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fflush(stdout);
  fprintf(stderr, "op2-compat: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, "\n");
  va_end(list);
  if (op2i_compat.ctx && !op2i_compat_alone()) op2i_compat_ranks->abort();
  exit(1);
}

void op2i_compat_warn(const char *format, ...) {
  if (!op_is_root()) return;
  va_list list;
  va_start(list, format);
  fprintf(stderr, "op2-compat warning: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, "\n");
  va_end(list);
}

void op2i_compat_check(op2_status status, const char *call) {
  if (status) op2i_compat_end("%s: %s", call, op2_error_message());
}

void *op2i_compat_memory(size_t bytes) {
  void *memory = op2i_calloc(1, bytes ? bytes : 1);
  if (!memory) op2i_compat_end("memory is lacking: %zu bytes", bytes);
  return memory;
}

void op2i_compat_append(void *list, size_t bytes, int64_t *count, int64_t *capacity,
                        const void *element) {
  char *base;
  if (op2i_grow(list, bytes, *count, capacity)) op2i_compat_end("memory is lacking");
  memcpy(&base, list, sizeof base);
  memcpy(base + (size_t)(*count)++ * bytes, element, bytes);
}

int op2i_compat_maps_base(const char *word, int base) {
  static const char option[] = "OP_MAPS_BASE_INDEX=";
  const char *at = strstr(word, option);
  if (!at) return base;
  at += sizeof option - 1;
  if (strcmp(at, "0") && strcmp(at, "1"))
    op2i_compat_end("op_init: %s%s: maps begin with 0 or 1", option, at);
  return at[0] - '0';
}

void op_init(int argc, char **argv, int diags) {
  OP_diags = diags;
  for (int i = 1; i < argc; i++)
    op2i_compat.maps_base = op2i_compat_maps_base(argv[i], op2i_compat.maps_base);
  if (op2i_compat.ctx) return;
  op2i_compat_check(op2i_compat_ranks ? op2i_compat_ranks->begin(&op2i_compat.ctx)
                                      : op2_init(NULL, &op2i_compat.ctx),
                    "op_init");
  op2i_compat.run++;
}

void op_init_soa(int argc, char **argv, int diags, int soa) {
  (void)soa;
  op_init(argc, argv, diags);
}

static void free_lists(void) {
  for (int64_t i = 0; i < op2i_compat.nmaps; i++) {
    op2i_free(op2i_compat.maps[i]->map);
    op2i_free((char *)op2i_compat.maps[i]->name);
    op2i_free(op2i_compat.maps[i]);
  }
  for (int64_t i = 0; i < op2i_compat.ndats; i++) {
    op2i_free((char *)op2i_compat.dats[i]->name);
    op2i_free((char *)op2i_compat.dats[i]->type);
    op2i_free(op2i_compat.dats[i]);
  }
  for (int64_t i = 0; i < op2i_compat.nsets; i++) {
    op2i_free((char *)op2i_compat.sets[i]->name);
    op2i_free(op2i_compat.sets[i]);
  }
  op2i_free(op2i_compat.maps);
  op2i_free(op2i_compat.dats);
  op2i_free(op2i_compat.sets);
}

void op_exit(void) {
  if (!op2i_compat.ctx) return;
  op2i_compat_close_view();
  op2i_compat_forget_results();
  op2i_compat_forget_sections();
  op2i_compat_forget_kernels();
  op2i_compat_forget_owners();
  op2i_compat_check(op2_finalize(&op2i_compat.ctx), "op_exit");
  if (op2i_compat.trial) op2i_compat_check(op2_finalize(&op2i_compat.trial), "op_exit");
  free_lists();
  op2i_compat = (struct op2i_compat){.run = op2i_compat.run};
  if (op2i_compat_ranks) op2i_compat_ranks->end();
}
