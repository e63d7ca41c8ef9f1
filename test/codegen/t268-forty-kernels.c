/* SPDX-License-Identifier: BSD-3-Clause */
/* Forty kernels as people write them (forty/forty.h): the same bits as a plain C loop over the
 * elements in scalar code, in vectors of 16, 32 and 64 bytes, in sequential runs and in the checked
 * mode; which of them are vector code; and that each refusal names a line of the kernel which has
 * what it complains of. Mathematical functions are the C library's, as in the plain loop (the
 * library's own are tested in t271). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "forty/forty.h"
#include "support.h"
#include "vector_case.h"

/* The list of kernels and of what becomes of them. A kernel that becomes vector code moves up; one
 * that is vector code must stay that. Where a kernel is refused the words are those of the reason.
 *
 * VECTOR(name), SCALAR(name, reason), ERROR(name, message of the call that refuses it) */
#define LIST                                                                                       \
  VECTOR(rusanov_flux)                                                                             \
  VECTOR(roe_flux)                                                                                 \
  VECTOR(hllc_flux)                                                                                \
  VECTOR(hll_c89)                                                                                  \
  VECTOR(dry_return)                                                                               \
  VECTOR(eos_jwl)                                                                                  \
  VECTOR(eos_tait)                                                                                 \
  VECTOR(limiter_minmod)                                                                           \
  VECTOR(limiter_van_leer)                                                                         \
  VECTOR(limiter_superbee)                                                                         \
  VECTOR(lu5_solve)                                                                                \
  VECTOR(arrhenius)                                                                                \
  VECTOR(time_step)                                                                                \
  VECTOR(quad_stiffness)                                                                           \
  VECTOR(tet_gradient)                                                                             \
  VECTOR(particle_hash)                                                                            \
  VECTOR(random_walk)                                                                              \
  VECTOR(viscous_stress)                                                                           \
  VECTOR(copy_memcpy)                                                                              \
  VECTOR(clear_memset)                                                                             \
  VECTOR(norm_sizeof)                                                                              \
  VECTOR(neo_hookean)                                                                              \
  VECTOR(walk_pointers)                                                                            \
  VECTOR(upwind_pointer)                                                                           \
  VECTOR(transport_table)                                                                          \
  VECTOR(pivot_lu3)                                                                                \
  VECTOR(limiter_venkat)                                                                           \
  VECTOR(riemann_newton)                                                                           \
  VECTOR(cubic_newton)                                                                             \
  VECTOR(wall_switch)                                                                              \
  VECTOR(gather_ragged)                                                                            \
  VECTOR(gather_count)                                                                             \
  VECTOR(seawater_density)                                                                         \
  VECTOR(bottom_drag)                                                                              \
  VECTOR(eos_stiffened)                                                                            \
  VECTOR(cross_value)                                                                              \
  VECTOR(root_union)                                                                               \
  VECTOR(point_type)                                                                               \
  VECTOR(shared_function)                                                                          \
  VECTOR(helmholtz_complex)

/* clang-format off */
#define VECTOR(name)         extern const struct forty_case forty_##name;
#define SCALAR(name, reason) extern const struct forty_case forty_##name;
#define ERROR(name, message) extern const struct forty_case forty_##name;
LIST
#undef VECTOR
#undef SCALAR
#undef ERROR

static const struct listed {
  const struct forty_case *kernel;
  const char *reason, *error; /* null: there is none */
} list[] = {
#define VECTOR(name)         {&forty_##name, NULL, NULL},
#define SCALAR(name, reason) {&forty_##name, reason, NULL},
#define ERROR(name, message) {&forty_##name, NULL, message},
  LIST
#undef VECTOR
#undef SCALAR
#undef ERROR
};
/* clang-format on */

enum {
  KERNELS = sizeof list / sizeof *list,
  N = 1003,
  M = 517,
  BLOCK = 4096, /* one block, so that increments have the order of elements */
  WIDEST = 64   /* values of an argument in a slot */
};

double gam = 1.4;

/* ---- data ------------------------------------------------------------------------------------ */

/* The values of each argument; those of an argument that shares another one's are null. */
struct values {
  void *at[FORTY_ARGS];
  size_t bytes[FORTY_ARGS];
};

static int32_t map_of_all[N * FORTY_ARITY];

static void make_map(void) {
  uint64_t state = 29;
  for (int i = 0; i < N * FORTY_ARITY; i++) map_of_all[i] = draw_below(&state, M);
}

