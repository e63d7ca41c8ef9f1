/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of structs that programs are compiled with does not change (doc/abi.md), and reserved
 * space must be zero. Only 64-bit systems have this guarantee. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

struct layout {
  const char *name;
  size_t is, want;
};

static void layouts(void) {
  static const struct layout all[] = {
      {"op2_arg", sizeof(op2_arg), 64},
      {"op2_arg.object", offsetof(op2_arg, object), 8},
      {"op2_arg.map", offsetof(op2_arg, map), 16},
      {"op2_arg.idx", offsetof(op2_arg, idx), 32},
      {"op2_arg.dim", offsetof(op2_arg, dim), 40},
      {"op2_arg.type", offsetof(op2_arg, type), 44},
      {"op2_arg.access", offsetof(op2_arg, access), 48},
      {"op2_arg.value", offsetof(op2_arg, value), 56},
      {"op2_where", sizeof(op2_where), 16},
      {"op2_error", sizeof(op2_error), 64},
      {"op2_error.argument", offsetof(op2_error, argument), 28},
      {"op2_scalar", sizeof(op2_scalar), 48},
      {"op2_scalar.denominator", offsetof(op2_scalar, denominator), 16},
      {"op2_options", sizeof(op2_options), 144},
      {"op2_options.graph_file", offsetof(op2_options, graph_file), 48},
      {"op2_options.log_level", offsetof(op2_options, log_level), 56},
      {"op2_kernel_desc", sizeof(op2_kernel_desc), 96},
      {"op2_kernel_desc.line", offsetof(op2_kernel_desc, line), 40},
      {"op2_kernel_desc.threads", offsetof(op2_kernel_desc, threads), 44},
      {"op2_kernel_desc.libraries", offsetof(op2_kernel_desc, libraries), 48},
      {"op2_kernel_desc.function", offsetof(op2_kernel_desc, function), 56},
      {"op2_kernel_desc.remark", offsetof(op2_kernel_desc, remark), 64},
      {"op2_kernel_desc.functions", offsetof(op2_kernel_desc, functions), 72},
      {"op2_profile", sizeof(op2_profile), 128},
      {"op2_profile.bytes", offsetof(op2_profile, bytes), 40},
      {"op2_times", sizeof(op2_times), 128},
      {"op2_times.loaded", offsetof(op2_times, loaded), 56},
      {"op2_comm_stats", sizeof(op2_comm_stats), 104},
      {"op2_comm_stats.waited", offsetof(op2_comm_stats, waited), 32},
      {"op2_comm_neighbour", sizeof(op2_comm_neighbour), 56},
      {"op2_comm_dat", sizeof(op2_comm_dat), 64},
      {"op2_entries_desc", sizeof(op2_entries_desc), 32},
      {"op2_entries_desc.global", offsetof(op2_entries_desc, global), 9},
      {"op2_set_info", sizeof(op2_set_info), 88},
      {"op2_set_info.global_size", offsetof(op2_set_info, global_size), 48},
      {"op2_map_info", sizeof(op2_map_info), 72},
      {"op2_map_info.global_only", offsetof(op2_map_info, global_only), 34},
      {"op2_dat_info", sizeof(op2_dat_info), 72},
      {"op2_dat_info.open_writes", offsetof(op2_dat_info, open_writes), 32},
      {"op2_gbl_info", sizeof(op2_gbl_info), 64},
      {"op2_gbl_info.open_writes", offsetof(op2_gbl_info, open_writes), 24},
      {"op2_const_info", sizeof(op2_const_info), 48},
      {"op2_object", sizeof(op2_object), 32},
      {"op2_object.handle", offsetof(op2_object, handle), 8},
      {"op2_device_stats", sizeof(op2_device_stats), 128},
      {"op2_device_stats.host_loops", offsetof(op2_device_stats, host_loops), 40},
      {"OP2_STATE_BOTH", OP2_STATE_BOTH, 4},
      {"OP2_ERR_FATAL", OP2_ERR_FATAL, 16},
      {"OP2_ERR_CALL", OP2_ERR_CALL, 17},
      {"OP2_ERR_DIVERGED", OP2_ERR_DIVERGED, 18},
      {"OP2_MAP_COMPOSED", OP2_MAP_COMPOSED, 3},
      {"OP2_OBJECT_OPERATOR", OP2_OBJECT_OPERATOR, 11},
      {"OP2_RW", OP2_RW, 3},
      {"OP2_MAX", OP2_MAX, 6},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    is_int((int64_t)all[i].is, (int64_t)all[i].want, "%s", all[i].name);
}

/* Programs that inlined the constructors set these tags and fields. */
static void constructors(void) {
  int marks[3];
  const op2_dat dat = (op2_dat)&marks[0];
  const op2_map map = (op2_map)&marks[1];
  const op2_gbl gbl = (op2_gbl)&marks[2];
  const double value = 1;
  const op2_arg made[] = {op2_arg_dat(dat, 2, map, OP2_INC),
                          op2_arg_direct(dat, OP2_RW),
                          op2_arg_gbl(gbl, OP2_MIN),
                          op2_arg_val(&value, 1, OP2_F64),
                          op2_arg_idx(),
                          op2_arg_map_idx(map, 1),
                          op2_arg_info(gbl, 2),
                          op2_arg_opaque(marks),
                          op2_arg_opt(0, op2_arg_gbl(gbl, OP2_INC)),
                          op2_arg_opt(2, op2_arg_gbl(gbl, OP2_INC)),
                          op2_arg_work(3, OP2_F32)};
  static const uintptr_t tags[] = {0x6f703201, 0x6f703201, 0x6f703203, 0x6f703205,
                                   0x6f703207, 0x6f703209, 0x6f70320b, 0x6f70320f,
                                   0x6f703211, 0x6f703203, 0x6f703213};
  int good = 0, zero = 0;
  for (int i = 0; i < 11; i++) {
    good += (uintptr_t)made[i].tag == tags[i];
    zero += !made[i].map2 && !made[i].idx2 && !made[i].reserved;
  }
  is_int(good, 11, "tags");
  is_int(zero, 11, "what is reserved is zero");
  ok(made[0].map == map && made[0].idx == 2 && made[1].idx == OP2_ALL && made[3].value == &value &&
         made[5].map == map && made[5].idx == 1 && !made[5].object && made[6].object == gbl &&
         made[6].idx == 2 && made[6].access == OP2_RW && made[7].value == marks &&
         made[10].dim == 3 && made[10].type == OP2_F32 && made[10].access == OP2_WRITE,
     "fields");
}

static void reserved(void) {
  op2_options options = {.backend = "sequential"};
  op2_context ctx = NULL;
  options.reserved_numbers[8] = 1;
  ok(op2_init(&options, &ctx) == OP2_ERR_OPTION && strstr(op2_error_message(), "reserved"),
     "options of a later version are refused");
  options.reserved_numbers[8] = 0;
  options.reserved[4] = &options;
  ok(op2_init(&options, &ctx) == OP2_ERR_OPTION, "so are pointers");
  options.reserved[4] = NULL;
  if (!CHECK(op2_init(&options, &ctx))) return;
  op2_kernel_desc desc = {.name = "f", .source = "void f(double *x) { *x = 0; }"};
  op2_kernel kernel = NULL;
  desc.reserved[0] = &desc;
  ok(op2_kernel_create(ctx, &desc, &kernel) == OP2_ERR_ARG && strstr(op2_error_message(), "'f'") &&
         strstr(op2_error_message(), "reserved"),
     "a kernel of a later version is refused");
  desc.reserved[0] = NULL;
  desc.threads = 1;
  ok(op2_kernel_create(ctx, &desc, &kernel) == OP2_ERR_ARG && !kernel, "so is a number");
  op2_times times;
  memset(&times, 0xff, sizeof times);
  CHECK(op2_times_get(ctx, &times));
  ok(times.reserved[0] == 0 && times.reserved[7] == 0, "op2_times has no values there");
  CHECK(op2_finalize(&ctx));
}

int main(void) {
  test_environment();
  if (sizeof(void *) == 8)
    layouts();
  else
    skip("layouts: pointers of %zu bytes", sizeof(void *));
  constructors();
  reserved();
  return done();
}
