/* SPDX-License-Identifier: BSD-3-Clause */
/* Lifetime of images: they stay loaded while loops use their functions, and for some time after.
 * Some programs make sets and maps anew and run the same kernels on them. Others make kernels that
 * are never used again; each of these is an image of tens of kilobytes and five mappings, of which
 * the system allows 65,530. */
#include "cache.h"

#include "context.h"
#include "jit_state.h"
#include "mem.h"
#include "process.h"
#include "query.h"

/* Number of the compiler's answers that are kept. */
enum { ANSWERS_MOST = 256 };

void op2i_image_use(struct op2i_image *image) { image->uses++; }

void op2i_image_unuse(struct op2i_cache *cache, struct op2i_image *image) {
  if (--image->uses == 0) image->idle_since = cache->times_idle++;
}

void op2i_image_unload(struct op2i_image *image) {
  op2i_process_unload(image->handle);
  op2i_free(image->list.data);
  op2i_free(image);
}

/* Mark this many images to unload: the idle ones that became so first. */
static int64_t mark(struct op2i_cache *cache, int64_t count) {
  int64_t marked = 0;
  while (marked < count) {
    struct op2i_image *oldest = NULL;
    for (int64_t i = 0; i < cache->nimages; i++) {
      struct op2i_image *image = cache->images[i];
      if (image->uses > 0 || image->leaves) continue;
      if (!oldest || image->idle_since < oldest->idle_since) oldest = image;
    }
    oldest->leaves = true;
    marked++;
  }
  return marked;
}

static void unload_idle(op2_context ctx) {
  struct op2i_jit *jit = ctx->jit;
  struct op2i_cache *cache = &jit->cache;
  int64_t idle = 0, kept = 0;
  if (cache->nimages <= jit->idle_most) return;
  for (int64_t i = 0; i < cache->nimages; i++) idle += cache->images[i]->uses == 0;
  if (idle <= jit->idle_most) return;
  (void)mark(cache, idle - jit->idle_most);
  bool forgotten = op2i_jit_forget_leaving(jit);
  for (int64_t i = 0; i < cache->nimages; i++) {
    struct op2i_image *image = cache->images[i];
    if (forgotten && image->leaves) {
      op2i_image_unload(image);
      continue;
    }
    image->leaves = false;
    cache->images[kept++] = image;
  }
  cache->nimages = kept;
}

/* If there are many answers of the compiler for lists of include folders, or lists of files that
 * were found unchanged, they are dropped and found out again. */
static void forget_answers(struct op2i_jit *jit) {
  int64_t answers = 0;
  for (const struct op2i_query *query = jit->query; query; query = query->next) answers++;
  if (answers > ANSWERS_MOST) op2i_query_forget(jit);
  if (jit->cache.nchecked > ANSWERS_MOST) jit->cache.nchecked = 0;
}

void op2i_jit_trim(op2_context ctx) {
  unload_idle(ctx);
  forget_answers(ctx->jit);
}