static bool of_nodes(const struct forty_arg *arg) {
  return arg->where >= 0 || arg->where == FORTY_ALL;
}

static size_t rows_of(const struct forty_arg *arg) {
  return of_nodes(arg) ? M : arg->where == FORTY_DIRECT ? N : 1;
}

static double drawn(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * ((double)(draw(state) >> 11) * 0x1p-53);
}

static void make_values(const struct forty_case *c, struct values *v) {
  uint64_t state = strlen(c->name) * 1000003u + (unsigned char)c->name[0];
  *v = (struct values){0};
  for (int a = 0; a < FORTY_ARGS && c->args[a].dim; a++) {
    const struct forty_arg *arg = &c->args[a];
    if (arg->shares) continue;
    size_t n = rows_of(arg) * (size_t)arg->dim;
    v->bytes[a] = n * value_bytes(arg->type);
    v->at[a] = calloc(n, value_bytes(arg->type));
    for (size_t i = 0; i < n; i++) {
      int component = (int)(i % (size_t)arg->dim);
      double mid = component < FORTY_MID ? arg->mid[component] : 0;
      value_put(arg->type, v->at[a], i, mid + drawn(&state, arg->lo, arg->hi));
    }
  }
}

static void free_values(struct values *v) {
  for (int a = 0; a < FORTY_ARGS; a++) free(v->at[a]);
}

/* ---- plain C --------------------------------------------------------------------------------- */

struct element {
  void *param[FORTY_ARGS];
  void *slots[FORTY_ARGS][FORTY_ARITY];
  double own[FORTY_ARGS][FORTY_ARITY * WIDEST]; /* what the kernel gets to add to, or to lower */
};

static void *row(const struct forty_case *c, const struct values *v, int a, size_t r) {
  const struct forty_arg *arg = &c->args[a];
  int owner = arg->shares ? arg->shares - 1 : a;
  return (char *)v->at[owner] + r * (size_t)arg->dim * value_bytes(arg->type);
}

/* The place in memory of slot s of an argument. */
static void *place(const struct forty_case *c, const struct values *v, int a, int e, int s) {
  const struct forty_arg *arg = &c->args[a];
  if (arg->where == FORTY_DIRECT) return row(c, v, a, (size_t)e);
  if (!of_nodes(arg)) return row(c, v, a, 0);
  int slot = arg->where == FORTY_ALL ? s : arg->where;
  return row(c, v, a, (size_t)map_of_all[e * FORTY_ARITY + slot]);
}

static int slots_of(const struct forty_arg *arg) {
  return arg->where == FORTY_ALL ? FORTY_ARITY : 1;
}

static void *own_slot(struct element *at, const struct forty_arg *arg, int a, int s) {
  return (char *)at->own[a] + (size_t)s * (size_t)arg->dim * value_bytes(arg->type);
}

static void begin_element(const struct forty_case *c, const struct values *v, int e,
                          const struct values *first, struct element *at) {
  for (int a = 0; a < FORTY_ARGS && c->args[a].dim; a++) {
    const struct forty_arg *arg = &c->args[a];
    for (int s = 0; s < slots_of(arg); s++) {
      void *own = own_slot(at, arg, a, s);
      at->slots[a][s] =
          arg->access == OP2_INC || arg->access == OP2_MIN ? own : place(c, v, a, e, s);
      for (int d = 0; d < arg->dim; d++)
        value_put(arg->type, own, (size_t)d,
                  arg->access == OP2_MIN ? value_get(arg->type, first->at[a], (size_t)d) : -0.0);
    }
    at->param[a] = arg->where == FORTY_ALL ? (void *)at->slots[a] : at->slots[a][0];
  }
}

static void add_to(op2_type type, void *to, const void *from, int n) {
  for (int i = 0; i < n; i++)
    if (type == OP2_F32)
      ((float *)to)[i] += ((const float *)from)[i];
    else
      ((double *)to)[i] += ((const double *)from)[i];
}

static void end_element(const struct forty_case *c, const struct values *v, int e,
                        struct element *at) {
  for (int a = 0; a < FORTY_ARGS && c->args[a].dim; a++) {
    const struct forty_arg *arg = &c->args[a];
    for (int s = 0; s < slots_of(arg); s++) {
      void *to = place(c, v, a, e, s), *own = own_slot(at, arg, a, s);
      if (arg->access == OP2_INC) add_to(arg->type, to, own, arg->dim);
      if (arg->access == OP2_MIN && *(double *)own < *(double *)to) *(double *)to = *(double *)own;
    }
  }
}

