/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_SUPPORT_H
#define OP2_TEST_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "op2.h"
#include "tap.h"

/* Cases that must hold on every backend, lazy and eager, for several block sizes. There is one line
 * of TAP per case and configuration; failures inside a case are printed in comments and remembered.
 * EXPECT* note a failure and go on; MUST and the new_* functions end the case. Objects made by
 * new_* are destroyed after the case, in an order that changes from configuration to
 * configuration. */

struct config {
  const char *backend;
  bool eager;
  int block_size;
};

struct test_case {
  const char *name;
  void (*body)(void);
};

extern op2_context test_ctx;      /* context of the running case */
extern struct config test_config; /* its configuration */

/* RUN_ON_DEVICES: also run on devices, whose compilers take long. Without it a device needs
 * OP2_TEST_FULL=1, or OP2_TEST_BACKEND that names it. */
enum {
  RUN_LAZY_ONLY = 1,
  RUN_EAGER_ONLY = 2,
  RUN_ONE_BLOCK = 4,
  RUN_ON_DEVICES = 8,
  RUN_TWO_BLOCKS = 16 /* for tests that take long: every second size, all with OP2_TEST_FULL=1 */
};

/* Run every case in a context of its own for every configuration. A backend that cannot run is
 * skipped with its reason. Returns done(). */
int run_cases(int n, const struct test_case *cases, unsigned flags);
#define RUN(cases_, flags_)                                                                        \
  run_cases((int)(sizeof(cases_) / sizeof((cases_)[0])), (cases_), (flags_))

/* A folder for compiled loops that lives as long as the process; OP2_TEST_CACHE names one to share
 * between runs. */
const char *test_cache(void);
/* A folder of the process for scratch files, removed at exit. */
const char *test_scratch(void);
/* The options of a configuration. */
op2_options config_options(const struct config *config);
/* Set environment variables for the program, and those that OP2_TEST_SWITCHES lists; call it before
 * the first context. */
void test_environment(void);
/* The reason why tests do not run on a backend; null: they do. */
const char *backend_unfit(const char *backend);
/* Lists that end with null. StarPU starts OpenCL's loader with no platforms to find, so opencl comes
 * first. */
extern const char *const every_backend[], *const host_backends[], *const device_backends[];
/* The next backend of a list on which tests run, after *b of them; null after the last. Those on
 * which they do not are skipped, with the reason; OP2_TEST_BACKEND names a single one. */
const char *next_backend(const char *const *backends, int *b);
bool is_device(const char *backend); /* true if its loops run on a device, with a slow compiler */
bool explains(const char *text); /* true if op2_explain() prints this text for the running case */
/* True if the running case is lazy, and no OP2_QUEUE_MAX makes queues short. */
bool queue_grows(void);
bool on_check(void);  /* true if the running case is on the checked backend */
bool on_device(void); /* true if its loops, or some (OP2_PLACE), run on a device */

/* ---- functions for use in a case ------------------------------------------------------------- */

bool expect_at(const char *file, int line, bool good, const char *text);
void must_at(const char *file, int line, op2_status status, const char *text);
void refused_at(const char *file, int line, op2_status got, op2_status want, int64_t queued_before,
                int nwords, const char *const *words, const char *text);
void mismatch_at(const char *file, int line, const char *what, int64_t i, double got, double want);
_Noreturn void abandon_case(void);

#define EXPECT(cond) expect_at(__FILE__, __LINE__, (cond), #cond)
#define MUST(call)   must_at(__FILE__, __LINE__, (call), #call)

/* The call returns `want`, its message contains every word that follows, and the call has queued
 * and run nothing. */
#define REFUSED(want, call, ...)                                                                   \
  do {                                                                                             \
    const int64_t queued_ = op2_queued(test_ctx);                                                  \
    const char *words_[] = {"", __VA_ARGS__};                                                      \
    const op2_status got_ = (call);                                                                \
    refused_at(__FILE__, __LINE__, got_, (want), queued_, (int)(sizeof words_ / sizeof *words_),   \
               words_, #call);                                                                     \
  } while (0)

/* The first `count` values of a dat equal `want`, an expression in i. Forces the dat. */
#define EXPECT_VALUES(T, dat, count, i, want)                                                      \
  do {                                                                                             \
    const void *at_ = 0;                                                                           \
    must_at(__FILE__, __LINE__, op2_dat_read_begin((dat), &at_), "reading " #dat);                 \
    for (int64_t i = 0; i < (int64_t)(count); i++) {                                               \
      const T got_ = ((const T *)at_)[i], want_ = (T)(want);                                       \
      if (!(got_ == want_)) {                                                                      \
        mismatch_at(__FILE__, __LINE__, #dat, i, (double)got_, (double)want_);                     \
        break;                                                                                     \
      }                                                                                            \
    }                                                                                              \
    must_at(__FILE__, __LINE__, op2_dat_read_end((dat), &at_), "end of reading " #dat);            \
  } while (0)

/* A global of one value equals `want`. Forces the global. */
#define EXPECT_GBL(T, gbl, want)                                                                   \
  do {                                                                                             \
    T got_ = 0;                                                                                    \
    const T want_ = (T)(want);                                                                     \
    must_at(__FILE__, __LINE__, op2_gbl_get((gbl), &got_), "reading " #gbl);                       \
    if (!(got_ == want_)) mismatch_at(__FILE__, __LINE__, #gbl, 0, (double)got_, (double)want_);   \
  } while (0)

op2_set new_set(int64_t size, const char *name);
op2_set new_sections(int64_t core, int64_t owned, int64_t exec, int64_t total, const char *name);
op2_set new_subset(op2_set parent, int64_t n, const int64_t *idx, const char *name);
op2_map new_map(op2_set from, op2_set to, int arity, const int32_t *idx, const char *name);
op2_dat new_dat(op2_set set, int dim, op2_type type, const void *data, const char *name);
op2_gbl new_gbl(int dim, op2_type type, const void *data, const char *name);
op2_const new_const(int dim, op2_type type, const void *data, const char *name);
op2_kernel new_kernel(const op2_kernel_desc *desc);
op2_kernel new_source(const char *name, const char *source);
/* Tell the case not to destroy this handle. */
void disown(const void *handle);
/* Let the case destroy a handle in the end. */
void own_set(op2_set set);
void own_map(op2_map map);
void own_dat(op2_dat dat);
void own_loop(op2_loop loop);

/* Zeroed memory that is freed after the case. */
void *scratch(size_t count, size_t bytes);

/* The section ends with which direct and indirect loops are tried: (n,n,n,n), (0,n,n,n),
 * (n/2,n,n,n), (0,n/2,n,n). */
enum { SECTION_KINDS = 4 };
op2_set new_sectioned(int kind, int64_t n, int64_t *owned, const char *name);

/* A small generator of reproducible data: splitmix64. */
uint64_t draw(uint64_t *state);
int draw_below(uint64_t *state, int n);

#endif
