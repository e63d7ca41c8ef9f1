/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_H
#define OP2I_DEVICE_H

/* A device as all others see it: memory of its own, code that is built for it, and launches of that.
 * Each kind of device is a constant table of functions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object.h"
#include "op2/status.h"
#include "op2/types.h"

struct op2i_text;

/* What code may count on. */
struct op2i_device_limits {
  char name[128];    /* for people: "NVIDIA H100 80GB HBM3" */
  char target[64];   /* what binaries are built for, one word: "sm_90"; part of their keys, as is */
  char compiler[64]; /* what they are built by */
  bool doubles;      /* it has double precision */
  bool on_host;      /* it computes on the host's own processors */
  bool short_atomics; /* those that it has are of 32 bits at most */
  int units;         /* that run groups at the same time */
  int64_t group_max; /* work items of a group */
  int64_t local_bytes; /* of memory that a group shares */
  int64_t memory_bytes;
};

/* What has moved between the host and the device, and what ran. */
struct op2i_device_counts {
  int64_t puts, put_bytes, gets, get_bytes, launches;
  int64_t host_runs; /* of loops that the host ran in its stead */
  int64_t functions; /* of loops that are loaded now */
};

/* What the library has of its memory. */
enum { OP2I_DEVICE_SPARES = 64 };
struct op2i_device_memory {
  int64_t limit;      /* bytes; 0: as much as there is */
  int64_t used, most; /* bytes: now, and at the most so far */
  struct op2i_device_block {
    void *memory;
    int64_t bytes;
  } * blocks; /* [nblocks] */
  int64_t nblocks, capacity;
  void *spare[OP2I_DEVICE_SPARES]; /* small blocks that nobody has now */
  int nspare;
  int64_t asked, fail_every; /* for tests: each n-th of those that are asked for is not given */
};

/* Rows of values, to memory where some of them lie packed, or from there. */
struct op2i_device_rows {
  void *values, *packed;
  void *places; /* [n][2] int32_t: the number of a row, and how many units lie before it */
  int64_t n, row_units;
  int unit; /* bytes: 4, or 1 */
  bool unpack;
};

/* The first member of each kind's own structure. */
struct op2i_device {
  const struct op2i_device_kind *kind;
  struct op2i_device_limits limits;
  struct op2i_device_counts counts;
  /* Hands over a move of rows. Set by the backend that has the device for loops. */
  op2_status (*move_rows)(op2_context ctx, const struct op2i_device_rows *rows);
  struct op2i_device_code *rows[2][2]; /* of that backend, by unit and direction: null, not built */
  struct op2i_device_memory memory;
  struct op2i_list buffers; /* with memory there (lib/mesh) that may leave it */
  int64_t round;            /* of looking for some that may */
};

/* A function that can be launched; each kind's own structure begins with it. */
struct op2i_device_code {
  int64_t group_max; /* work items of a group of this one */
};

/* A parameter of it: memory (of the device, or null), or else a 64-bit integer. */
struct op2i_device_arg {
  bool is_memory;
  void *memory;
  int64_t number;
};

struct op2i_launch {
  int64_t groups; /* one-dimensional; 1 at least */
  int64_t group;  /* work items in each */
  int64_t
      local_bytes; /* that its last parameter points to, memory that a group shares; 0: it has no
                          such parameter */
  int nargs;       /* without that parameter */
  const struct op2i_device_arg *args;
};

/* One thread at a time uses a device. What is handed over is done in that order; get() and wait() wait
 * for it, put() until the host's memory may be written again. Messages of failures say what call has
 * failed and why. After OP2_ERR_FATAL the device is lost, and all that is asked of it fails. */