/* Increments go through a private copy that starts at -0.0, as the library says they do. */
static void run_plain(const struct forty_case *c, struct values *v) {
  static struct element at;
  struct values first;
  make_values(c, v);
  make_values(c, &first);
  for (int e = 0; e < N; e++) {
    begin_element(c, v, e, &first, &at);
    c->apply(at.param);
    end_element(c, v, e, &at);
  }
  free_values(&first);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char *folder(void) {
  static char path[4096];
  snprintf(path, sizeof path, "%.4000s/test/codegen/forty", source_root());
  return path;
}

/* The text that the library gets, to be freed; null if the file cannot be read. */
static char *text_of(const struct forty_case *c) {
  static const char begins[] = "/* ---- the text ---- */\n", ends[] = "/* ---- how it is run";
  char path[4200];
  snprintf(path, sizeof path, "%s/%s.c", folder(), c->name);
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 16);
  size_t length = file ? fread(text, 1, (1 << 16) - 1, file) : 0;
  if (file) fclose(file);
  char *end = strstr(text, ends), *begin = strstr(text, begins);
  if (end) *end = '\0';
  if (begin) memmove(text, begin + strlen(begins), strlen(begin + strlen(begins)) + 1);
  if (length && end) return text;
  diag("%s cannot be read", path);
  free(text);
  return NULL;
}

/* ---- the library ----------------------------------------------------------------------------- */

static const struct mode {
  const char *name, *backend;
  int bytes; /* of vectors; 0: scalar code */
} modes[] = {{"sequential", "sequential", 0}, {"scalar", "openmp", 0},
             {"16 bytes", "openmp", 16},      {"32 bytes", "openmp", 32},
             {"64 bytes", "openmp", 64},      {"checked", "check", 0}};

enum { MODES = sizeof modes / sizeof *modes };

/* The objects of a kernel in a context; the status of what refused it. */
struct queued {
  op2_kernel kernel;
  op2_dat dats[FORTY_ARGS];
  op2_gbl gbls[FORTY_ARGS];
  op2_status status;
  char message[1024];
};

struct mesh {
  op2_context ctx;
  op2_set elements, nodes;
  op2_map map;
  op2_const gam;
};

static op2_status new_kernel_of(op2_context ctx, const struct forty_case *c, op2_kernel *kernel) {
  char header[4200];
  if (c->desc) return op2_kernel_create(ctx, c->desc, kernel);
  char *text = text_of(c);
  snprintf(header, sizeof header, "%s/%s", folder(), c->header ? c->header : "");
  const op2_kernel_desc desc = {
      .name = c->name,
      .source = text,
      .headers = (const char *const[]){c->header ? header : NULL, NULL},
      .includes = (const char *const[]){folder(), NULL},
  };
  op2_status status = op2_kernel_create(ctx, &desc, kernel);
  free(text);
  return status;
}

static op2_status new_argument(const struct mesh *mesh, const struct forty_case *c,
                               const struct values *v, int a, struct queued *q, op2_arg *out) {
  const struct forty_arg *arg = &c->args[a];
  const int owner = arg->shares ? arg->shares - 1 : a;
  op2_set set = of_nodes(arg) ? mesh->nodes : mesh->elements;
  op2_status status = OP2_SUCCESS;
  if (arg->where == FORTY_VALUE) {
    *out = op2_arg_val(v->at[a], arg->dim, arg->type);
  } else if (arg->where == FORTY_GLOBAL) {
    status = op2_gbl_create(mesh->ctx, arg->dim, arg->type, v->at[a], "value", &q->gbls[a]);
    *out = op2_arg_gbl(q->gbls[a], arg->access);
  } else {
    if (owner == a)
      status = op2_dat_create(set, arg->dim, arg->type, v->at[a], "values", &q->dats[a]);
    *out = arg->where == FORTY_DIRECT
               ? op2_arg_direct(q->dats[owner], arg->access)
               : op2_arg_dat(q->dats[owner], arg->where == FORTY_ALL ? OP2_ALL : arg->where,
                             mesh->map, arg->access);
  }
  return status;
}

