/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank is started with another option than the others. If the option must be the same on all
 * ranks, all report which one differs, where and how, and no context begins; if it may differ, the
 * context works. t910-mpi.sh does this with variables of the environment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm.h"
#include "context.h"
#include "init.h"
#include "rank_case.h"
#include "support.h"

struct scene {
  const char *name; /* name of the variable; null: none differs */
  op2_options usual, odd;
  const char *first, *other; /* both values in the message; null: they may differ */
  size_t at;                 /* offset of a number in the configuration; 0: an option */
  int number;
  int ranks, victim;
};

#define IN(field) offsetof(struct op2i_config, field)
static const struct scene scenes[] = {
    {.name = NULL},
    {.name = "OP2_BACKEND",
     .usual = {.backend = "sequential"},
     .odd = {.backend = "check"},
     .first = "'sequential'",
     .other = "'check'"},
    {.name = "OP2_EAGER", .usual = {.eager = -1}, .odd = {.eager = 1}, .first = "0", .other = "1"},
    {.name = "OP2_BLOCK_SIZE",
     .odd = {.block_size = 64},
     .first = "not set (by cache size)",
     .other = "64"},
    {.name = "OP2_QUEUE_MAX",
     .usual = {.queue_max = 300},
     .odd = {.queue_max = 200},
     .first = "300",
     .other = "200"},
    {.name = "OP2_CFLAGS",
     .usual = {.cflags = "-O1"},
     .first = "'-O1'",
     .other = "not set (-O3 -march=native ...)"},
    {.name = "OP2_CFLAGS",
     .usual = {.cflags = "-O1"},
     .odd = {.cflags = "-O2"},
     .first = "'-O1'",
     .other = "'-O2'"},
    {.name = "OP2_VERIFY", .at = IN(verify), .number = 5, .other = "5"},
    {.name = "OP2_NAN", .at = IN(nan), .number = 7, .other = "7"},
    {.name = "OP2_SIMD", .at = IN(simd_bytes), .number = 32, .other = "32"},
    {.name = "OP2_CHECK_SAMPLE", .at = IN(check_sample), .number = 7, .other = "7"},
    {.name = "OP2_PROGRAM_BYTES", .at = IN(program_bytes), .number = 7, .other = "7"},
    {.name = "OP2_STREAM_MB", .at = IN(stream_mb), .number = 7, .other = "7"},
    {.name = "OP2_CONTRACT", .at = IN(contract), .number = 7, .other = "7"},
    {.name = "OP2_LIBM", .at = IN(libm), .number = 7, .other = "7"},
    {.name = "OP2_FUSE", .at = IN(fuse), .number = 7, .other = "7"},
    {.name = "OP2_REPLAY", .at = IN(replay), .number = 7, .other = "7"},
    {.name = "OP2_RECYCLE", .at = IN(recycle_mb), .number = 7, .other = "7"},
    {.name = "OP2_RENUMBER", .at = IN(renumber), .number = 7, .other = "7"},
    {.name = "OP2_DETERMINISTIC", .at = IN(deterministic), .number = 7, .other = "7"},
    {.name = "OP2_SLICES", .at = IN(slices), .number = 7, .other = "7"},
    {.name = "OP2_OVERLAP", .at = IN(overlap), .number = 7, .other = "7"},
    {.name = "OP2_MERGE", .at = IN(merge), .number = 7, .other = "7"},
    {.name = "OP2_THREADS", .usual = {.threads = 2}, .odd = {.threads = 1}},
    {.name = "OP2_CACHE_DIR", .odd = {.cache_dir = "/dev/null/none"}},
    {.name = "OP2_CC", .odd = {.cc = "false"}},
    {.name = "OP2_GRAPH", .odd = {.graph_file = "/dev/null"}},
    {.name = "OP2_LOG", .usual = {.log_level = 1}, .odd = {.log_level = 2}},
};

static bool in_words(const struct scene *scene) {
  char words[300];
  snprintf(words, sizeof words, "%s is %s", scene->name, scene->first ? scene->first : "");
  if (!strstr(op2_error_message(), words)) return false;
  snprintf(words, sizeof words, "on rank 0 of %d, and %s", scene->ranks,
           scene->other ? scene->other : "");
  if (!strstr(op2_error_message(), words)) return false;
  snprintf(words, sizeof words, " on rank %d: ", scene->victim ? scene->victim : 1);
  return strstr(op2_error_message(), words) != NULL;
}

static int say(int rank, const char *what) {
  fprintf(stderr, "# rank %d: %s: %s\n", rank, what, op2_error_message());
  return 1;
}

/* Values without an option, set as if the rank's environment had set them. */
static int compare(struct op2i_comm *comm, void *data) {
  const struct scene *scene = data;
  struct op2i_config config;
  if (op2i_config_init(&config, NULL)) return say(comm->rank, "a configuration");
  if (comm->rank == scene->victim)
    memcpy((char *)&config + scene->at, &scene->number, sizeof scene->number);
  op2_status status = op2i_config_agree(&config, "sequential", comm);
  op2i_config_free(&config);
  return status == OP2_ERR_OPTION && in_words(scene) ? 0 : say(comm->rank, scene->name);
}

static int begin(struct op2i_comm *comm, void *data) {
  const struct scene *scene = data;
  int rank = comm->rank;
  op2_options options = rank == scene->victim ? scene->odd : scene->usual;
  op2_context ctx = NULL;
  if (!options.backend) options.backend = "sequential";
  op2_status status = op2i_init_ranks(&options, comm, &ctx);
  if (scene->other)
    return status == OP2_ERR_OPTION && in_words(scene) && !ctx ? 0 : say(rank, scene->name);
  if (status) return say(rank, scene->name ? scene->name : "nothing differs");
  int wrong = ctx->config.simd_bytes == OP2I_SIMD_AUTO;
  wrong += ctx->config.stream_mb == OP2I_STREAM_AUTO;
  return wrong + (op2_finalize(&ctx) != OP2_SUCCESS);
}

/* The message begins with rank 0's value, also if rank 0 is the one that differs. */
static int run(struct scene scene) {
  const char *first = scene.first, *other = scene.other;
  if (!scene.victim) scene.first = other, scene.other = first;
  if (scene.at) return run_ranks(scene.ranks, compare, &scene);
  return run_contexts(scene.ranks, begin, &scene);
}

int main(void) {
  test_environment();
  unsetenv("OP2_BLOCK_SIZE");
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
    struct scene scene = scenes[s];
    int wrong = 0;
    for (scene.ranks = 2; scene.ranks <= 4; scene.ranks++)
      for (scene.victim = 0; scene.victim < scene.ranks; scene.victim++) wrong += run(scene);
    is_int(wrong, 0, "%s", scene.name ? scene.name : "nothing differs");
  }
  return done();
}
