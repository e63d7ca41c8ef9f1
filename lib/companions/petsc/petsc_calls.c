/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning and the end of PETSc, and calls of it: by one thread at a time, with its errors as
 * op2's. */
#define _GNU_SOURCE /* for recursive mutexes with a static initialiser */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "op2/mpi.h"
#include "petsc_calls.h"
#include "petsc_objects.h"

static pthread_mutex_t petsc = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

bool op2i_petsc_is_there(void) {
  int over = 0;
  MPI_Finalized(&over);
  return PetscInitializeCalled && !PetscFinalizeCalled && !over;
}

/* In a chain of errors the first one has the most information. */
static PetscErrorCode record_error(MPI_Comm comm, int line, const char *function, const char *file,
                                   PetscErrorCode code, PetscErrorType type, const char *message,
                                   void *closure) {
  struct op2i_petsc_scope *scope = closure;
  (void)comm, (void)line, (void)file;
  if (type == PETSC_ERROR_INITIAL && !*scope->words)
    snprintf(scope->words, sizeof scope->words, "%s: %s", function, message ? message : "");
  return code;
}

op2_status op2i_petsc_enter(struct op2i_petsc_scope *scope, const char *call) {
  scope->op2 = op2i_companion(OP2I_COMPANION_VERSION);
  *scope->words = '\0';
  if (!scope->op2) return OP2_ERR_UNAVAILABLE;
  pthread_mutex_lock(&petsc);
  if (op2i_petsc_is_there()) {
    PetscErrorCode code = PetscPushErrorHandler(record_error, scope);
    if (!code) {
      scope->op2->fp_enter(&scope->fp);
      return OP2_SUCCESS;
    }
    pthread_mutex_unlock(&petsc);
    return scope->op2->error_nomem("PETSc's errors");
  }
  pthread_mutex_unlock(&petsc);
  return scope->op2->error(OP2_ERR_STATE,
                           "%s: PETSc is not initialised: call op2_petsc_use(), or "
                           "PetscInitialize, before",
                           call);
}

void op2i_petsc_leave(struct op2i_petsc_scope *scope) {
  scope->op2->fp_leave(&scope->fp);
  (void)PetscPopErrorHandler();
  pthread_mutex_unlock(&petsc);
}

op2_status op2i_petsc_status(const struct op2i_petsc_scope *scope, PetscErrorCode code,
                             const char *what, const char *name) {
  if (!code) return OP2_SUCCESS;
  const char *words = scope->words;
  if (!*words) (void)PetscErrorMessage(code, &words, NULL);
  return scope->op2->error(code == PETSC_ERR_MEM ? OP2_ERR_NOMEM : OP2_ERR_CALL,
                           "%s '%s': PETSc: %s", what, name, words ? words : "an error");
}

op2_status op2i_petsc_comm(const struct op2i_companion *op2, op2_context ctx, MPI_Comm *comm) {
  *comm = MPI_COMM_SELF;
  if (!ctx->comm || !op2_mpi_comm(ctx, comm)) return OP2_SUCCESS;
  return op2->error(OP2_ERR_UNAVAILABLE,
                    "PETSc over ranks needs a context of op2_init_mpi(), which this is not");
}

op2_status op2i_petsc_agree_on_change(const struct op2i_companion *op2, op2_context ctx,
                                      op2_status status, bool *changed) {
  int64_t any[2] = {status != OP2_SUCCESS, *changed};
  if (!ctx->comm) return status;
  op2_status agreed = op2->greatest(ctx->comm, 2, any);
  if (agreed) return agreed;
  *changed = any[1];
  return any[0] ? op2->agree(ctx->comm, status) : OP2_SUCCESS;
}

/* ---- objects that are released when PETSc ends ----------------------------------------------- */

static struct op2i_petsc_kept all = {&all, &all, NULL};
static bool watched; /* PETSc will report its end */

static PetscErrorCode drop_all(void *nothing) {
  (void)nothing;
  pthread_mutex_lock(&petsc);
  watched = false;
  while (all.next != &all) op2i_petsc_let_go(all.next);
  pthread_mutex_unlock(&petsc);
  return 0;
}

/* PETSc destroys registered objects first when it ends, so a registered container announces the
 * end. */
static PetscErrorCode watch(void) {
  PetscContainer container;
  if (watched) return 0;
  PetscErrorCode code = PetscContainerCreate(PETSC_COMM_SELF, &container);
  if (!code) code = PetscContainerSetPointer(container, &all);
  if (!code) code = PetscContainerSetUserDestroy(container, drop_all);
  if (!code) code = PetscObjectRegisterDestroy((PetscObject)container);
  watched = !code;
  return code;
}

