/* SPDX-License-Identifier: BSD-3-Clause */
/* A random program in words. */
#include "support_rprogram.h"

static const char *const access_names[] = {"?", "READ", "WRITE", "RW", "INC", "MIN", "MAX"};

static void print_argument(FILE *out, const struct rcall *call, int a) {
  const struct rarg *arg = &call->kernel->args[a];
  const char *mode = access_names[arg->access];
  switch (arg->kind) {
  case R_DIRECT: fprintf(out, " d%d.%s", call->dat[arg->dat], mode); break;
  case R_SLOT: fprintf(out, " d%d.%s@m%d[%d]", call->dat[arg->dat], mode, call->map[arg->map], arg->slot); break;
  case R_ALL: fprintf(out, " d%d.%s@m%d[*]", call->dat[arg->dat], mode, call->map[arg->map]); break;
  case R_ITER: fprintf(out, " d%d.%s@m%d[i%d]", call->dat[arg->dat], mode, call->map[arg->map], arg->slot); break;
  case R_GBL: fprintf(out, " g%d.%s", call->dat[arg->dat], mode); break;
  case R_VAL: fprintf(out, " val(%s x%d)", c_name(arg->type), arg->dim); break;
  case R_IDX: fputs(" idx", out); break;
  }
}

static void print_call(FILE *out, const struct rcall *call) {
  fprintf(out, "%s over s%d:", call->kernel->name, call->set);
  for (int a = 0; a < call->kernel->nargs; a++) print_argument(out, call, a);
}

static void print_object(FILE *out, const struct rprogram *p, const struct roperation *o) {
  if (o->step == P_SET || o->step == P_SUBSET) {
    const struct rset *s = &p->sets[o->a];
    fprintf(out, "s%d: ends %d %d %d %d", o->a, (int)s->ends[0], (int)s->ends[1], (int)s->ends[2], (int)s->ends[3]);
    if (s->parent >= 0) fprintf(out, ", subset of s%d:", s->parent);
    for (int64_t i = 0; i < s->count && i < 40; i++) fprintf(out, " %d", (int)s->position[i]);
  } else if (o->step == P_MAP) {
    const struct rmap *m = &p->maps[o->a];
    const int64_t n = p->sets[m->from].ends[3] * m->arity;
    fprintf(out, "m%d: s%d -> s%d x%d%s:", o->a, m->from, m->to, m->arity, m->distinct ? ", distinct" : "");
    for (int64_t i = 0; i < n && i < 80; i++) fprintf(out, "%s%d", i % m->arity ? " " : " | ", m->idx[i]);
  } else if (o->step == P_DAT) {
    const struct rdat *d = &p->dats[o->a];
    fprintf(out, "d%d: %s x%d on s%d%s%s", o->a, c_name(d->type), d->dim, d->set, d->wrapped ? ", wrapped" : "",
            d->bare ? ", without data" : "");
  } else {
    fprintf(out, "g%d: %s x%d", o->a, c_name(p->gbls[o->a].type), p->gbls[o->a].dim);
  }
}

void rprogram_print(const struct rprogram *p, FILE *out) {
  static const char *const words[] = {
      [P_KILL_MAP] = "give up m",   [P_KILL_DAT] = "give up d",    [P_KILL_GBL] = "give up g",
      [P_ENQUEUE] = "enqueue o",    [P_COMPUTE] = "compute o",     [P_KILL_OBJECT] = "give up o",
      [P_GET] = "get d",
      [P_GET_HALO] = "get whole d", [P_READ] = "read scope of d",  [P_PUT] = "put d",
      [P_PUT_HALO] = "put whole d", [P_EDIT] = "write scope of d", [P_GBL_GET] = "get g",
      [P_GBL_PUT] = "put g",        [P_CONST_PUT] = "put constant "};
  fprintf(out, "program %d of seed %llu, %d loops\n", p->number, (unsigned long long)p->seed, p->loops);
  for (int i = 0; i < p->noperations; i++) {
    const struct roperation *o = &p->operations[i];
    fprintf(out, "%3d ", i);
    if (o->step <= P_GBL) print_object(out, p, o);
    else if (o->step == P_LOOP) print_call(out, o->call);
    else if (o->step == P_OBJECT) fprintf(out, "o%d = ", o->a), print_call(out, o->call);
    else if (o->step == P_FLUSH) fputs("flush", out);
    else fprintf(out, "%s%d", words[o->step], o->a);
    fputc('\n', out);
  }
}
