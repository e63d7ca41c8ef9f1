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

/* A loaded shared object, and the file it was read from, if any; two entries may be one file. It
 * stays loaded while loops use its functions, and for some time after: see image_keep.c. */
struct op2i_image {
  int64_t uses;
  int64_t idle_since; /* without uses: the number of images that had become idle before this one */
  bool leaves;        /* True if it is about to be unloaded */
  dev_t device;
  ino_t inode;
  void *handle;
  struct op2i_bytes list; /* what it depends on, see depend.h; owned */
};

/* Number of images that stay loaded without uses; also the number of such units of a device. */
enum { OP2I_IDLE_MOST = 64 };

struct op2i_request;

/* The folder of compiled loops, and the images that were loaded from it or made for it. An entry is
 * never changed in place: it is written under another name, forced to disk and renamed. So a reader
 * finds all of it or nothing, even if a writer is killed or several write at the same time. */
struct op2i_cache {
  struct op2i_folder folder; /* fd -1: nothing is kept */
  bool warned, swept;
  bool shared; /* True if other users are trusted on request; they can read what is written */
  bool counted;
  int reported;               /* 1: the lack of a compiler was reported; 2: that of files, too */
  int64_t bytes;              /* once counted: size of all entries, as far as this process knows */
  struct op2i_image **images; /* in the order of loading */
  int64_t nimages, capacity;
  int64_t times_idle;       /* how often an image has become idle */
  struct op2i_key *checked; /* digests of lists that hold, for loops without headers of their own */
  int64_t nchecked, checked_capacity;
};

/* Open the folder. A folder that cannot be trusted or made causes a warning, not an error. Fails
 * only for lack of memory. */
op2_status op2i_cache_open(op2_context ctx, struct op2i_cache *cache);
/* Unload everything. */
void op2i_cache_close(struct op2i_cache *cache);

/* Find the function of a request. It stays null if there is no entry, or if a dependency of the
 * entry has changed. *image is the image that has the function. A damaged or foreign entry is
 * removed and counted in *rejected. */
op2_status op2i_cache_load(op2_context ctx, struct op2i_cache *cache,
                           const struct op2i_request *request, struct op2i_image **image,
                           int64_t *rejected);

/* Read the bytes of a key's entry that is not to be loaded here; *image is null if there is none.
 * The caller frees them with op2i_free(). */
op2_status op2i_cache_read(op2_context ctx, struct op2i_cache *cache, struct op2i_key key,
                           void **image, size_t *size, int64_t *rejected);

/* Read a file of the cache that is no entry; bytes->data is null if there is none that only this
 * user and those it trusts can write. The caller frees it. */
op2_status op2i_cache_file(op2_context ctx, struct op2i_cache *cache, const char *name,
                           struct op2i_bytes *bytes);
/* Write such a file, as entries are written. */
void op2i_cache_put(op2_context ctx, struct op2i_cache *cache, const char *name,
                    struct op2i_bytes bytes);

/* Store an entry under each of its keys; every second key is the one for machines without a
 * compiler. If it cannot be stored, a warning says so, once. */
void op2i_cache_store(op2_context ctx, struct op2i_cache *cache, struct op2i_bytes entry,
                      const struct op2i_key *keys, int64_t nkeys);

/* Load a shared object; it has no uses yet. `file` is the entry that its bytes were read from;
 * null: none. If it cannot be loaded, *loaded is null, `why` is the reason, and *refused is true if
 * the object is at fault. */
op2_status op2i_image_load(op2_context ctx, struct op2i_bytes image, struct op2i_key key,
                           const struct stat *file, struct op2i_image **loaded, bool *refused,
                           struct op2i_text *why);
/* Record what an image depends on; the image owns *list from then on. */
void op2i_image_depends(struct op2i_image *image, struct op2i_bytes *list);
/* Return the function of a key in a loaded image, or null. */
void *op2i_image_function(void *handle, struct op2i_key key);

/* image_keep.c: if there are many idle images, unload those that were idle for longest and forget
 * their functions; the same for answers of the compiler. Functions that were handed out without a
 * use must not be called any more. */
void op2i_jit_trim(op2_context ctx);
void op2i_image_use(struct op2i_image *image);
void op2i_image_unuse(struct op2i_cache *cache, struct op2i_image *image);
void op2i_image_unload(struct op2i_image *image);

#endif
