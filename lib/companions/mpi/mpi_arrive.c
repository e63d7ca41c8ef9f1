/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for ranks that have not reached op2_init_mpi() yet. The communicator is the program's
 * own, on which the library sends no messages, since they could be taken for the program's. So
 * ranks meet in nonblocking barriers, which do not report which rank is missing. */
#include "mpi_comm.h"

#include <inttypes.h>
#include <pthread.h>

#include "log.h"

/* There are two barriers. A rank that gives up in the first one has entered it nevertheless, so a
 * later rank passes it. That rank then waits in the second barrier, and does not go on to calls of
 * MPI that cannot be given up. */
enum { BARRIERS = 2 };

/* The progress of this rank: an attribute of the communicator, from the first barrier on until the
 * last one is over. */
struct arrival {
  const struct op2i_companion *op2;
  int over;            /* barriers that are over */
  MPI_Request request; /* of the next one; MPI_REQUEST_NULL: it has not been entered */
};

/* The key of that attribute exists as long as there are waits that are not over. */
static pthread_mutex_t key_lock = PTHREAD_MUTEX_INITIALIZER;
static int key = MPI_KEYVAL_INVALID;
static int64_t waits;

/* Called when the communicator is freed, or when all ranks have arrived. A barrier that is not over
 * is left to MPI. */
static int forget_arrival(MPI_Comm comm, int number, void *value, void *unused) {
  struct arrival *arrival = value;
  (void)comm;
  (void)number;
  (void)unused;
  arrival->op2->free(arrival);
  return MPI_SUCCESS;
}

/* Find the wait that an earlier call has given up, or begin a new one. *out is null without memory:
 * a rank that cannot record its wait must still enter the barriers, for the sake of the others. */
static int find_locked(const struct op2i_companion *op2, MPI_Comm parent, struct arrival **out) {
  int known = 0, error = MPI_SUCCESS;
  if (key == MPI_KEYVAL_INVALID)
    error = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_arrival, &key, NULL);
  if (!error) error = MPI_Comm_get_attr(parent, key, out, &known);
  if (!known) *out = NULL;
  if (error || known || !(*out = op2->calloc(1, sizeof **out))) return error;
  **out = (struct arrival){.op2 = op2, .request = MPI_REQUEST_NULL};
  error = MPI_Comm_set_attr(parent, key, *out);
  waits += !error;
  if (!error) return error;
  op2->free(*out);
  *out = NULL;
  return error;
}

static int find_arrival(const struct op2i_companion *op2, MPI_Comm parent, struct arrival **out) {
  pthread_mutex_lock(&key_lock);
  int error = find_locked(op2, parent, out);
  pthread_mutex_unlock(&key_lock);
  return error;
}

/* End a wait that is over; `known`: the communicator has it as an attribute. The key is never freed
 * if a communicator is freed during a wait that was given up. */
static void end(MPI_Comm parent, bool known) {
  pthread_mutex_lock(&key_lock);
  if (known) {
    MPI_Comm_delete_attr(parent, key);
    waits--;
  }
  if (waits == 0 && key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&key);
  pthread_mutex_unlock(&key_lock);
}

/* Enter the next barrier whenever the previous one is over. */
static int advance_barriers(struct arrival *arrival, MPI_Comm parent) {
  int error = MPI_SUCCESS, over = 1;
  while (over && !error && arrival->over < BARRIERS) {
    if (arrival->request == MPI_REQUEST_NULL) error = MPI_Ibarrier(parent, &arrival->request);
    if (!error) error = MPI_Test(&arrival->request, &over, MPI_STATUS_IGNORE);
    arrival->over += over && !error;
  }
  return error;
}

struct place {
  int rank, size;
};

/* Poll until all barriers are over or the time limit is reached. *waited is in nanoseconds. */
static int wait_for_all(struct arrival *arrival, MPI_Comm parent, struct place place,
                        const struct op2i_wait_limits *limits, int64_t *waited) {
  const struct op2i_companion *op2 = arrival->op2;
  const int64_t begun = op2->nanoseconds();
  int64_t warn = limits->warn_after;
  int error;
  while (!(error = advance_barriers(arrival, parent)) && arrival->over < BARRIERS) {
    *waited = op2->nanoseconds() - begun;
    if (limits->longest && *waited >= limits->longest) break;
    if (warn && *waited >= warn) {
      op2->log(NULL, OP2I_LOG_WARN,
               "rank %d of %d has waited %" PRId64
               " s in op2_init_mpi, to which some other rank has not come",
               place.rank, place.size, *waited / 1000000000);
      warn = 2 * *waited;
    }
    op2i_mpi_rest(*waited, INT64_MAX);
  }
  return error;
}

op2_status op2i_mpi_arrive(const struct op2i_companion *op2, MPI_Comm parent,
                           const struct op2i_wait_limits *limits) {
  struct arrival forgotten = {.op2 = op2, .request = MPI_REQUEST_NULL}, *known = NULL;
  struct place place = {0, 0};
  int64_t waited = 0;
  int error = MPI_Comm_size(parent, &place.size);
  if (!error && place.size == 1) return OP2_SUCCESS;
  if (!error) error = MPI_Comm_rank(parent, &place.rank);
  if (!error) error = find_arrival(op2, parent, &known);
  struct arrival *arrival = known ? known : &forgotten;
  if (!error) error = wait_for_all(arrival, parent, place, limits, &waited);
  if (!error && arrival->over < BARRIERS)
    return op2->error(
        OP2_ERR_STATE,
        "op2_init_mpi: rank %d of %d has waited %" PRId64
        " s, and some other rank has not come to it: that is as long as OP2_WAIT_MAX allows",
        place.rank, place.size, waited / 1000000000);
  end(parent, known != NULL);
  return error ? op2i_mpi_failed(op2, place.rank, place.size, error,
                                 "while it waited for the ranks of the communicator")
               : OP2_SUCCESS;
}
