/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_DEVICE_H
#define OP2I_DEVICE_H

/* The interface of a device: memory of its own, code that is compiled for it, and launches of that
 * code. Each kind of device is a constant table of functions. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "list.h"
#include "op2/status.h"
#include "op2/types.h"

struct op2i_device_graphs;
struct op2i_text;

/* Properties of a device on which code may rely. */
struct op2i_device_limits {
  char name[128]; /* printable name: "NVIDIA H100 80GB HBM3" */
  /* architecture of binaries in one word, "sm_90"; a part of their cache keys */
  char target[64];
  char compiler[64];  /* compiler of binaries and its version, also a part of the keys */
  bool doubles;       /* true if the device has double precision */
  bool on_host;       /* true if the device computes on the host's processors */
  bool short_atomics; /* true if its atomic operations are limited to 32 bits */
  int units;          /* compute units, which run groups concurrently */
  int wave;           /* work items of a group that execute each instruction together; 0: unknown */
  int64_t group_max;  /* most work items in a group */
  int64_t local_bytes; /* bytes of memory shared by a group */
  int64_t memory_bytes;
  int64_t entries; /* most entries of a table of launches; 0: as many as an int32_t counts */
};

/* Copies between the host and the device, and what has run. */
struct op2i_device_counts {
  int64_t puts, put_bytes, gets, get_bytes, launches;
  int64_t host_runs; /* loops that ran on the host instead */
  int64_t functions; /* functions of loops that are loaded now */
  int64_t graphs;    /* graphs that were launched */
};

/* The device memory that the library has allocated. */
struct op2i_device_memory {
  int64_t limit;      /* bytes; 0: as much as there is */
  int64_t used, most; /* bytes in use: now, and the maximum so far */
  struct op2i_device_block {
    void *memory;
    int64_t bytes;
  } * blocks; /* [nblocks] */
  int64_t nblocks, capacity;
  /* Released blocks that are kept for reuse: small ones, which have one size, and others in the
   * order of their release. They are not in `used`. */
  void **spare; /* [nspare] */
  int64_t nspare, spare_capacity;
  struct op2i_device_block *kept; /* [nkept] */
  int64_t nkept, kept_capacity, kept_bytes;
  int64_t asked, fail_every; /* for tests: every fail_every-th allocation fails */
};

/* Rows of values, to be packed into contiguous memory or unpacked from it. */
struct op2i_device_rows {
  void *values, *packed;
  void *places; /* [n][2] int32_t: the number of a row, and the number of units before it */
  int64_t n, row_units;
  int unit; /* bytes: 4, or 1 */
  bool unpack;
};

/* Memory that the values share which go along with launches, and a copy of it on the host. So one
 * transfer brings whatever has changed in it. */
enum { OP2I_GIVEN_UNIT = 64, OP2I_GIVEN_UNITS = 256 };
struct op2i_device_given {
  char *here;   /* [OP2I_GIVEN_UNITS * OP2I_GIVEN_UNIT]; null: not allocated */
  void *there;  /* the same on the device */
  bool refused; /* true if there was no memory for it */
  bool taken[OP2I_GIVEN_UNITS];
  int64_t first, end; /* bytes that the device does not have yet; none if they are equal */
};

/* The first member of each kind's own structure. */
struct op2i_device {
  const struct op2i_device_kind *kind;
  struct op2i_device_limits limits;
  struct op2i_device_counts counts;
  /* Submits a move of rows to the device. Set by the backend that runs loops on the device. */
  op2_status (*move_rows)(op2_context ctx, const struct op2i_device_rows *rows);
  /* code of that backend, by unit and direction; null: not built */
  struct op2i_device_code *rows[2][2];
  struct op2i_device_memory memory;
  void *behind;  /* mark that limits how far launches run ahead; null: not set yet */
  int64_t ahead; /* launches so far, in which a graph counts as one */
  struct op2i_device_given given;
  /* Where launches are collected at present, and whether they are (device_graphs.h). */
  struct op2i_device_graphs *graphs;
  bool collecting;
  const char *no_graphs;    /* what refused graphs, a literal: none are used; null: they are */
  struct op2i_list buffers; /* buffers (lib/mesh) on the device that may be evicted */
  int64_t round;            /* number of the present eviction search */
};

/* A function that can be launched; each kind's own structure begins with it. */
struct op2i_device_code {
  int64_t group_max; /* most work items in a group of this function */
};

/* A parameter of a function: memory (of the device, or null), or else a 64-bit integer. */
struct op2i_device_arg {
  bool is_memory;
  void *memory;
  int64_t number;
};

struct op2i_launch {
  int64_t groups; /* one-dimensional; 1 at least */
  int64_t group;  /* work items in each group */
  /* bytes of memory shared by a group, to which the last parameter points; 0: no such parameter */
  int64_t local_bytes;
  int nargs; /* number of parameters without the one of local_bytes */
  const struct op2i_device_arg *args;
};

/* One thread at a time uses a device. Operations are done in the order in which they are submitted.
 * get() and wait() wait for all of them, put() until the host's memory may be written again, which
 * for few bytes is at once: they are copied.
 * Messages of failures name the call that failed and the reason. After OP2_ERR_FATAL the device is
 * lost, and every further operation fails. */
