/* SPDX-License-Identifier: BSD-3-Clause */
/* The tests of ranks that are threads, over MPI: run by t910-mpi.sh with several processes, of
 * which the first one reports. With an argument it tests how a job ends that went wrong, and more:
 *   kill      rank 1 is killed while the others wait for it
 *   abandon   rank 1 cannot go on
 *   late      MPI is finalized before the context
 *   alone     MPI is not initialised
 *   link      a slow link that is set by the environment
 *   cores     the CPUs of each rank, and the warnings about them
 *   code      which ranks compile code that all need
 *   options   the last rank's environment differs, in one variable after the other
 *   kway      which partitioner cuts graphs, and how well
 *   latency   microseconds of a message there and back, by this library and by MPI_Waitall */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinity.h"
#include "clock.h"
#include "code_case.h"
#include "comm_case.h"
#include "companion.h"
#include "context.h"
#include "init.h"
#include "mail.h"
#include "mesh.h"
#include "mpi_comm.h"
#include "op2/mpi.h"
#include "partitioner.h"
#include "program_case.h"
#include "set.h"
#include "spread_case.h"
#include "support.h"

static const struct op2i_mpi_options usual = {.piece = OP2I_MPI_PIECE};
static int rank, size;

static struct op2i_comm *communicator(struct op2i_mpi_options mpi_options) {
  struct op2i_comm *comm;
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  if (op2 && !op2i_comm_mpi(op2, MPI_COMM_WORLD, &mpi_options, &comm)) return comm;
  fprintf(stderr, "no communicator: %s\n", op2_error_message());
  exit(1);
}

