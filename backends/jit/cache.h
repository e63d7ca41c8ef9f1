/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CACHE_H
#define OP2I_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "entry.h"
#include "folder.h"
#include "op2/types.h"

/* A shared object that is loaded, and the file it was read from, if any; two entries may be one
 * file. It stays while loops use its functions, and some time longer: see image_keep.c. */
struct op2i_image {
  int64_t uses;
  int64_t idle_since; /* without uses: the number of images that had become idle before */
  bool leaves;        /* it is about to be unloaded */
  dev_t device;
  ino_t inode;
  void *handle;
  struct op2i_bytes list; /* what it depends on, see depend.h; owned */
};

/* How many images stay without being used; and as many units of a device. */
enum { OP2I_IDLE_MOST = 64 };

struct op2i_request;

/* The folder of compiled loops and what was loaded from it or made for it. An entry is never
 * changed in place: it is written beside, forced to disk and renamed, so a reader finds all of it
 * or nothing, whoever is killed or writes at the same time. */
struct op2i_cache {
  struct op2i_folder folder; /* fd -1: nothing is kept */
  bool warned, swept;
  bool shared; /* other users are trusted on request, and can read what is written */
  bool counted;
  int told;      /* 1: it was reported that there is no compiler; 2: and that files are absent */
  int64_t bytes; /* once counted: of all entries, as far as this process knows */
  struct op2i_image **images; /* the one loaded last comes last */
  int64_t nimages, capacity;
  int64_t times_idle;       /* how often an image has become idle */
  struct op2i_key *checked; /* digests of lists that hold, of loops without headers of their own */
  int64_t nchecked, checked_capacity;
};

/* Open the folder; one that cannot be trusted or made is a warning, not an error. Fails only for
 * lack of memory. */
op2_status op2i_cache_open(op2_context ctx, struct op2i_cache *cache);
/* Unloads everything. */
void op2i_cache_close(struct op2i_cache *cache);

/* Find the function of a request. It stays null when there is no entry, or when something that the
 * entry depends on has changed; *image is the image that has the function. An entry
 * that is damaged or not ours is removed and counted in *rejected. */
op2_status op2i_cache_load(op2_context ctx, struct op2i_cache *cache,
                           const struct op2i_request *request, struct op2i_image **image,
                           int64_t *rejected);

/* The bytes of a key's entry that are not to be loaded here, *image null when it is not there; the
 * caller's to op2i_free(). */
op2_status op2i_cache_read(op2_context ctx, struct op2i_cache *cache, struct op2i_key key,
                           void **image, size_t *size, int64_t *rejected);

/* Keep an entry under each of its keys; every second key is the one for machines without a
 * compiler. A warning, once, says that it cannot be kept. */
void op2i_cache_store(op2_context ctx, struct op2i_cache *cache, struct op2i_bytes entry,
                      const struct op2i_key *keys, int64_t nkeys);

/* Load a shared object, which nobody uses yet; `file` is the entry that its bytes were read from, null
 * when there was none. *loaded is null when it does not load, `why` says why, and *refused whether it
 * is to blame. */
op2_status op2i_image_load(op2_context ctx, struct op2i_bytes image, struct op2i_key key,
                           const struct stat *file, struct op2i_image **loaded, bool *refused,
                           struct op2i_text *why);
/* Note what an image depends on; *list is its own from then on. */
void op2i_image_depends(struct op2i_image *image, struct op2i_bytes *list);
/* The function of a key in a loaded image, or null. */
void *op2i_image_function(void *handle, struct op2i_key key);

/* image_keep.c: unload what has been without uses for longest where there are many such images, and
 * forget its functions; so with answers of the compiler. No function that was handed out without a use
 * is called any more. */
void op2i_jit_trim(op2_context ctx);
void op2i_image_use(struct op2i_image *image);
void op2i_image_unuse(struct op2i_cache *cache, struct op2i_image *image);
void op2i_image_unload(struct op2i_image *image);

#endif