static op2_status queue(const struct mesh *mesh, const struct forty_case *c, struct queued *q) {
  struct values v;
  op2_arg args[FORTY_ARGS];
  int n = 0;
  op2_status status = new_kernel_of(mesh->ctx, c, &q->kernel);
  make_values(c, &v);
  for (; n < FORTY_ARGS && c->args[n].dim && !status; n++)
    status = new_argument(mesh, c, &v, n, q, &args[n]);
  if (!status) status = op2_par_loop_at(OP2_HERE, q->kernel, mesh->elements, n, args);
  q->status = status;
  if (status) snprintf(q->message, sizeof q->message, "%s", op2_error_message());
  free_values(&v);
  return status;
}

static void forget(struct queued *q) {
  for (int a = 0; a < FORTY_ARGS; a++) {
    op2_dat_destroy(&q->dats[a]);
    op2_gbl_destroy(&q->gbls[a]);
  }
  op2_kernel_destroy(&q->kernel);
}

static bool begin_mesh(const struct mode *mode, struct mesh *mesh) {
  const struct config config = {mode->backend, false, BLOCK};
  const op2_options options = config_options(&config);
  *mesh = (struct mesh){0};
  if (!CHECK(op2_init(&options, &mesh->ctx))) return false;
  mesh->ctx->config.simd_bytes = mode->bytes;
  mesh->ctx->config.simd_halved = false;
  return CHECK(op2_set_create(mesh->ctx, N, "elements", &mesh->elements)) &&
         CHECK(op2_set_create(mesh->ctx, M, "nodes", &mesh->nodes)) &&
         CHECK(op2_map_create(mesh->elements, mesh->nodes, FORTY_ARITY, map_of_all, "map",
                              &mesh->map)) &&
         CHECK(op2_const_create(mesh->ctx, 1, OP2_F64, &gam, "gam", &mesh->gam));
}

static void end_mesh(struct mesh *mesh) {
  op2_const_destroy(&mesh->gam);
  op2_map_destroy(&mesh->map);
  op2_set_destroy(&mesh->nodes);
  op2_set_destroy(&mesh->elements);
  if (mesh->ctx) CHECK(op2_finalize(&mesh->ctx));
}

/* ---- results --------------------------------------------------------------------------------- */

static bool same_values(const struct forty_case *c, const struct queued *q,
                        const struct values *want) {
  bool same = true;
  for (int a = 0; a < FORTY_ARGS && c->args[a].dim; a++) {
    const struct forty_arg *arg = &c->args[a];
    if (arg->access == OP2_READ || arg->shares) continue;
    void *got = calloc(1, want->bytes[a]);
    op2_status status = q->gbls[a] ? op2_gbl_get(q->gbls[a], got) : op2_dat_get(q->dats[a], got);
    if (status) diag("%s: %s", c->name, op2_error_message());
    const size_t bytes = value_bytes(arg->type);
    for (size_t i = 0; i * bytes < want->bytes[a] && !status && same; i++) {
      if (!memcmp((char *)got + i * bytes, (char *)want->at[a] + i * bytes, bytes)) continue;
      same = false;
      diag("%s: argument %d, value %zu is %.17g, and %.17g in plain C", c->name, a, i,
           value_get(arg->type, got, i), value_get(arg->type, want->at[a], i));
    }
    same = same && !status;
    free(got);
  }
  return same;
}

/* Return the text that op2_explain() prints, which the caller frees. */
static char *explained(op2_context ctx) {
  char *all = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&all, &size);
  if (stream) {
    CHECK(op2_explain(ctx, stream));
    fclose(stream);
  }
  return all;
}

/* Copy what is said of a loop: "vector code, ..." or the reason against it. Returns false if nothing
 * is said. */
static bool form_of(const char *all, const char *name, bool *vector, char *out, size_t room) {
  char head[200];
  snprintf(head, sizeof head, "  %s over elements:", name);
  const char *at = all ? strstr(all, head) : NULL;
  const char *next = at ? strstr(at, " over elements: run") : NULL;
  next = next ? strstr(next + 1, " over elements: run") : NULL;
  const char *scalar = at ? strstr(at, "scalar code: ") : NULL;
  const char *vectors = at ? strstr(at, "vector code, ") : NULL;
  if (next && scalar > next) scalar = NULL;
  if (next && vectors > next) vectors = NULL;
  *vector = vectors != NULL;
  const char *text = vectors ? vectors : scalar ? scalar + strlen("scalar code: ") : "";
  snprintf(out, room, "%.*s", (int)strcspn(text, "\n"), text);
  return vectors || scalar;
}

/* ---- refusals -------------------------------------------------------------------------------- */