struct op2i_device_kind {
  const char *name; /* "cuda", "opencl": of the backend */
  bool generic;     /* in its code a pointer may point to any memory */
  bool stages;      /* and wide rows go by way of memory that a group shares */
  bool
      in_host_memory; /* handles of its memory are addresses, for tests: blocks are as large as asked
                          for, so that sanitizers see who goes beyond */
  /* Why there is none of this kind; null: there is. Asked by any thread, and found out once. */
  const char *(*unavailable)(void);
  /* `which` as in OP2_DEVICE: a number from 0, or part of a name in any case; null: of those that are
   * alike and the best, the next for each `seat`, from the first on. OP2_ERR_UNAVAILABLE or
   * OP2_ERR_OPTION with those that there are in the message. */
  op2_status (*open)(const char *which, int seat, struct op2i_device **device);
  void (*close)(struct op2i_device *device); /* what was made of it is gone before */
  /* One line on each device that there is: number, name, memory, target. */
  void (*list)(struct op2i_text *out);

  /* Memory is known by a handle, which need not be an address: places in it are given in bytes. */
  op2_status (*alloc)(struct op2i_device *device, size_t bytes, void **memory); /* OP2_ERR_NOMEM */
  void (*release)(struct op2i_device *device, void *memory);                    /* null: nothing */
  op2_status (*put)(struct op2i_device *device, void *memory, size_t at, const void *host,
                    size_t bytes);
  op2_status (*get)(struct op2i_device *device, void *host, void *memory, size_t at, size_t bytes);
  op2_status (*clear)(struct op2i_device *device, void *memory, size_t at,
                      size_t bytes); /* zeros */

  /* From source to a binary (op2i_free()d by the caller) that load() takes, also in a later process on
   * a device of the same target. OP2_ERR_COMPILE with what the compiler said appended to `log`.
   * `includes` are directories, null-terminated, or null. */
  op2_status (*build)(struct op2i_device *device, const char *source, const char *const *includes,
                      struct op2i_text *log, void **binary, size_t *bytes);
  /* A binary stays as it is while functions of it are in use. */
  op2_status (*load)(struct op2i_device *device, const void *binary, size_t bytes,
                     const char *entry, struct op2i_device_code **code);
  void (*unload)(struct op2i_device *device, struct op2i_device_code *code);
  op2_status (*launch)(struct op2i_device *device, struct op2i_device_code *code,
                       const struct op2i_launch *launch);
  op2_status (*wait)(struct op2i_device *device);

  /* The device's clock. A mark stands between what was handed over before it and after it, when it was
   * set last; *mark is made where it is null. `seconds` from one mark to a later one: less than 0 while
   * the device has not come that far, which `wait` is for. */
  op2_status (*mark)(struct op2i_device *device, void **mark);
  op2_status (*between)(struct op2i_device *device, void *begin, void *end, bool wait,
                        double *seconds);
  void (*unmark)(struct op2i_device *device, void *mark); /* null: nothing */
};

extern const struct op2i_device_kind op2i_device_cuda, op2i_device_opencl, op2i_device_shadow;

/* Those that a user may choose, in order of preference; null-terminated. */
extern const struct op2i_device_kind *const op2i_device_kinds[];

/* As the kind's open(), with the most bytes that it is asked for, or 0. */
op2_status op2i_device_open(const struct op2i_device_kind *kind, const char *which, int seat,
                            int64_t limit, struct op2i_device **device);
void op2i_device_close(struct op2i_device *device); /* null: nothing */
/* For open(): whether `which` means the device of that number and name, and OP2_ERR_OPTION with those
 * that there are. */
bool op2i_device_meant(const char *which, int number, const char *name);
op2_status op2i_device_unknown(const struct op2i_device_kind *kind, const char *which);
/* As the kind's alloc() and release(), within the limit: all that the library has of a device's memory
 * comes from here. */
op2_status op2i_device_alloc(struct op2i_device *device, size_t bytes, void **memory);
void op2i_device_release(struct op2i_device *device, void *memory);
/* Numbers from the host in new memory of the device. */
op2_status op2i_device_numbers(struct op2i_device *device, const int32_t *numbers, int64_t n,
                               void **memory);

#endif