PetscErrorCode op2i_petsc_keep(struct op2i_petsc_kept *kept) {
  PetscErrorCode code = watch();
  if (code || kept->next) return code;
  kept->next = all.next;
  kept->prev = &all;
  all.next->prev = kept;
  all.next = kept;
  return 0;
}

void op2i_petsc_let_go(struct op2i_petsc_kept *kept) {
  pthread_mutex_lock(&petsc);
  if (kept->next) {
    kept->next->prev = kept->prev;
    kept->prev->next = kept->next;
    kept->next = kept->prev = NULL;
    if (op2i_petsc_is_there()) kept->drop(kept);
  }
  pthread_mutex_unlock(&petsc);
}

/* ---- initialisation and finalisation --------------------------------------------------------- */

static MPI_Comm own_world = MPI_COMM_NULL;

/* MPI is being finalized, but still works. */
static int end_with_mpi(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  if (op2i_petsc_is_there()) (void)PetscFinalize();
  if (own_world != MPI_COMM_NULL) MPI_Comm_free(&own_world);
  return MPI_SUCCESS;
}

/* MPI was initialised here, so it is finalized here, unless the program has done so. */
static void end_mpi(void) {
  int over = 0;
  MPI_Finalized(&over);
  if (!over) MPI_Finalize();
}

static op2_status begin_mpi(const struct op2i_companion *op2) {
  int begun = 0, over = 0, granted;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (over) return op2->error(OP2_ERR_STATE, "op2_petsc_use: MPI is finalized");
  if (begun) return OP2_SUCCESS;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &granted) || atexit(end_mpi))
    return op2->error(OP2_ERR_CALL, "op2_petsc_use: MPI cannot be initialised");
  return OP2_SUCCESS;
}

/* PETSc's world consists of the ranks of this communicator: PetscInitialize is collective over
 * them. */
static int choose_world(MPI_Comm comm) {
  int same = MPI_UNEQUAL, failed = MPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
  if (failed || same == MPI_IDENT || same == MPI_CONGRUENT) return failed;
  failed = MPI_Comm_dup(comm, &own_world);
  if (!failed) PETSC_COMM_WORLD = own_world;
  return failed;
}

static op2_status begin_petsc(const struct op2i_companion *op2, MPI_Comm comm, int argc,
                              char **argv) {
  int key = MPI_KEYVAL_INVALID;
  PetscErrorCode code = 0;
  op2_status status = begin_mpi(op2);
  if (status) return status;
  int failed = choose_world(comm);
  /* Signals are left to the program. */
  if (!failed) code = PetscOptionsSetValue(NULL, "-no_signal_handler", "true");
  if (!failed && !code) code = PetscInitialize(&argc, &argv, NULL, NULL);
  if (!failed && !code)
    failed = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &key, NULL);
  if (!failed && !code) failed = MPI_Comm_set_attr(MPI_COMM_SELF, key, &own_world);
  /* It lives on until its attribute is deleted. */
  if (key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&key);
  if (!failed && !code) return OP2_SUCCESS;
  return op2->error(OP2_ERR_CALL, "op2_petsc_use: PETSc cannot be initialised");
}

op2_status op2_petsc_use(op2_context ctx, int argc, char **argv) {
  const struct op2i_companion *op2 = op2i_companion(OP2I_COMPANION_VERSION);
  MPI_Comm comm;
  if (!op2) return OP2_ERR_UNAVAILABLE;
  op2_status status = op2->context_validate(ctx, "op2_petsc_use");
  if (status) return status;
  op2->call(ctx, "op2_petsc_use", NULL, 0, 0);
  if (argc < 0 || (argc > 0 && !argv))
    status = op2->error(OP2_ERR_ARG, "op2_petsc_use: %d arguments, and a null pointer", argc);
  if (!status) status = op2i_petsc_comm(op2, ctx, &comm);
  /* PetscInitialize waits for all ranks and does not notice if one has failed. */
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (status) return status;
  pthread_mutex_lock(&petsc);
  if (!op2i_petsc_is_there()) status = begin_petsc(op2, comm, argc, argv);
  pthread_mutex_unlock(&petsc);
  if (ctx->comm) status = op2->agree(ctx->comm, status);
  if (!status) ctx->engine = &op2i_petsc_engine;
  return status;
}