/* The line that a reason names, or 0. */
static int line_in(const char *reason) {
  const char *at = strstr(reason, "line ");
  while (at && !isdigit((unsigned char)at[5]) && at[5] != '(') at = strstr(at + 1, "line ");
  return at ? atoi(at + (at[5] == '(' ? 6 : 5)) : 0;
}

/* The line of a text, to be freed; null if it has no such line. */
static char *line_of(const char *text, int line) {
  for (; text && line > 1; line--) {
    text = strchr(text, '\n');
    text += text != NULL;
  }
  return text ? strndup(text, strcspn(text, "\n")) : NULL;
}

/* True if the line has the word that the reason complains of: uses WORD, calls WORD, includes WORD,
 * applies 'WORD'. Reasons of other forms pass. */
static bool has_word(const char *reason, const char *line) {
  static const char *const verbs[] = {" uses ", " calls ", " includes ", " applies "};
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
    const char *at = strstr(reason, verbs[i]);
    if (!at || strncmp(at + strlen(verbs[i]), "a ", 2) == 0) continue;
    at += strlen(verbs[i]);
    at += *at == '\'';
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ", '"), at);
    return strstr(line, word) != NULL;
  }
  return true;
}

static void check_line(const struct forty_case *c, const char *reason) {
  if (c->header && strstr(reason, c->header)) return; /* no line of the text names it */
  char *text = text_of(c), *line = line_of(text, line_in(reason) ? line_in(reason) : 1 << 20);
  bool good = line && *line && has_word(reason, line);
  ok(good, "%s: the reason names a line that has what it speaks of", c->name);
  diag("  %s", line ? line : "(there is no such line)");
  free(line);
  free(text);
}

static void check_form(const struct listed *l, const struct mode *mode, const char *all,
                       bool *vector) {
  char said[1024];
  bool known = form_of(all, l->kernel->name, vector, said, sizeof said);
  ok(known && *vector == !l->reason && strstr(said, l->reason ? l->reason : "vector code"),
     "%s (%s): %s, %s", l->kernel->name, mode->name, l->kernel->form,
     l->reason ? "scalar code as listed" : "vector code as listed");
  diag("%-18s %s%s", l->kernel->name, *vector ? "" : "scalar: ", said);
  if (l->reason && !*vector && mode->bytes == 32) check_line(l->kernel, said);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void check_error(const struct listed *l, const struct queued *q) {
  ok(q->status && strstr(q->message, l->error), "%s: the call says why it cannot run",
     l->kernel->name);
  diag("  %s", q->message);
}

static void run_mode(const struct mode *mode, const struct values *want) {
  static struct queued queued[KERNELS];
  struct mesh mesh;
  int vectors = 0;
  const char *unfit = backend_unfit(mode->backend);
  memset(queued, 0, sizeof queued);
  if (unfit) {
    skip("%s: %s", mode->name, unfit);
    return;
  }
  if (begin_mesh(mode, &mesh)) {
    for (int k = 0; k < KERNELS; k++)
      if (queue(&mesh, list[k].kernel, &queued[k])) check_error(&list[k], &queued[k]);
    CHECK(op2_flush(mesh.ctx));
    char *all = explained(mesh.ctx);
    for (int k = 0; k < KERNELS; k++) {
      bool vector = false;
      if (list[k].error) continue;
      ok(same_values(list[k].kernel, &queued[k], &want[k]), "%s (%s): the bits of plain C",
         list[k].kernel->name, mode->name);
      if (mode->bytes) check_form(&list[k], mode, all, &vector);
      vectors += vector;
    }
    if (mode->bytes) diag("%s: %d of 40 kernels are vector code", mode->name, vectors);
    free(all);
  }
  for (int k = 0; k < KERNELS; k++) forget(&queued[k]);
  end_mesh(&mesh);
}

int main(void) {
  static struct values want[KERNELS];
  test_environment();
  setenv("OP2_FUSE", "0", 1);
  setenv("OP2_LIBM", "1", 1);
  make_map();
  for (int k = 0; k < KERNELS; k++) run_plain(list[k].kernel, &want[k]);
  for (int m = 0; m < MODES; m++) run_mode(&modes[m], want);
  for (int k = 0; k < KERNELS; k++) {
    if (list[k].error) skip("%s (%s): it is refused", list[k].kernel->name, list[k].kernel->form);
    free_values(&want[k]);
  }
  return done();
}