struct op2i_device_kind {
  const char *name; /* name of the backend: "cuda", "hip", "opencl" */
  /* true if its code is CUDA C, in which a pointer may point to any memory (global or shared), and
   * groups see what others have stored before a fence */
  bool generic;
  bool builds_together; /* true if several threads may call build() at the same time */
  bool stages;          /* true if its code moves wide rows through memory shared by a group */
  /* true if handles of its memory are host addresses (for tests): blocks then have exactly the
   * requested size, so that sanitizers detect accesses beyond them */
  bool in_host_memory;
  /* true if handles of its memory are addresses, to which bytes can be added */
  bool addresses;
  /* The reason why no device of this kind is usable; null: there is one. May be called by any
   * thread; determined once. */
  const char *(*unavailable)(void);
  /* `which` is an entry of OP2_DEVICE: a number from 0, or part of a name in any case. Null: the best
   * device; if several are equally good, `node_rank` (from 0) counts through them. Fails with
   * OP2_ERR_UNAVAILABLE or OP2_ERR_OPTION, and the devices that exist in the message. */
  op2_status (*open)(const char *which, int node_rank, struct op2i_device **device);
  /* memory and code of the device have to be released before */
  void (*close)(struct op2i_device *device);
  /* Prints one line for each device: number, name, memory, target. */
  void (*list)(struct op2i_text *out);

  /* Memory is identified by a handle, which need not be an address; positions in it are given in
   * bytes. */
  op2_status (*alloc)(struct op2i_device *device, size_t bytes, void **memory); /* OP2_ERR_NOMEM */
  void (*release)(struct op2i_device *device, void *memory);                    /* null: nothing */
  op2_status (*put)(struct op2i_device *device, void *memory, size_t at, const void *host,
                    size_t bytes);
  op2_status (*get)(struct op2i_device *device, void *host, void *memory, size_t at, size_t bytes);
  op2_status (*clear)(struct op2i_device *device, void *memory, size_t at,
                      size_t bytes); /* zeros */

  /* Compiles source to a binary (op2i_free()d by the caller), which load() takes, also in a later
   * process on a device of the same target. Fails with OP2_ERR_COMPILE, with the compiler's output
   * appended to `log`. `includes` are directories, null-terminated, or null. */
  op2_status (*build)(struct op2i_device *device, const char *source, const char *const *includes,
                      struct op2i_text *log, void **binary, size_t *bytes);
  /* The binary has to stay unchanged while functions of it are in use. */
  op2_status (*load)(struct op2i_device *device, const void *binary, size_t bytes,
                     const char *entry, struct op2i_device_code **code);
  void (*unload)(struct op2i_device *device, struct op2i_device_code *code);
  op2_status (*launch)(struct op2i_device *device, struct op2i_device_code *code,
                       const struct op2i_launch *launch);
  op2_status (*wait)(struct op2i_device *device);

  /* Graphs; null: the kind has none. While the device's `collecting` is set, launches and clears
   * are collected. submit() hands them over, as the next graph of the device's `graphs`; operations
   * that have to come after them do so as well. settle() does it if one of them uses this memory.
   * forget() frees the graphs. */
  op2_status (*submit)(struct op2i_device *device);
  op2_status (*settle)(struct op2i_device *device, const void *memory);
  void (*forget)(struct op2i_device *device, struct op2i_device_graphs *graphs);

  /* The device's clock. A mark separates the operations that were submitted before it was last set
   * from those after it; a null *mark is created. `seconds` is the time between two marks. It is
   * negative if the device has not reached the later one yet, unless `wait` is true. */
  op2_status (*mark)(struct op2i_device *device, void **mark);
  op2_status (*between)(struct op2i_device *device, void *begin, void *end, bool wait,
                        double *seconds);
  void (*unmark)(struct op2i_device *device, void *mark); /* null: nothing */
};

#define DEVICE_KIND(id_, name_, summary_) extern const struct op2i_device_kind op2i_device_##name_;
#include "kinds.def"
#undef DEVICE_KIND
extern const struct op2i_device_kind op2i_device_shadow;

/* The kinds of kinds.def, in its order; null-terminated. */
extern const struct op2i_device_kind *const op2i_device_kinds[];
extern const char op2i_device_names[]; /* ", cuda, hip, opencl": for lists in messages */

/* Open a device as the kind's open() does, where `which` may be a list of entries that is separated by
 * commas: the ranks of a node take them in turn. `limit` is the most bytes that may be allocated on it,
 * or 0. */
op2_status op2i_device_open(const struct op2i_device_kind *kind, const char *which, int node_rank,
                            int64_t limit, struct op2i_device **device);
void op2i_device_close(struct op2i_device *device); /* null: nothing */
/* Used by implementations of open(). op2i_device_meant(): true if `which` denotes the device of
 * that number and name. op2i_device_unknown(): OP2_ERR_OPTION with a list of the devices that
 * exist. */
bool op2i_device_meant(const char *which, int number, const char *name);
op2_status op2i_device_unknown(const struct op2i_device_kind *kind, const char *which);
/* Work items of a wave, or as many as most devices have in one. */
static inline int op2i_device_wave(const struct op2i_device *device) {
  return device->limits.wave > 0 ? device->limits.wave : 32;
}
/* Allocate and release as the kind's functions do, within the limit. All memory that the library
 * uses on a device is allocated here. */
op2_status op2i_device_alloc(struct op2i_device *device, size_t bytes, void **memory);
void op2i_device_release(struct op2i_device *device, void *memory);
void op2i_device_memory_close(struct op2i_device *device); /* as a part of closing the device */
/* Allocate device memory for n numbers of elements and copy them there from the host. The caller
 * releases it by op2i_device_release(). */
op2_status op2i_device_numbers(struct op2i_device *device, const int32_t *numbers, int64_t n,
                               void **memory);

#endif