static int sum(int wrong) {
  int all;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void tell(int wrong, const char *what, const char *more) {
  wrong = sum(wrong);
  if (rank == 0) is_int(wrong, 0, "%s%s", what, more);
}

static void everywhere(const char *what, struct op2i_mpi_options mpi_options,
                       rank_function *function, void *data) {
  struct op2i_comm *comm = communicator(mpi_options);
  int wrong = function(comm, data);
  op2i_comm_free(comm);
  tell(wrong, what,
       mpi_options.piece == usual.piece ? (mpi_options.link.delay ? ", on a slow link" : "")
                                        : ", in pieces of 7 bytes");
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Only the receiver gets an error from MPI. */
static int of_two_lengths(struct op2i_comm *comm, void *data) {
  int wrong = 0;
  (void)data;
  for (int longer = 0; longer < 2 && comm->rank < 2; longer++) {
    char bytes[8] = {0};
    bool over;
    struct op2i_message *message;
    const struct op2i_envelope e = {comm->rank == 0, 1 - comm->rank, 0, bytes,
                                    comm->rank == longer ? 8 : 4};
    if (comm->kind->open(comm, &e, &message) || comm->kind->start(comm, 1, &message)) return 1;
    op2_status status = comm->kind->over(comm, 1, &message, true, &over);
    if (comm->rank)
      wrong += status != OP2_ERR_FATAL || !strstr(op2_error_message(), "differ in the length");
    comm->kind->close(message);
  }
  return wrong;
}

/* A receive whose message is never sent can be closed, and its memory may be reused then. */
static int of_nobody(struct op2i_comm *comm, void *data) {
  char bytes[8] = {0};
  bool over = true;
  struct op2i_message *message;
  const struct op2i_envelope e = {false, (comm->rank + 1) % comm->size, 9, bytes, sizeof bytes};
  (void)data;
  if (comm->kind->open(comm, &e, &message) || comm->kind->start(comm, 1, &message)) return 1;
  int wrong = comm->kind->over(comm, 1, &message, false, &over) != OP2_SUCCESS || over;
  comm->kind->close(message);
  return wrong;
}

static void messages(void) {
  const struct op2i_mpi_options pieces = {.piece = 7},
                                slow = {.piece = OP2I_MPI_PIECE, .link = {200000, 0.5}};
  const struct op2i_mpi_options *choices[] = {&usual, &pieces, &slow};
  for (int m = 0; m < 3; m++) {
    everywhere("a ring", *choices[m], comm_ring, NULL);
    everywhere("in order", *choices[m], comm_in_order, NULL);
    for (uint64_t seed = 1; seed <= 3; seed++)
      everywhere("parcels", *choices[m], comm_parcels, &seed);
  }
  everywhere("a tree", usual, comm_tree, NULL);
  everywhere("numbers", usual, comm_numbers, NULL);
  everywhere("messages of two lengths", usual, of_two_lengths, NULL);
  everywhere("a message of nobody", usual, of_nobody, NULL);
  if (size == 2)
    everywhere("all of a slow link",
               (struct op2i_mpi_options){.piece = OP2I_MPI_PIECE, .link = COMM_SLOW}, comm_slowly,
               NULL);
}

/* ---- programs -------------------------------------------------------------------------------- */

static int as_processes(int n, rank_function *function, void *data) {
  (void)n;
  return function(communicator(usual), data);
}

enum { DEVICES = 3 }; /* the first backends, whose compilers take long */

static void programs(void) {
  static const char *const backends[] = {"opencl", "cuda", "hip", "sequential", "openmp", "starpu"};
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const char *why = backend_unfit(backends[b]);
    if (why) {
      if (rank == 0) skip("%s: %s", backends[b], why);
      continue;
    }
    int wrong = 0, count = 0, most = thorough() ? 8 : 1;
    if (b < DEVICES) most = thorough();
    if (quick() && size > 3) most = 0;
    for (int how = 0; how < SPREAD_HOWS; how++)
      for (int n = 0; n < most; n++, count++)
        wrong += spread_program(backends[b], size, how, (uint64_t)(1000 * size + 10 * how + n + 1),
                                as_processes);
    wrong = sum(wrong);
    if (rank == 0 && count) is_int(wrong, 0, "%d random programs, %s", count, backends[b]);
  }
  /* The programs of t909, a third each on 2, 3 and 4 ranks. */
  const int some = thorough() ? 67 : quick() ? 5 : 10, first = (size - 2) * some;
  for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
    const int here = b < DEVICES ? some / 3 : some;
    if (backend_unfit(backends[b])) continue;
    const int wrong =
        programs_on_ranks(backends[b], size, 1, first, first + here, as_processes).wrong;
    tell(wrong, "random programs of t909, ", backends[b]);
  }
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void wait_for_all(struct op2i_comm *comm) {
  int64_t one = 1;
  if (op2i_comm_sum(comm, 1, &one)) printf("rank %d was told: %s\n", rank, op2_error_message());
}

static void end_badly(bool kill) {
  struct op2i_comm *comm = communicator(usual);
  wait_for_all(comm);
  if (rank == 1 && kill) raise(SIGKILL);
  if (rank == 1) comm->kind->abandon(comm, "this is the cause");
  wait_for_all(comm);
  puts("went on");
}

/* Contexts that outlive MPI: calls that need messages fail with a message, and all else is
 * freed. */
static int end_late(void) {
  op2_context ctx;
  op2_set set;
  op2_dat dat;
  op2_kernel kernel;
  MPI_Comm comm = MPI_COMM_NULL;
  const int64_t ends[4] = {1, 1, 1, 2}, global[2] = {rank, (rank + 1) % size};
  const int32_t owner[1] = {(rank + 1) % size};
  const int64_t values[2] = {rank, -1};
  int64_t got[2];
  int wrong = 0;
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  wrong += op2_init_mpi(&options, MPI_COMM_WORLD, &ctx) != OP2_SUCCESS;
  wrong += op2i_set_create_halo(ctx, ends, global, owner, "set", &set) != OP2_SUCCESS;
  wrong += op2_dat_create(set, 1, OP2_I64, values, "dat", &dat) != OP2_SUCCESS;
  wrong +=
      op2_kernel_create(
          ctx, &(op2_kernel_desc){.name = "twice", .source = "void twice(long *x) { *x *= 2; }"},
          &kernel) != OP2_SUCCESS;
  wrong += op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)) != OP2_SUCCESS;
  wrong += op2_dat_get_halo(dat, got) != OP2_SUCCESS || got[1] != 2 * ((rank + 1) % size);
  wrong += op2_par_loop(kernel, set, op2_arg_direct(dat, OP2_RW)) != OP2_SUCCESS;
  struct op2i_comm *own = ctx->comm;
  struct op2i_message *message; /* a message that is kept, as programs keep some */
  const struct op2i_envelope e = {true, (rank + 1) % size, 1, got, sizeof got};
  wrong += own->kind->open(own, &e, &message) != OP2_SUCCESS;
  MPI_Finalize();
  wrong += own->kind->start(own, 1, &message) != OP2_ERR_FATAL;
  own->kind->close(message);
  op2_status status = op2_dat_get_halo(dat, got);
  if (rank == 0) printf("op2_dat_get_halo: %s\n", status ? op2_error_message() : "no error");
  status = op2_mpi_comm(ctx, &comm);
  if (rank == 0) printf("op2_mpi_comm: %s\n", status ? op2_error_message() : "no error");
  status = op2_init_mpi(&options, MPI_COMM_WORLD, &ctx);
  if (rank == 0) printf("op2_init_mpi: %s\n", status ? op2_error_message() : "no error");
  op2_kernel_destroy(&kernel);
  op2_dat_destroy(&dat);
  op2_set_destroy(&set);
  if (op2_finalize(&ctx)) puts("op2_finalize failed");
  if (rank == 0) printf("ended, %d wrong\n", wrong);
  return wrong;
}

