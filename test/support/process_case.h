/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_PROCESS_CASE_H
#define OP2_TEST_PROCESS_CASE_H

#include <stdbool.h>

#include "op2.h"

/* Programs of t199-processes, each of which runs in a process of its own. A program reports to
 * stderr and returns its exit status, 0 if all its checks passed. */

enum { CELLS = 20000 };

struct model {
  op2_context ctx;
  op2_set set;
  op2_map map;
  op2_dat x;
  op2_gbl sum;
  op2_const one;
  op2_kernel grow;
  op2_loop loop;
};

extern const char *case_backend; /* backend of the context that start() makes */

void start(struct model *m);
void start_on(struct model *m, const char *backend);
void queue(struct model *m, int loops);   /* each adds 1 to all values of x */
void run(struct model *m, int loops);     /* as queue(), and waits */
void expect_x(struct model *m, double x); /* x: the expected value of each cell */
void stop(struct model *m);
/* Start a thread that runs loops without end; returns when the thread runs them. */
void run_beside(struct model *m);

/* Print the check and count it if it fails. */
void holds_at(int line, bool good, const char *what);
void returns_at(int line, op2_status got, op2_status want, const char *word);
#define HOLDS(cond)              holds_at(__LINE__, (cond), #cond)
#define RETURNS(got, want, word) returns_at(__LINE__, (got), (want), (word))
int failures(void);                       /* exit status: 1 if a check has failed, else 0 */
int child_status(long pid);               /* exit status, or 128 and the signal */
void expect_left_behind(struct model *m); /* every call on it returns OP2_ERR_STATE */

struct process_case {
  const char *name;
  int (*run)(void);
  const char *backends; /* the backends for which it matters */
  int status;           /* exit status, or 128 and the signal */
  const char *says;     /* expected on stderr */
};
/* Each table ends with a null name. beside_cases fork while another thread calls the library. */
extern const struct process_case fork_cases[], beside_cases[], end_cases[], handle_cases[];

#endif
