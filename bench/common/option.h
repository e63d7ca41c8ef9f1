/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_OPTION_H
#define BENCH_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** @file option.h
 * Command lines: a table of options, each with the function that reads its value. */

/** The programs of a benchmark; each takes the options that apply to it. A program that compares
 * execution modes is told where to run, and chooses the rest itself. */
enum { PROGRAM_OP2 = 1, PROGRAM_SEQ = 2, PROGRAM_OMP = 4, PROGRAM_ALL = 7, PROGRAM_COMPARES = 8 };

/** Reads a value into a member of the options; returns false if the text is not a value. */
typedef bool option_reader(const char *text, void *member);

option_reader option_text;      /**< `const char *`, not empty */
option_reader option_count;     /**< `int` from 0 */
option_reader option_positive;  /**< `int` from 1 */
option_reader option_real;      /**< `double`, finite and from 0 */
option_reader option_seed;      /**< `const char *`, the digits of a 64-bit number */
option_reader option_flag;      /**< `bool`, set by an option that has no value */
option_reader option_output;    /**< as option_text, and null where option_writes is not set */
option_reader option_partition; /**< `const char *`, the name of a way to partition */

/** True if this process reports errors and writes files for its run. */
extern bool option_writes;

typedef struct option {
  const char *name, *value, *help;
  unsigned programs;
  option_reader *read;
  size_t member; /**< its offset in the program's options */
} option;

/** Options of a run that all benchmarks have. */
typedef struct run_options {
  int warmup, threads, block_size;
  bool eager, progress;
  const char *backend, *explain, *partition, *state;
  const char *checkpoint; /**< of applications with OPTIONS_OF_CHECKPOINTS */
  double checkpoint_seconds;
} run_options;

/** The entries for checkpoints in the table of an application's options, whose type is `options`. */
#define OPTIONS_OF_CHECKPOINTS                                                                     \
  {"--checkpoint", "PATH",      "go on from the last state in PATH.N.h5, and write states there",  \
   PROGRAM_OP2,    option_text, offsetof(options, run.checkpoint)},                                \
  {                                                                                                \
    "--checkpoint-seconds", "S", "time between these (default 600)", PROGRAM_OP2, option_real,     \
        offsetof(options, run.checkpoint_seconds)                                                  \
  }

/** Read the command line of a program into *options, which holds the defaults, and *run; an entry
 * without a name ends the table. Returns -1 if the program should go on, otherwise the exit status:
 * 0 after --help, 2 after a wrong option, which has been reported. */
int option_parse(int argc, char **argv, unsigned program, const option *table, void *options,
                 run_options *run);

enum { OPTION_BLOCK_SIZE = 4096 /**< default of --block-size */ };

/** Return the number of iterations that run before the clock starts; at least one is timed, if
 * there is any. */
int option_warmup(const run_options *run, int iterations);

/** Read the size of a mesh, such as 40x30; a number that is too large becomes the largest. Returns
 * false if the text has another form. */
bool option_size(const char *text, int64_t *ni, int64_t *nj);

#endif