static int on_link(void) {
  const op2_options options = {.backend = "sequential", .cache_dir = test_cache()};
  op2_context ctx;
  int64_t least = 0, one[2] = {1, 1};
  if (op2_init_mpi(&options, MPI_COMM_WORLD, &ctx)) {
    if (rank == 0) printf("op2_init_mpi: %s\n", op2_error_message());
    return 0;
  }
  struct op2i_comm *comm = ctx->comm;
  for (int i = 0; i < 5; i++) {
    int64_t begun = op2i_nanoseconds();
    if (op2i_comm_sum(comm, 2, one)) return 1;
    int64_t took = op2i_nanoseconds() - begun;
    if (!i || took < least) least = took;
  }
  if (rank == 0) printf("%s\n", least >= 3000016 ? "slow" : "fast");
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

/* ---- cores ----------------------------------------------------------------------------------- */

/* Print a line for each rank: the CPUs that it may run on, its workers, and the text of
 * op2_explain(). */
static int cores(void) {
  const op2_options options = {.backend = "openmp", .cache_dir = test_cache()};
  op2_context ctx;
  int numbers[OP2I_CPU_NUMBERS];
  bool narrow;
  char text[8192] = "", *line;
  if (getenv("OP2_TEST_BEFORE")) {
    const op2_options before = {.backend = getenv("OP2_TEST_BEFORE"), .cache_dir = test_cache()};
    if (op2_init(&before, &ctx) || op2_finalize(&ctx)) return printf("%s\n", op2_error_message());
  }
  if (getenv("OP2_TEST_WORKERS")) setenv("OP2_THREADS", getenv("OP2_TEST_WORKERS"), 1);
  if (op2_init_mpi(op2_backend_unavailable("openmp") ? NULL : &options, MPI_COMM_WORLD, &ctx))
    return printf("%s\n", op2_error_message());
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (!stream || op2_explain(ctx, stream)) return 1;
  fclose(stream);
  line = strstr(text, "ranks:");
  line = line ? strtok(line, "\n") : text;
  int n = op2i_process_cpus(numbers, &narrow);
  for (int r = 0; r < size; r++) {
    if (r == rank) {
      printf("CPUs");
      for (int i = 0; i < n; i++) printf(" %d", numbers[i]);
      printf("; %d workers; %s\n", op2_workers(ctx), line);
      fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return op2_finalize(&ctx) != OP2_SUCCESS;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* The ranks use one folder that all can reach. */
static int code(void) {
  const char *folder = getenv("OP2_TEST_FOLDER");
  if (!folder) return 1;
  setenv("OP2_FUSE", "0", 1);
  for (int how = 0; how < CODE_HOWS; how++) {
    struct code_scene scene = {"sequential", folder, (enum code_how)how};
    tell(code_rank(communicator(usual), &scene), code_hows[how], "");
  }
  return rank == 0 ? done() : 0;
}

/* ---- options --------------------------------------------------------------------------------- */

static const struct {
  const char *name, *value;
} settings[] = {
    {"OP2_BACKEND", "check"},
    {"OP2_THREADS", "2"},
    {"OP2_EAGER", "1"},
    {"OP2_BLOCK_SIZE", "77"},
    {"OP2_CHUNK_US", "77"},
    {"OP2_QUEUE_MAX", "77"},
    {"OP2_IDLE_MS", "77"},
    {"OP2_CACHE_MB", "77"},
    {"OP2_RECYCLE", "77"},
    {"OP2_CACHE_DIR", "/dev/null/none"},
    {"OP2_CACHE_TRUST", "@root"},
    {"OP2_CC", "false"},
    {"OP2_CFLAGS", "-O0"},
    {"OP2_LDFLAGS", "-lm"},
    {"OP2_CC_TIMEOUT", "77"},
    {"OP2_GRAPH", "/dev/null"},
    {"OP2_GRAPH_COSTS", "1"},
    {"OP2_REPORT", "/dev/null"},
    {"OP2_PROGRESS", "1"},
    {"OP2_TRACE", "0"},
    {"OP2_TOOLS_LIBS", "0"},
    {"OP2_MARKERS", "0"},
    {"OP2_SCHEDULE", "/dev/null"},
    {"OP2_LOG", "1"},
    {"OP2_VERIFY", "1"},
    {"OP2_NAN", "1"},
    {"OP2_SIMD", "0"},
    {"OP2_CHECK_SAMPLE", "77"},
    {"OP2_PROGRAM_BYTES", "77"},
    {"OP2_STREAM_MB", "77"},
    {"OP2_CONTRACT", "1"},
    {"OP2_LIBM", "1"},
    {"OP2_TRIAL", "0"},
    {"OP2_FUSE", "2"},
    {"OP2_REPLAY", "0"},
    {"OP2_SHADOW", "1"},
    {"OP2_TEAM", "0"},
    {"OP2_NUMA", "0"},
    {"OP2_RENUMBER", "1"},
    {"OP2_OVERLAP", "0"},
    {"OP2_MERGE", "0"},
    {"OP2_DETERMINISTIC", "1"},
    {"OP2_SLICES", "0"},
    {"OP2_LINK", "1,0"},
    {"OP2_WAIT_MAX", "77"},
    {"OP2_DEVICE", "9"},
    {"OP2_DEVICE_MEMORY", "77"},
    {"OP2_DEVICE_MPI", "1"},
    {"OP2_DEVICE_STRATEGY", "staged"},
    {"OP2_DEVICE_GRAPHS", "0"},
    {"OP2_PLACE", "*:cpu"},
    {"OP2_PLACE_COSTS", "byte=1"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* The line of op2_environment_write() for a variable; null: there is none. */
static const char *line_of(char *text, const char *name) {
  size_t length = strlen(name);
  for (char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (!strncmp(line, name, length) && line[length] == ' ') return line;
  }
  return NULL;
}

static bool has_to_be_same(char *text, const char *name) {
  const char *line = line_of(text, name),
             *words = line ? strstr(line, "; the same on all ranks") : 0;
  return words && words < line + strcspn(line, "\n");
}

static bool text_value(const char *value) { return value[strspn(value, "0123456789")] != '\0'; }

/* Give the last rank another value of variable i; it must be refused, or accepted. Returns 0 if
 * so. */
static int differs(int i, bool refused) {
  op2_context ctx = NULL;
  char words[2][100];
  setenv("OP2_VERIFY", "0", 1);
  setenv("OP2_BACKEND", "sequential", 1);
  setenv("OP2_FUSE", "1", 1);
  if (rank == size - 1) setenv(settings[i].name, settings[i].value, 1);
  op2_status status = op2_init_mpi(NULL, MPI_COMM_WORLD, &ctx);
  unsetenv(settings[i].name);
  snprintf(words[0], sizeof words[0], "%s is ", settings[i].name);
  const char *said = op2_error_message(), *quote = text_value(settings[i].value) ? "'" : "";
  snprintf(words[1], sizeof words[1], "%s%s%s on rank %d", quote, settings[i].value, quote,
           size - 1);
  bool right = refused ? status == OP2_ERR_OPTION && strstr(said, words[0]) &&
                             strstr(said, words[1]) && strstr(said, "on rank 0 of ") && !ctx
                       : !status && ctx;
  if (!right) fprintf(stderr, "rank %d: %s: %s\n", rank, settings[i].name, said);
  return !right + (!status && op2_finalize(&ctx));
}

static int options(void) {
  char text[16384] = "";
  int lines = 0;
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  if (!stream || op2_environment_write(stream)) return 1;
  fclose(stream);
  for (const char *c = text; *c; c++)
    lines += !strncmp(c, "OP2_", 4) && (c == text || c[-1] == '\n');
  for (int i = 0; i < SETTINGS; i++) {
    bool refused = has_to_be_same(text, settings[i].name);
    tell(differs(i, refused), settings[i].name, refused ? " is refused" : " may differ");
  }
  tell(lines != SETTINGS, "all variables were tried", "");
  return rank == 0 ? done() : 0;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* A ring whose neighbours have distant numbers: cutting it into blocks of numbers cuts every
 * edge. */
static int kway(void) {
  enum { NODES_OF_RING = 4001, STRIDE = 1501 };
  op2_context ctx;
  op2_set nodes, edges;
  op2_map ends = NULL;
  const char *why;
  struct op2i_comm *comm = communicator(usual);
  const struct op2i_partitioner *partitioner = op2i_partitioner_find(comm, &why);
  const op2_options options = {.backend = "sequential"};
  int64_t first = op2i_share_first(NODES_OF_RING, size, rank);
  int64_t n = op2i_share_first(NODES_OF_RING, size, rank + 1) - first;
  int64_t *idx = calloc((size_t)n * 2 + 1, sizeof *idx);
  op2_partition_report report[2];
  for (int64_t i = 0; i < 2 * n; i++) idx[i] = (first + i / 2 + i % 2) * STRIDE % NODES_OF_RING;
  int wrong = op2i_init_ranks(&options, comm, &ctx) || op2_set_create(ctx, n, "nodes", &nodes) ||
              op2_set_create(ctx, n, "edges", &edges) ||
              op2_map_create_global(edges, nodes, 2, idx, "ends", &ends) ||
              op2_partition(ctx, NULL, &report[0]);
  const op2_partition_options how = {.method = OP2_PARTITION_KWAY, .map = ends};
  if (!wrong) wrong = op2_partition(ctx, &how, &report[1]) != OP2_SUCCESS;
  if (wrong) return printf("%s\n", op2_error_message());
  if (rank == 0)
    printf("cut by %s: %d edges, imbalance %.3f; by blocks: %d edges\n",
           partitioner ? partitioner->name : why, (int)report[1].cut, report[1].imbalance,
           (int)report[0].cut);
  wrong = report[1].cut > 4 * size || report[1].imbalance > 1.1 || report[0].cut < 1000;
  op2_map_destroy(&ends);
  op2_set_destroy(&nodes);
  op2_set_destroy(&edges);
  free(idx);
  return (op2_finalize(&ctx) != OP2_SUCCESS) + wrong;
}

/* ---- latency --------------------------------------------------------------------------------- */

enum { TRIPS = 2000 };

static int by_double(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times) {
  qsort(times, TRIPS, sizeof *times, by_double);
  return times[TRIPS / 2];
}

static void latency(void) {
  static double ours[TRIPS], plain[TRIPS];
  struct op2i_comm *comm = communicator(usual);
  char out[8] = {0}, in[8];
  struct op2i_message *messages[2];
  MPI_Request requests[2];
  MPI_Status told[2];
  bool over;
  const struct op2i_envelope to = {true, 1 - rank, 0, out, 8}, from = {false, 1 - rank, 0, in, 8};
  if (comm->kind->open(comm, &to, &messages[0]) || comm->kind->open(comm, &from, &messages[1]))
    return;
  MPI_Send_init(out, 8, MPI_BYTE, 1 - rank, 77, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 8, MPI_BYTE, 1 - rank, 77, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < TRIPS; i++) {
    double begun = op2i_seconds();
    if (comm->kind->start(comm, 2, messages) || comm->kind->over(comm, 2, messages, true, &over))
      return;
    ours[i] = 1e6 * (op2i_seconds() - begun);
  }
  for (int i = 0; i < TRIPS; i++) {
    double begun = op2i_seconds();
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, told);
    plain[i] = 1e6 * (op2i_seconds() - begun);
  }
  if (rank == 0) {
    double middle = median(ours), theirs = median(plain);
    printf("exchange of 8 bytes, us: op2 %.2f, MPI_Waitall %.2f; nine of ten: %.2f, %.2f\n", middle,
           theirs, ours[TRIPS / 10 * 9], plain[TRIPS / 10 * 9]);
  }
  for (int m = 0; m < 2; m++) {
    comm->kind->close(messages[m]);
    MPI_Request_free(&requests[m]);
  }
  op2i_comm_free(comm);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int status = 0;
  test_environment();
  setenv("OP2_FUSE", "2", 1);
  if (!strcmp(what, "alone")) {
    op2_context ctx;
    if (op2_init_mpi(NULL, MPI_COMM_WORLD, &ctx)) printf("%s\n", op2_error_message());
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(what, "late")) return end_late();
  if (!strcmp(what, "kill") || !strcmp(what, "abandon")) end_badly(!strcmp(what, "kill"));
  if (!strcmp(what, "link")) status = on_link();
  if (!strcmp(what, "latency")) latency();
  if (!strcmp(what, "cores")) status = cores();
  if (!strcmp(what, "code")) status = code();
  if (!strcmp(what, "options")) status = options();
  if (!strcmp(what, "kway")) status = kway();
  if (!*what) {
    messages();
    programs();
    if (rank == 0) status = done();
  }
  MPI_Finalize();
  return status;
}
