/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the emulated device, and of its blocks: which there is, what of it has been written, and who was
 * there last. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emulation.h"

enum { PAGE = 4096, MOST = 1 << 16, UNKNOWN = 0xff, MANY = 0xffff, ATOMIC = 0x8000 };

/* Of a byte: in which phases it was written and read last, and by which thread; and a phase in which
 * another block than that of the last read has read it. Phases begin with 1. */
struct trace {
  uint32_t written, read, elsewhere;
  uint16_t writer, reader;
};

struct piece {
  uintptr_t at;
  size_t bytes;
  char *map; /* with pages round it that nobody has; null: the piece is a module's */
  size_t map_bytes;
  unsigned char *defined; /* for each byte */
  struct trace *traces;
};

struct emulation_phase emulation_phase;

static struct piece pieces[MOST]; /* by address */
static int npieces;
static size_t taken;
/* What a block of the running launch shares. */
static struct piece dynamic, fixed;
/* The first phase that counts for an access: of the block where that shares the memory, else of the launch. */
static uint32_t first;

/* Zeros that take no memory until they are written. */
static void *reserve(size_t bytes) {
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static bool open_traces(struct piece *piece) {
  if (!piece->defined) piece->defined = reserve(piece->bytes);
  if (!piece->traces) piece->traces = reserve(piece->bytes * sizeof *piece->traces);
  return piece->defined && piece->traces;
}

static void close_piece(struct piece *piece) {
  if (piece->defined) munmap(piece->defined, piece->bytes);
  if (piece->traces) munmap(piece->traces, piece->bytes * sizeof *piece->traces);
  if (piece->map) munmap(piece->map, piece->map_bytes);
  *piece = (struct piece){0};
}

/* The last piece that begins at or before an address, or -1. */
static int before(uintptr_t at) {
  int low = 0, high = npieces;
  while (low < high) {
    int middle = (low + high) / 2;
    if (pieces[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

static struct piece *find(uintptr_t at, size_t bytes) {
  int i = before(at);
  if (i < 0 || at - pieces[i].at > pieces[i].bytes || bytes > pieces[i].bytes - (at - pieces[i].at))
    return NULL;
  return &pieces[i];
}

/* Aligned as CUDA's are, and with nothing of another piece near it. */
int emulation_alloc(uint64_t *at, size_t bytes) {
  const size_t all = (size_t)emulation_setting("memory", (int64_t)2 << 30);
  struct piece piece = {.bytes = bytes, .map_bytes = (bytes + 3 * PAGE - 1) / PAGE * PAGE};
  if (bytes == 0) return EMULATION_INVALID_VALUE;
  if (bytes > all - taken || npieces == MOST) return EMULATION_OUT_OF_MEMORY;
  piece.map = reserve(piece.map_bytes);
  if (!piece.map || !open_traces(&piece)) {
    close_piece(&piece);
    return EMULATION_OUT_OF_MEMORY;
  }
  piece.at = (uintptr_t)piece.map + PAGE;
  memset(piece.map + PAGE, UNKNOWN, bytes < PAGE ? bytes : PAGE);
  mprotect(piece.map, PAGE, PROT_NONE);
  int i = before(piece.at) + 1;
  memmove(&pieces[i + 1], &pieces[i], (size_t)(npieces - i) * sizeof *pieces);
  pieces[i] = piece;
  npieces++;
  taken += bytes;
  *at = piece.at;
  return EMULATION_SUCCESS;
}

int emulation_free(uint64_t at) {
  int i = before(at);
  if (i < 0 || pieces[i].at != at) return EMULATION_INVALID_VALUE;
  taken -= pieces[i].bytes;
  close_piece(&pieces[i]);
  npieces--;
  memmove(&pieces[i], &pieces[i + 1], (size_t)(npieces - i) * sizeof *pieces);
  return EMULATION_SUCCESS;
}

void emulation_free_all(void) {
  while (npieces > 0) emulation_free(pieces[npieces - 1].at);
}

bool emulation_holds(uint64_t at, size_t bytes) { return find(at, bytes) != NULL; }

void emulation_defined(uint64_t at, size_t bytes) {
  struct piece *piece = find(at, bytes);
  if (piece) memset(piece->defined + (at - piece->at), 1, bytes);
}

bool emulation_nearest(uintptr_t at, uintptr_t *base, size_t *bytes) {
  int i = before(at);
  if (i < 0) i = 0;
  if (i + 1 < npieces && pieces[i].at + pieces[i].bytes <= at &&
      pieces[i + 1].at - at < at - (pieces[i].at + pieces[i].bytes))
    i++;
  if (i >= npieces) return false;
  *base = pieces[i].at;
  *bytes = pieces[i].bytes;
  return true;
}

static void fresh(struct piece *piece, unsigned char *at, size_t bytes) {
  if (piece->at != (uintptr_t)at || piece->bytes != bytes) {
    close_piece(piece);
    piece->at = (uintptr_t)at;
    piece->bytes = bytes;
    if (bytes > 0 && !open_traces(piece)) abort();
  }
  memset(at, UNKNOWN, bytes);
  if (bytes > 0) memset(piece->defined, 0, bytes);
}

void emulation_fresh_shared(const struct op2_emulation_shared *shared, size_t dynamic_bytes) {
  fresh(&dynamic, shared->dynamic, dynamic_bytes);
  if (shared->fixed) fresh(&fixed, shared->fixed, (size_t)(shared->fixed_end - shared->fixed));
}

void emulation_forget_shared(void) {
  close_piece(&dynamic);
  close_piece(&fixed);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool within(const struct piece *piece, uintptr_t at, size_t bytes) {
  return at >= piece->at && at - piece->at <= piece->bytes &&
         bytes <= piece->bytes - (at - piece->at);
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* The phases of a block up to its last fence, after which a thread of it made an atomic access. */
static struct release { uint32_t first, last; } * releases;
static int nreleases, room_for_releases;
/* The last fence of the block that runs, and its last atomic access; and what it has acquired: so many
 * releases, for this thread at once, for the others from the next phase on. */
static struct {
  uint32_t fence, atomic, acquired;
  uint16_t fence_thread, atomic_thread, acquiring;
  int seen, known;
} sync;

void emulation_forget_releases(void) {
  nreleases = 0;
  memset(&sync, 0, sizeof sync);
}

void emulation_fence(void) {
  sync.fence = emulation_phase.now;
  sync.fence_thread = emulation_phase.thread;
  if (sync.atomic < emulation_phase.block || sync.atomic_thread != emulation_phase.thread) return;
  sync.acquired = emulation_phase.now;
  sync.acquiring = emulation_phase.thread;
  sync.known = sync.seen;
}

static void synchronise(void) {
  const struct emulation_phase *now = &emulation_phase;
  sync.atomic = now->now;
  sync.atomic_thread = now->thread;
  sync.seen = nreleases;
  if (sync.fence < now->block || sync.fence_thread != now->thread) return;
  if (nreleases == room_for_releases) {
    room_for_releases = room_for_releases ? 2 * room_for_releases : 64;
    releases = realloc(releases, (size_t)room_for_releases * sizeof *releases);
    if (!releases) abort();
  }
  releases[nreleases++] = (struct release){now->block, sync.fence};
}

/* Whether what another block did comes before what the thread does that runs. */
static bool is_there(uint32_t phase) {
  const struct emulation_phase *now = &emulation_phase;
  if (sync.acquired < now->block || (sync.acquired == now->now && sync.acquiring != now->thread))
    return false;
  for (int i = 0; i < sync.known; i++)
    if (phase >= releases[i].first && phase <= releases[i].last) return true;
  return false;
}

/* Whether what was done in a phase by a thread is not separated from now. */
static const char *clash(uint32_t phase, uint16_t thread, const char *in_block,
                         const char *among_blocks) {
  if (phase < first) return NULL;
  if (phase < emulation_phase.block) return is_there(phase) ? NULL : among_blocks;
  return phase == emulation_phase.now && thread != emulation_phase.thread ? in_block : NULL;
}

/* Who reads what others update atomically gets one value or another, and no mixture. */
static const char *look_written(const struct trace *trace, int kind) {
  if (kind != OP2_EMULATION_WRITE && trace->writer & ATOMIC) return NULL;
  return clash(trace->written, trace->writer & (ATOMIC - 1),
               kind == OP2_EMULATION_READ
                   ? "reads what another thread of the block writes, with no barrier between"
                   : "writes what another thread of the block writes, with no barrier between",
               kind == OP2_EMULATION_READ ? "reads what another block writes"
                                          : "writes what another block writes");
}

static const char *look_read(const struct trace *trace) {
  static const char blocks[] = "writes what another block reads";
  if (trace->elsewhere >= first && !is_there(trace->elsewhere)) return blocks;
  return clash(trace->read, trace->reader,
               "writes what another thread of the block reads, with no barrier between", blocks);
}

static bool is_released(uint32_t phase) {
  for (int i = 0; i < nreleases; i++)
    if (phase >= releases[i].first && phase <= releases[i].last) return true;
  return false;
}

/* Blocks end one after the other, so a read of an earlier block has been released by now, or never is.
 * Of reads that have been released the latest one counts, since releases are acquired in their order. */
static void remember_elsewhere(struct trace *trace) {
  if (trace->elsewhere < first || is_released(trace->elsewhere)) trace->elsewhere = trace->read;
}

static void remember(struct trace *trace, int kind) {
  const struct emulation_phase *now = &emulation_phase;
  if (kind != OP2_EMULATION_READ) {
    trace->written = now->now;
    trace->writer = now->thread | (kind == OP2_EMULATION_ATOMIC ? ATOMIC : 0);
    return;
  }
  if (trace->read >= first && trace->read < now->block) remember_elsewhere(trace);
  trace->reader = trace->read == now->now && trace->reader != now->thread ? MANY : now->thread;
  trace->read = now->now;
}

static const char *look_byte(struct piece *piece, size_t i, int kind) {
  struct trace *trace = &piece->traces[i];
  const char *wrong = NULL;
  if (kind != OP2_EMULATION_WRITE && !piece->defined[i]) return "reads what was never written";
  wrong = look_written(trace, kind);
  if (!wrong && kind == OP2_EMULATION_WRITE) wrong = look_read(trace);
  remember(trace, kind);
  piece->defined[i] = 1;
  return wrong;
}

const char *emulation_look(uintptr_t at, size_t bytes, int kind, int *result) {
  struct piece *piece = within(&dynamic, at, bytes) ? &dynamic
                        : within(&fixed, at, bytes) ? &fixed
                                                    : find(at, bytes);
  const char *wrong = NULL;
  if (kind == OP2_EMULATION_ATOMIC && at % bytes != 0) { /* of others the compiler tells */
    *result = EMULATION_MISALIGNED_ADDRESS;
    return "updates an address that is not aligned";
  }
  *result = EMULATION_LAUNCH_FAILED;
  if (piece) {
    first = piece == &dynamic || piece == &fixed ? emulation_phase.block : emulation_phase.launch;
    if (kind == OP2_EMULATION_ATOMIC) synchronise();
    for (size_t i = 0; i < bytes && !wrong; i++) wrong = look_byte(piece, at - piece->at + i, kind);
    return wrong;
  }
  *result = EMULATION_ILLEGAL_ADDRESS;
  return kind == OP2_EMULATION_READ ? "reads outside of all memory"
                                    : "writes outside of all memory";
}
