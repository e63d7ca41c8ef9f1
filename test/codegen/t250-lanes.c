/* SPDX-License-Identifier: BSD-3-Clause */
/* Each lane of a kernel's vector form computes the same bits as the scalar kernel. */
#include "compile_case.h"
#include "lane_case.h"
#include "tap.h"

static const struct lane_kernel kernels[] = {
    /* ---- counters that are declared above an if ---- */
    {"a counter above an if", "Vd4",
     "void k(double *x) { int i, j = 0; if (x[0] > 0) { for (i = 0; i < 4; i++) x[i] *= 2; for (i "
     "= "
     "3; i > 0; i--) for (j = 0; j < i; j++) x[i] += x[j]; } }"},
    {"a counter read after its loop", "Vd4 Vi1",
     "void k(double *x, int *n) { int i; *n = 1; for (i = 0; i < 3; i++) x[i] += 1; if (x[0] > 0) "
     "*n = i; for (i = 0; i < 2; i++) x[3] -= i; }"},
    {"a counter read in another loop", "Vd4",
     "void k(double *x) { int i, j; for (i = 0; i < 3; i++) x[i] += 1; for (j = i; j > 0; j--) "
     "x[j] -= i; }"},
    {"a counter that starts at itself", "Vd4",
     "void k(double *x) { int i = 1; if (x[0] > 0) for (i = 0; i < 2; i++) x[i] = 2; for (i = 0; i "
     "< "
     "3; i++) { for (i = i + 1; i < 3; i++) x[i] += 1; } }"},
    {"an array that begins with a number", "Vd2",
     "void k(double *x) { double t[2] = {3}; int n[1] = {2}; if (x[0] > 0) t[1] = n[0] = 1; x[0] "
     "+= "
     "t[0] * n[0]; x[1] += t[1]; }"},
    /* ---- memory and pointers ---- */
    {"alignments", "Vd2",
     "void k(double *x) { double t[2] __attribute__((aligned(64))), s __attribute__((__unused__)) "
     "= 1; _Alignas(16) double u = x[0]; t[0] = x[1] * 2; t[1] = u; x[0] += t[0] * s; x[1] -= "
     "t[1]; }"},
    {"sizes", "Vd4 Vi2",
     "void k(double *x, int *n) { double t[2][3]; float f = 1; t[1][2] = f; n[0] = sizeof t / "
     "sizeof t[0] + sizeof(f) + sizeof *t[1] + sizeof(double[3]); n[1] = (int)sizeof(x) + sizeof "
     "(t)[1] + sizeof(char) * 3; for (unsigned i = 0; i < sizeof t[0] / sizeof(double); i++) x[i] "
     "*= t[1][2] + 2; }"},
    {"pointers compared", "Vd4",
     "void k(double *x) { double *p, *end = x + 4; for (p = x; p < end; p++) *p *= 2; for (p = x; "
     "p != end; ++p) if (x[0] > 0) *p += 1; if (end >= x + 3) x[3] += 1; }"},
    {"a pointer that a condition chooses", "Vd3 Vd3 Vd3 Vh2 Vh2",
     "void k(const double *x, const double *y, double *z, const int16_t *h, int16_t *g) { const "
     "double *p = x[0] > y[0] ? x : y + 0; double s = 0; const int16_t *m = h[0] > h[1] ? h : g; "
     "for "
     "(int i = 0; i < 3; i++) s += p[i] * *p; z[0] = s; if (x[1] > 0) { const double *q = y[1] > 0 "
     "? "
     "x : c2; z[1] += q[(int)z[2] & 1]; z[2] = -q[1]; } g[0] = m[1] + m[0]; }"},
    {"rows by number", "Vd3x2 Vi2 Vd2",
     "void k(double **x, const int *i, double *y) { double m[2][3]; const int n = i[0] & 1; for "
     "(int "
     "a = 0; a < 2; a++) for (int b = 0; b < 3; b++) m[a][b] = a + b; m[n][1] = y[0]; m[n][n] += "
     "y[1]; if (y[0] > 0) m[1 - n][2] -= m[n][i[1] & 1]; y[0] = m[0][1] + m[1][n]; y[1] = x[n + "
     "1][1] + x[i[1] & 1][n]; x[n][1] = m[1][2]; if (y[1] > 0) x[2 - n][0]++; }"},
    {"rows that become constant", "Vd6 Vd1",
     "static double f(const double (*m)[3]) { return m[1][2] - m[0][1]; } void k(const double *x, "
     "double *y) { double m[2][3]; for (int i = 0; i < 6; i++) m[i / 3][i % 3] = x[i]; *y = "
     "f((const double (*)[3])m); }"},
    /* ---- loops and switches that some lanes leave before others ---- */
    {"a trip count of each", "Vd4 Vi1 Vd1",
     "void k(const double *x, const int *i, double *y) { const int n = *i & 3; double s = 0; for "
     "(int "
     "m = 0; m < n; m++) s += x[m] * (m + 1); *y = s; int a; for (a = 0; a < (*i & 3) + 1; a++) *y "
     "-= "
     "x[a]; }"},
    {"a trip count that turns out to vary", "Vd2",
     "void k(double *x) { int n = 3; for (int i = 0; i < n; i++) if (x[0] > i) n = 2; x[1] = n; }"},
    {"a loop until it is small", "Vn1 Vi1",
     "void k(double *x, int *n) { double a = *x; *n = 0; while (a > 1 || a < -1) { a /= 2; ++*n; } "
     "*x "
     "= a; do { a *= 0.5; ++*n; } while (a > 0.01 && *n < 20); *x -= a; }"},
    {"variables of branches, in branches within", "Vd3 Vd4",
     "void k(const double *x, double *y) { if (x[0] > 0.5) { double a = 0, b = 1; int n = 2; if "
     "(x[1] > "
     "0) { a = x[1]; n++; if (x[2] > a) { double c = a; if (x[2] > 2) { c = 3 * a; b = c; y[3] = "
     "b; } a "
     "+= c; } else { b -= a; n += 3; } } else if (x[2] < 0) { a = -x[2]; b = 2; } y[0] = a; y[1] "
     "+= b; "
     "y[2] = n; } else { double a = 7; if (x[2] > 0) a = x[2]; y[0] -= a; } }"},
    {"variables of branches, with loops, jumps and returns within", "Vn3 Vd4",
     "static double f(double a, double b) { if (a > 0) { double c = 1; if (b > 0) { if (b > 2) "
     "return 5; "
     "c = b; } if (a > 1) c += 2; return c; } return b; }\n"
     "void k(const double *x, double *y) { y[0] = f(x[0], x[1]); if (x[0] > 0) { double a = 1, b = "
     "x[1]; "
     "for (int k = 0; k < 5; k++) { if (b > 2) { b -= 1; continue; } if (x[2] > k) { a += b; if (a "
     "> 3) "
     "break; } double c = 0; if (b > 0) { c = a; if (a > 2) c = 2 - b; } b += 0.5 + c; } y[1] = a; "
     "y[2] "
     "= b; switch ((int)x[2]) { case 0: a = 3; if (b > 1) a = b; break; case 1: b = a; default: if "
     "(a > "
     "1) b = 4; } y[3] = a - b; } }"},
    {"while, with a step at the end", "Vn1 Vd4",
     "void k(const double *x, double *y) { double a = fabs(*x); int n = 0, m = 1; while (a > 1 && "
     "n "
     "< 9) { a *= 0.5; y[0] += n; n++; } while (a < 3 && m < 200) { if (a > 2.5) break; a += 0.1 * "
     "m; y[1] += m; m += 2; } y[2] = a; int d = 7; while (d > 0 && a > d * *x) { y[3] += d; --d; } "
     "}"},
    {"while, with a step that some lanes skip, or that counts", "Vn1 Vd3 Vi3",
     "void k(const double *x, double *y, int *c) { double a = fabs(*x); int n = 0; while (a > 1 && "
     "n "
     "< 9) { a *= 0.5; n++; } c[0] = n; int m = 0; a = fabs(*x); while (a < 30 && m < 9) { a += 1 "
     "+ m; "
     "if (a > 10 && a < 20) { y[0] += 1; continue; } y[1] += m; m++; } int p = 0; while (a > 2) { "
     "a "
     "*= 0.25; if (a > 4) p++; y[2] += p; } int q = 0; while (a < 9) { a += 1 + *x * *x; q++; c[1] "
     "+= "
     "q; } int r = 0; for (int i = 0; i < 2; i++) { a = fabs(*x) + i; while (a > 1) { a *= 0.5; "
     "c[2] "
     "+= r; r++; } } }"},
    {"branches that end their loop", "Vd4 Vi1",
     "static int halves(double *x) { for (int i = 0; i < 9; i++) { if (*x > 1) { *x /= 2; if (*x < "
     "1.25) return i; } } return -1; } void k(double *x, int *n) { double step = 1, a = x[0]; *n = "
     "0; for (int i = 0; i < 12; i++) { if (fabs(step) > 0.01) { step = (a * a - x[1]) / (2 * a + "
     "3); a -= step; ++*n; } } x[0] = a; for (int i = 0; i < 6; i++) { if (x[0] > 1) { x[0] /= 3; "
     "for (int m = 0; m < 3; m++) if (x[2] > 2) x[2] = sqrt(x[2]); } } *n += halves(x + 3); }"},
    {"branches that do not end their loop", "Vd4 Vi1",
     "void k(double *x, int *n) { int j; *n = 0; for (int i = 0; i < 5; i++) if (x[2] < 2.0 * i - "
     "3) x[2] = x[3] / (1 + x[2] * x[2]); for (int i = 0; i < 4; i++) { if (x[3] > 1) x[3] /= 2; "
     "else x[1] += 1; } for (j = 0; j < 6; j++) if (x[1] < 0) x[1] = (x[1] + 1) / 1.5; *n += j; "
     "for (int i = 0; i < 6; i++) { if (x[0] > 0) x[0] = 1 / x[0] - 2; x[0] += 0.5; } for (int i "
     "= 0; i < 8; i++) if (x[1] > 1) { x[1] /= 2; i++; } for (int i = 0; i < 3; i++, *n += 1) if "
     "(x[3] > 0) x[3] /= -2; }"},
    {"break and continue of some", "Vn4 Vn1",
     "void k(double *x, double *y) { double s = 1; for (int i = 0; i < 4; i++) { if (x[i] > 2) "
     "break; "
     "if (x[i] < 0) continue; s += x[i]; x[i] = -1; } *y = s; }"},
    {"a break alone", "Vn4 Vi1",
     "void k(double *x, int *n) { *n = -1; for (int i = 3; i >= 0; i--) { x[i] += 1; if (x[i] > 1) "
     "{ "
     "*n = i; break; } } }"},
    {"a loop that only breaks end", "Vn1 Vi2",
     "void k(double *x, int *n) { int i = 0; for (;;) { if (i > 5) break; i++; if (*x > i) "
     "continue; "
     "n[1] = i; if (i > n[0]) break; } n[0] = i; }"},
    {"jumps of all beside those of some", "Vn4 ui",
     "void k(double *x, int n) { for (int i = 0; i < 4; i++) { if (x[i] < 0) continue; if (i == (n "
     "& "
     "3)) break; if (i > 1) continue; x[i] += 10; } }"},
    {"a counter changed below a jump", "Vn4 Vn1",
     "void k(double *x, double *y) { for (int i = 0; i < 4; i++) { if (x[i & 3] > 0) continue; "
     "i++; *y "
     "+= i; } }"},
    {"a switch of each", "Vi1 Vn2 Vn1",
     "void k(const int *i, const double *x, double *y) { double s = 3; switch (*i & 7) { case 0: s "
     "= "
     "1; case 1: s += x[0]; break; default: s -= 1; case 5: s *= 2; break; case 6: { if (x[0] > 0) "
     "break; s = 7; } s += 1; break; case 7: *y = x[1]; return; } *y += s; }"},
    {"a switch in a loop", "Vi3 Vn3 Vn1",
     "void k(const int *i, double *x, double *y) { double s = 0; for (int n = 0; n < 3; n++) { "
     "switch "
     "(i[n] & 3) { case 0: continue; case 1: if (x[n] < 0) continue; break; case 2: s += 10; "
     "break; "
     "default: if (x[n] > 1) break; s += 100; } s += x[n]; x[n] = n; } *y = s; }"},
    {"a switch of all with a break of some", "Vn2 ui",
     "void k(double *x, int n) { switch (n & 1) { case 0: if (x[0] > 0) break; x[1] = 1; break; "
     "default: x[1] = 2; } }"},
    {"a continue in a switch below an if", "Vn3 ui",
     "void k(double *x, int n) { for (int i = 0; i < 3; i++) { if (x[i] > 0) { switch (n & 1) { "
     "case "
     "0: continue; default:; } } x[i] -= 1; } }"},
    {"returns in loops and switches", "Vn4 ui",
     "void k(double *x, int n) { for (int i = 0; i < 3; i++) { if (x[i] > 2) return; if (x[i] < "
     "-1) "
     "break; x[i] += 1; } switch (n & 3) { case 1: if (x[0] > 0) return; case 2: x[1] = 1; } x[3] "
     "= "
     "5; }"},
    {"a function with a loop of each", "Vn2 Vi1",
     "static int steps(double a) { int n = 0; while (a > 1) { a *= 0.5; if (++n > 3) return -1; } "
     "return n; } void k(const double *x, int *n) { if (x[0] > x[1]) *n = steps(x[0]) + steps(4 * "
     "x[1]); }"},
    {"loops of some in loops of some", "Vn4 Vn1",
     "void k(double *x, double *y) { int i, j; double s = 0; for (i = 0; i < 4; i++) { for (j = 0; "
     "j < "
     "4; j++) { if (x[j] > x[i]) break; if (x[j] * x[i] < 0) continue; s += j; } if (s > 4) break; "
     "s "
     "+= x[i]; } *y = s; }"},
    {"what must not run once all have left", "Vi4 Vi2 Vd1",
     "void k(const int *i, int *n, double *x) { int s = 0; for (int a = 0; a < 1000000000; a++) { "
     "if "
     "(a > (i[0] & 3)) break; s += i[a] / (a + 1); } n[0] = s; for (int a = 0; i[a] & 1 && a < 3; "
     "a++) "
     "n[1] += a; *x = c2[n[1] & 3]; }"},
    /* ---- structures and unions ---- */
    {"a structure passed and returned", "Vd3 Vd3 Vd3",
     "struct vec { double x, y, z; }; static struct vec cross(struct vec a, struct vec b) { "
     "struct vec c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z}; c.z = a.x * b.y - a.y * "
     "b.x; return c; } static struct vec load(const double *x) { return (struct vec){x[0], "
     "x[1], x[2]}; } void k(const double *x, const double *y, double *z) { const struct vec a "
     "= load(x), n = cross(a, load(y)); z[0] = n.x; z[1] = n.y + a.z; z[2] = cross(n, a).z; }"},
    {"a structure by its address", "Vd4 Vd2",
     "typedef struct { double rho, u[2]; int n; } prim; static void set(const double *x, prim "
     "*w) { w->rho = x[0]; for (int i = 0; i < 2; i++) w->u[i] = x[1 + i] / x[0]; (*w).n++; } "
     "void k(const double *x, double *y) { prim w = {.n = 2}; set(x, &w); if (x[3] > 0) set(x "
     "+ 1, &w); y[0] = w.rho + w.u[1] * w.n; y[1] = (&w)->u[0]; }"},
    {"structures that some elements assign", "Vn3 Vd2",
     "struct p { double a; float f; int32_t i; _Bool b; }; void k(const double *x, double *y) "
     "{ struct p s = {1, 2, 3, x[0] > 1}, t; t.a = x[1]; t.f = 1.5f; t.i = 7; t.b = 0; if "
     "(x[0] > 0) s = t; else s.i += 4; struct p *q = &t; if (x[2] > 0) { *q = s; q->b = !s.b; "
     "} y[0] = s.a + s.f + s.i + s.b; y[1] = t.a * t.i - t.f + t.b; }"},
    {"a structure of two by a condition", "Vd3 Vd1 ui",
     "typedef struct { double a; int n; } s2; static s2 of(double a, int n) { s2 s = {a, n}; "
     "return s; } void k(const double *x, double *y, int n) { const s2 a = of(x[0], 2), b = "
     "of(3, n); s2 c = x[1] > 0 ? a : b, d = n > 2 ? a : b; *y = c.a * c.n + (x[2] > 0 ? b : "
     "a).a - d.a * d.n; }"},
    {"a structure returned early", "Vn2 Vd1",
     "struct r { double v; int how; }; static struct r root(double a) { struct r r = {0}; if "
     "(a < 0) { r.how = -1; return r; } r.v = sqrt(a); if (r.v > 1) return (struct r){.how = "
     "2, .v = 1}; r.how = 1; return r; } void k(const double *x, double *y) { struct r r = "
     "root(x[0]); *y = r.v * 2 + r.how; if (x[1] > 0) *y -= root(x[1] - 1).how; }"},
    {"structures in structures and in arrays", "Vd4 Vi1 Vd3",
     "struct in { double v[2]; }; struct out { struct in a, b[2]; float s; }; static const "
     "struct in table[2] = {{{1, 2}}, {{3}}}; void k(const double *x, const int *i, double "
     "*y) { struct out o = {{{x[0], x[1]}}, {{{x[2]}}, {{1, x[3]}}}, .s = 2}; struct in "
     "all[3] = {{{0}}}; for (int n = 0; n < 2; n++) all[n] = o.b[n]; all[2].v[*i & 1] = 5; "
     "o.a.v[1] += table[1].v[0] * o.s; y[0] = o.a.v[1] + all[1].v[1]; y[1] = all[2].v[0] - "
     "all[0].v[1] + all[0].v[0]; y[2] = o.b[1].v[*i & 1]; }"},
    {"a structure of constants", "Vd1 ud ud2 Vd1",
     "struct gas { double gamma, c[2]; int n; }; static double f(const struct gas *g, double "
     "a) { double s = g->gamma * a; for (int i = 0; i < g->n; i++) s += g->c[i]; return s; } "
     "static double by(struct gas g, double a) { return g.c[1] * a - g.n; } void k(const "
     "double *x, double g0, const double *c, double *y) { const struct gas g = {.gamma = g0, "
     ".c = {c[0], c[1]}, .n = 2}; *y = f(&g, *x) + by(g, *x); struct gas h = g; if (*x > 0) "
     "h.n = 1; *y += by(h, 2); }"},
    {"a structure named before its members", "Vd2",
     "typedef struct pair pair; struct pair { double a, b; }; static double sum(const pair "
     "*p) { return p->a + p->b; } void k(double *x) { pair p = {x[0], x[1]}; struct pair { "
     "float c; } q = {3}; x[0] = sum(&p); x[1] -= q.c; }"},
    {"a member of a constant's name", "Vd1",
     "struct s { double c1; }; void k(double *x) { struct s s = {2}; *x = s.c1 * c1; }"},
    {"unions", "Vf2 Vd1 Vi2",
     "typedef union { float f; int32_t i; uint32_t u; } bits; union wide { double d; int64_t "
     "i; uint64_t u; }; static float half(float x) { bits b; b.f = x; b.i = 0x5f3759df - (b.i "
     ">> 1); return b.f; } void k(float *x, double *y, int *n) { union wide w = {*y}, z = "
     "{0}; w.u &= ~0xffffull; n[0] = (int)(w.i >> 32); if (x[0] > 0) { z.i = 3; x[1] = "
     "half(x[0]); bits b = {x[1]}; n[1] = b.u & 255; } *y = w.d + (double)z.i; }"},
    /* ---- complex numbers ---- */
    {"complex numbers", "Vd2 Vd2 Vd2 ud",
     "#include <complex.h>\nstatic double complex twice(double complex z) { return z + z; } "
     "void k(const double *x, const double *y, double *z, double w) { const double complex a "
     "= x[0] + I * x[1], b = y[0] + y[1] * I, c = a * b + (1.0 - 0.1 * I) * w - b / 3; double "
     "complex d = conj(c) - 1, e; d *= a; d -= x[0]; e = twice(3 - d); z[0] = creal(d) + "
     "cimag(~c) - creal(w * e); z[1] = cabs(a) + carg(b) * cimag(-e); }"},
    {"complex quotients and conditions", "Vn2 Vn2 Vd2",
     "#include <complex.h>\nvoid k(const double *x, const double *y, double *z) { double "
     "complex a = x[0] + I * x[1], b = y[0] + I * y[1], c = a / b, d = 2 / b; if (x[0] > 0) c "
     "+= d; d = y[0] > 0 ? c : x[1]; if (y[1] > 0) d = 1; z[0] = creal(c) - creal(d); z[1] = "
     "cimag(c) + cimag(d); }"},
    {"complex numbers of two kinds", "Vf2 Vd2",
     "#include <complex.h>\nstruct wave { float complex a; double complex b[2]; }; void "
     "k(float *x, double *y) { struct wave w = {x[0] + x[1] * I, {y[0] + I * y[1]}}; w.b[1] = "
     "w.a * 2; w.a = w.b[0] * w.b[1] - w.a; x[0] = crealf(w.a); x[1] = cimagf(conjf(w.a)) + "
     "cabsf(w.a); y[0] = w.b[1] - w.a; y[1] = (double)(w.b[0] * w.a) + (float)cimag((float "
     "complex)w.b[0]); }"},
    /* ---- arithmetic and types ---- */
    {"sums and products", "Vd2 Vd1",
     "void k(const double *x, double *y) { *y = x[0] * x[1] - -x[0] / (x[1] + 2.0); }"},
    {"an increment", "Vd2 Vd2",
     "void k(const double *x, double *y) { y[0] += x[0]; y[1] -= x[1] * x[0]; }"},
    {"a value for all", "Vd1 ud Vd1",
     "void k(const double *x, const double dt, double *y) { *y = dt * *x + dt * dt; }"},
    {"values behind a pointer for all", "Vd1 ud3 Vd1",
     "void k(const double *x, const double *g, double *y) { *y = g[0] * x[0] + g[2] - g[1]; }"},
    {"a value of each", "Vi Vd1", "void k(int i, double *y) { *y = i * 0.5 + i / 3 + i % 4; }"},
    {"constants of the loop", "Vd1 Vd2",
     "void k(const double *x, double *y) { y[0] = c1 * x[0] + c2[1]; y[1] = c3 * x[0] - c4; }"},
    {"single precision", "Vf2 Vf1",
     "void k(const float *x, float *y) { *y = x[0] * 0.5f + x[1] / x[0] - 1; }"},
    {"single precision in double", "Vf2 Vf2",
     "void k(const float *x, float *y) { y[0] = x[0] * 0.1 + x[1]; y[1] += 0.1; }"},
    {"both precisions", "Vf2 Vd2 Vd1 Vm1",
     "void k(const float *x, const double *y, double *z, float *w) { *z = x[0] * y[0] + x[1];"
     " *w = (float)y[1] * x[0]; }"},
    {"integers and reals", "Vi2 Vd1 Vd1",
     "void k(const int32_t *i, const double *x, double *y) { *y = i[0] * *x + i[0] / 2 + i[1]; }"},
    {"narrow integers", "Vh2 Vb2 Vi2 Vh1 Vb1",
     "void k(const int16_t *h, const uint8_t *b, int32_t *i, int16_t *g, uint8_t *c) {"
     " i[0] = h[0] * b[0]; i[1] = b[0] - b[1]; *g = h[0] + h[1]; *c += b[1]; }"},
    {"wide and unsigned integers", "Vl2 Vw2 Vl2 Vw2",
     "void k(const int64_t *l, const uint32_t *w, int64_t *m, uint32_t *v) { m[0] = l[0] * w[0];"
     " m[1] = l[1] - l[0]; v[0] = w[0] * w[1] + 7u; v[1] = w[0] - l[0]; }"},
    {"signed with unsigned", "Vi2 Vw2 Vd2",
     "void k(const int *i, const unsigned *w, double *y) { y[0] = i[0] + w[0]; y[1] = i[0] < w[1]; "
     "}"},
    {"bits", "Vw2 Vi2 Vw3 Vi2",
     "void k(const uint32_t *w, const int *i, uint32_t *v, int *j) { v[0] = w[0] & ~w[1] | 5u;"
     " v[1] = w[0] ^ w[1] << 3; v[2] = w[0] >> 7; j[0] = i[0] >> 1; j[1] = ~i[0] & 15; }"},
    {"shifts by lanes", "Vw1 Vb1 Vw1",
     "void k(const uint32_t *w, const uint8_t *b, uint32_t *v) { *v = *w >> (*b & 7) << 2; }"},
    {"compound assignments", "Vd4 Vi3",
     "void k(double *x, int *i) { x[0] += 1; x[1] -= x[0]; x[2] *= 2; x[3] /= x[1]; i[0] <<= 2;"
     " i[1] |= 12; i[2] %= 5; i[0] ^= i[1]; i[1] &= ~1; i[2] *= -1; }"},
    {"compound assignments of other types", "Vi2 Vn2 Vf1 Vb2",
     "void k(int *i, double *x, float *f, uint8_t *b) { i[0] *= 0.5; x[0] += i[1]; f[0] /= 3.0;"
     " b[0] += 200; b[1] <<= 1; i[1] += x[1]; }"},
    {"steps", "Vi4 Vd2",
     "void k(int *i, double *x) { int a = i[0]++; int b = --i[1]; i[2] = a * 100 + b; x[0]++;"
     " x[1] = a--; ++i[3]; i[3] += a; }"},
    {"conversions", "Vn4 Vi4 Vd1 Vf1",
     "void k(const double *x, int *i, double *y, float *f) { i[0] = (int)x[0]; i[1] = x[1];"
     " i[2] = (int)(x[2] * 100) % 7; i[3] = (int16_t)x[3]; *y = (float)x[0]; *f = x[1]; }"},
    {"to and from bool", "Vd2 Vi2 Vd2",
     "void k(const double *x, int *i, double *y) { _Bool b = x[0]; i[0] = b; i[1] = !b + "
     "(_Bool)x[1];"
     " y[0] = b * 2.5; y[1] = b; }"},
    {"a literal of each kind", "Vd4",
     "void k(double *x) { x[0] += 0x10 + 1e-3 + 'a'; x[1] *= 010 * 3u; x[2] -= 5ll + 2.f;"
     " x[3] += sizeof(double) * 0x1p-3; }"},
    {"chained assignments, commas", "Vd3",
     "void k(double *x) { double a, b; a = b = x[0]; x[1] = (a += 2, a * b); x[2] = x[0] = a; }"},
    {"pointers compared with null", "Vd2 Vd1 ud2 Vd3",
     "static double half(const double *p) { return p ? 0.5 * p[0] : 3; }\n"
     "void k(const double *x, const double *p, const double *g, double *y) {"
     " const double *q = p; if (p) y[0] += *p; if (!q) return; if (x[0] > 0 && q != 0) y[1] = q[0];"
     " if (x[1] > 0 || g == NULL) y[2] -= half(g + 1); y[1] += p ? x[0] : x[1];"
     " while (p) { y[2] += half(p); break; } }"},
    /* ---- library functions ---- */
    {"roots and signs", "Vd2 Vd4",
     "void k(const double *x, double *y) { y[0] = sqrt(x[0] * x[0]); y[1] = fabs(x[1]); y[2] = "
     "copysign(x[0], x[1]); y[3] = sqrt(fabs(x[1])); }"},
    {"roots and signs of floats", "Vf2 Vf3",
     "void k(const float *x, float *y) { y[0] = sqrtf(fabsf(x[0])); y[1] = copysignf(2.0f, x[1]); "
     "y[2] = fabs(x[0]) + sqrt(4); }"},
    {"extremes", "Ve2 Vd3 Vg2 Vf2",
     "void k(const double *x, double *y, const float *f, float *g) { y[0] = fmin(x[0], x[1]);"
     " y[1] = fmax(x[0], x[1]); y[2] = fmax(fmin(x[0], 1.0), 0); g[0] = fminf(f[0], f[1]);"
     " g[1] = fmaxf(f[0], 0.0f); }"},
    {"rounding", "Vd1 Vd4 Vf1 Vf2",
     "void k(const double *x, double *y, const float *f, float *g) { y[0] = floor(*x); y[1] = "
     "ceil(*x); y[2] = trunc(*x); y[3] = rint(*x) + round(*x); g[0] = floorf(*f); g[1] = "
     "ceilf(*f); "
     "}"},
    {"transcendental functions", "Vn2 Vd6 Vm1 Vf2",
     "void k(const double *x, double *y, const float *f, float *g) { y[0] = exp(x[0]); y[1] = "
     "log(fabs(x[0])); y[2] = pow(fabs(x[0]), x[1]); y[3] = atan2(x[0], x[1]); y[4] = sin(x[0]) * "
     "cos(x[1]); y[5] = hypot(x[0], cbrt(x[1])); g[0] = expf(*f); g[1] = tanhf(*f); }"},
    {"functions of integers", "Vi2 Vl1 Vi2 Vl2 Vn1",
     "#include <stdlib.h>\nvoid k(const int *i, const int64_t *l, int *j, int64_t *m, double *x) { "
     "j[0] = abs(i[0]);"
     " m[0] = labs(*l); m[1] = lrint(*x); j[1] = abs(i[1] - 3); *x = ldexp(*x, i[0]); }"},
    {"functions of what is the same", "Vd1 ud",
     "void k(double *x, double a) { *x += sqrt(fabs(a)) * fmax(a, 0.5) + pow(2.0, 0.5); }"},
    {"tests of numbers", "Vd2 Vi3",
     "void k(const double *x, int *i) { i[0] = isnan(x[0]); i[1] = isfinite(x[1]) && !isnan(x[0]);"
     " i[2] = isinf(x[0]) ? 1 : 0; }"},
    {"fused on purpose", "Vn3 Vd1",
     "void k(const double *x, double *y) { *y = fma(x[0], x[1], x[2]) + fdim(x[0], x[1]); }"},
    /* ---- conditions ---- */
    {"?:", "Vd2 Vd3",
     "void k(const double *x, double *y) { y[0] = x[0] < x[1] ? x[0] : x[1]; y[1] = x[0] > 0 ? 1 : "
     "-x[0]; y[2] = x[0] == x[1] ? x[0] : x[1] < 0 ? 2.0 : 3; }"},
    {"?: of other types", "Vd1 Vi2 Vf1 Vd1",
     "void k(const double *x, int *i, float *f, double *y) { i[0] = *x > 0 ? i[1] : 7; *f = *x < 1 "
     "? *f : 0.25f; *y = *x < 0 ? i[1] : *f; }"},
    {"?: on what is the same", "Vd2 ui Vd1",
     "void k(const double *x, int n, double *y) { *y = n > 0 ? x[0] : x[1]; }"},
    {"comparisons as numbers", "Vd2 Vi4",
     "void k(const double *x, int *i) { i[0] = (x[0] < x[1]) + (x[0] >= 0); i[1] = x[0] != x[1];"
     " i[2] = (x[0] <= 1) * 3 - (x[1] > 2); i[3] += !(x[0] > x[1]); }"},
    {"truth values kept", "Vd2 Vd1",
     "void k(const double *x, double *y) { int wet = x[0] > 0.5; int dry = !wet && x[1] < 0;"
     " if (wet) *y = 1; if (dry) *y = 2; if (wet || x[1]) *y += 3; }"},
    {"bool variables", "Vd2 Vd1",
     "void k(const double *x, double *y) { _Bool a = x[0] > 0, b = x[1] > 0, c; c = a; if (b) c = "
     "x[0] < 2; if (c && !(a == b)) *y = 5; *y += a + b; }"},
    {"&& and ||", "Vd3 Vd1 ui",
     "void k(const double *x, double *y, int n) { if (x[0] > 0 && x[1] > 0 || x[2] < 0) *y = 1;"
     " if ((n || x[0] > 1) && (n < 3 && x[2] > 0)) *y += 2; if (x[0] > 1 && n) *y -= 4; }"},
    {"if and else", "Vd2 Vd2",
     "void k(const double *x, double *y) { if (x[0] > x[1]) { y[0] = x[0]; y[1] -= 1; } else "
     "{ y[0] += x[1]; } }"},
    {"else if", "Vd1 Vd1 Vi1",
     "void k(const double *x, double *y, int *i) { if (*x < -1) { *y = -1; *i = 1; } else if (*x < "
     "0) *y *= 2; else if (*x < 1) *i += 5; else *y = *x; }"},
    {"ifs in ifs", "Vd3 Vd2",
     "void k(const double *x, double *y) { double t = 0; if (x[0] > 0) { double s = x[1]; if (s > "
     "0) "
     "{ s *= 2; t = s; } else { s = 1; if (x[2] > 0) t += 3; } y[0] = s; } y[1] = t; }"},
    {"variables without a value", "Vd2 Vd1",
     "void k(const double *x, double *y) { double t, u; if (x[0] > 0) t = 1; else t = x[1]; u = t;"
     " if (u > 0.5) *y = t; }"},
    {"conditions on numbers", "Vi2 Vd2",
     "void k(const int *i, double *y) { if (i[0]) y[0] = 1; if (!i[1]) y[1] = 2; if (i[0] & 1) "
     "y[1] += 3; y[0] += i[0] && i[1]; }"},
    {"if on what is the same", "Vd1 ui Vd1",
     "void k(const double *x, int n, double *y) { int m = 2; if (n > m) { m = 5; *y = *x; } else "
     "if (n == 0) { *y = 1; } *y += m; }"},
    {"what was the same under a condition", "Vd1 ui Vd1",
     "void k(const double *x, int n, double *y) { int m = n; double a = 1; if (*x > 0) { m = 3; a "
     "= "
     "2; n++; } *y = m * a + n; }"},
    {"a step under a condition", "Vd1 Vi2",
     "void k(const double *x, int *i) { if (*x > 0) i[0]++; else --i[1]; int n = 0; if (*x > 1) "
     "n++;"
     " i[1] += n; }"},
    {"an empty branch", "Vd1 Vd1",
     "void k(const double *x, double *y) { if (*x > 0) { } else *y = 2; if (*x > 1) ; }"},
    {"returns", "Vd2 Vd2",
     "void k(const double *x, double *y) { if (x[0] < 0) return; y[0] = sqrt(x[0]); if (x[1] > 0) "
     "{ "
     "y[1] = 1; return; } y[1] += 7; }"},
    {"a return for all", "Vd1 ui Vd1",
     "void k(const double *x, int n, double *y) { if (n < 0) return; *y = *x; if (*x > 0) { *y = "
     "3; "
     "if (n > 5) return; *y = 4; } *y += 1; }"},
    {"a return in a loop", "Vd4 Vd1",
     "void k(const double *x, double *y) { for (int n = 0; n < 4; n++) { if (x[n] < 0) return; *y "
     "+= "
     "x[n]; } *y *= 2; }"},
    /* ---- division and subscripts under conditions ---- */
    {"integer division under a condition", "Vi2 Vi2",
     "void k(const int *i, int *j) { if (i[1]) j[0] = i[0] / i[1]; j[1] = i[1] > 0 ? i[0] % i[1] : "
     "-1; if (i[0] && 100 / i[0] > 20) j[1] += 5; }"},
    {"division of what is the same", "Vd1 ui ui Vd1",
     "void k(const double *x, int a, int b, double *y) { if (b != 0 && *x > 0) *y = a / b; if (b) "
     "*y "
     "+= a % b; }"},
    {"a table", "Vi1 ud8 Vd1",
     "void k(const int *i, const double *t, double *y) { *y = t[*i & 7]; if (*i >= 0 && *i < 8) *y "
     "+= t[*i]; }"},
    {"a table by numbers of other types", "Vi1 ud8 Vd1",
     "void k(const int *i, const double *t, double *y) { unsigned char b = *i & 7; unsigned u = b; "
     "long l = b - 7; unsigned long w = u; const double *end = t + 7; *y = t[b] + 3 * t[u] - 5 * "
     "t[w] + 7 * end[l] + 9 * end[-(*i & 3)] + 11 * t[*i < 0]; }"},
    {"a table's row by a pointer", "Vi1 ud8 Vd1",
     "void k(const int *i, const double *t, double *y) { const double *p = t + 2 * (*i & 3); *y = "
     "p[1] - 3 * *p; if (*i > 0) *y += p[*i & 1]; }"},
    {"a row by a pointer and numbers that wrap", "Vi1 ud8 Vd1",
     "void k(const int *i, const double *t, double *y) { unsigned n = *i & 3; const double *p = t "
     "+ "
     "n; unsigned long m = -(unsigned long)n; int j = -(int)n; *y = p[m] + 3 * p[2] + 5 * p[j]; }"},
    {"components by a pointer", "Vi1 Vd4 Vd1",
     "void k(const int *i, const double *x, double *y) { if (*i > 2) { const double *p = x + (*i & "
     "1); *y = p[2] * p[*i & 1]; } else *y = x[3]; }"},
    {"constants by number", "Vi1 Vd1",
     "void k(const int *i, double *y) { if (*i >= 0 && *i < 4) *y = c2[*i] + c1; else *y = c2[3]; "
     "}"},
    {"components by number", "Vi1 Vd4 Vd4",
     "void k(const int *i, const double *x, double *y) { double t[4] = {0}; t[*i & 3] = x[*i & 1]; "
     "if (*i >= 0 && *i < 4) { t[*i] += 2; y[*i] = 1; } for (int n = 0; n < 4; n++) y[n] += t[n]; "
     "}"},
    /* ---- loops and arrays ---- */
    {"loops", "Vd4 Vd4 Vd1",
     "void k(const double *x, double *y, double *z) { for (int n = 0; n < 4; n++) { double d = "
     "x[n] "
     "* 2; y[n] = d; *z += d * d; } for (int n = 3; n >= 0; n -= 2) y[n] -= 1; }"},
    {"nested loops", "Vd9 Vd3 Vd3",
     "void k(const double *a, const double *x, double *y) { int i, j; for (i = 0; i < 3; i++) { "
     "double s = 0; for (j = 0; j < 3; ++j) s += a[3 * i + j] * x[j]; y[i] = s; } }"},
    {"other loops", "Vd4 ui Vd1",
     "void k(const double *x, int n, double *y) { int m = 0; while (m < 3) *y += x[m++]; do { m--; "
     "*y -= x[m]; } while (m > 1); for (;;) { if (m++ > 4) break; if (m == 3) continue; *y *= 2; } "
     "}"},
    {"trip counts of the loop", "Vd8 ui Vd1",
     "void k(const double *x, int n, double *y) { for (int i = 0; i < c4; i++) *y += x[i]; for "
     "(int i "
     "= n & 3; i; i--) *y += x[i] * i; }"},
    {"loops under conditions", "Vd4 Vd4 ui",
     "void k(const double *x, double *y, int n) { if (x[0] > 0) { double s = 0; for (int i = 0; i "
     "< "
     "4; i++) { if (x[i] > 1) s += x[i]; y[i] += s; } } else for (int i = 0; i < (n & 3); i++) "
     "y[i] "
     "= 7; }"},
    {"conditions in loops", "Vd4 Vd1 Vi1",
     "void k(const double *x, double *y, int *i) { double best = -10; int at = -1; for (int n = 0; "
     "n "
     "< 4; n++) if (x[n] > best) { best = x[n]; at = n; } *y = best; *i = at; }"},
    {"arrays", "Vd3 Vd3",
     "void k(const double *x, double *y) { double t[3], u[2][3] = {{1, 2, 3}, {4, 5}}, z[3] = {0}; "
     "for (int n = 0; n < 3; n++) t[n] = x[n] * u[1][n]; u[0][1] = x[0]; if (x[1] > 0) t[2] = "
     "u[0][1];"
     " for (int n = 0; n < 3; n++) y[n] = t[n] + u[0][n] + z[n]; }"},
    {"arrays of what is the same", "Vd3 Vd1",
     "void k(const double *x, double *y) { static const double w[] = {0.25, 0.5, 0.125}; int p[3] "
     "= {2, "
     "0, "
     "1}; for (int n = 0; n < 3; n++) *y += w[n] * x[p[n]]; }"},
    {"a quadrature", "Vd8 Vd9 ud4",
     "void k(const double *x, double *a, const double *w) { for (int q = 0; q < 4; q++) { double "
     "J[2]"
     "[2] = {{x[0] - x[2], x[1]}, {x[4], x[5] * w[q]}}; double det = J[0][0] * J[1][1] - J[0][1] * "
     "J[1][0]; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) a[3 * i + j] += w[q] * det "
     "* "
     "J[i & 1][j & 1]; } }"},
    {"all slots of a map", "Vd3x2 Vf2x1 Vd2",
     "void k(const double **x, float *f[], double *y) { const double *p = x[2]; for (int n = 0; n "
     "< "
     "3; n++) { y[0] += x[n][0]; y[1] -= x[n][1] * p[0]; } if (y[0] > 0) f[1][0] = p[1]; *f[0] += "
     "1; "
     "}"},
    {"rows", "Vd6 Vd2",
     "void k(const double x[3][2], double y[2]) { for (int i = 0; i < 3; i++) for (int j = 0; j < "
     "2;"
     " j++) y[j] += x[i][j]; }"},
    {"pointers", "Vd6 Vd3 ui",
     "void k(const double *x, double *y, int n) { const double *p = x + 2, *q = &x[1]; double *r = "
     "y; "
     "*r++ = *p++ * q[1]; *r = p[1] + *(x + 1); r[1] = (n > 2 ? p : q)[0]; double t = 1, *s = &t; "
     "*s "
     "+= *x; y[0] += t; }"},
    {"switch", "Vd2 ui Vd1",
     "void k(const double *x, int n, double *y) { switch (n & 3) { case 0: *y = x[0]; break; case "
     "1: "
     "{ double t = x[1]; if (t > 0) *y = t; } case 2: *y += 1; break; default: *y = -1; } }"},
    /* ---- functions ---- */
    {"a function", "Vd4 Vd1",
     "static double p(const double *q, double g) { return g * (q[1] - 0.5 * q[0]); } void k(const "
     "double *x, double *y) { *y = p(x, c1) + p(x + 2, x[1]); }"},
    {"functions with constants", "Vd2 Vd1",
     "static double f(double a) { return a * c1; } static double g(double a) { return f(a) + "
     "f(2.0) "
     "+ c2[1]; } void k(const double *x, double *y) { *y = g(x[0]) + g(1) + f(x[1]); }"},
    {"returns of functions", "Vd2 Vd2",
     "static double lim(double a, double b) { if (a * b <= 0) return 0; if (fabs(a) < fabs(b)) "
     "return "
     "a; return b; } static int s(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; } void k(const "
     "double *x, double *y) { y[0] = lim(x[0], x[1]); if (x[0] > 1) y[1] = lim(x[1], 0.5) + "
     "s(x[0]); }"},
    {"functions that store", "Vd3 Vd3",
     "static void add(double *a, const double *b, double s) { for (int n = 0; n < 3; n++) a[n] += "
     "s * "
     "b[n]; } static void two(double *p, double *q) { *p = 1; *q = 2; } void k(const double *x, "
     "double *y) { double t[3] = {0}, u, v; two(&u, &v); add(t, x, 2); add(y, t, u + v); if (x[0] "
     "> "
     "0) add(y, x, x[1]); else two(&u, y + 1); y[2] += u; }"},
    {"functions that return early", "Vd2 Vd2",
     "static void f(double *y, double a) { if (a < 0) return; *y = a; if (a > 1) { y[1] = 2; "
     "return; "
     "} y[1] += 1; } void k(const double *x, double *y) { f(y, x[0]); if (x[1] > 0) f(y, x[1]); }"},
    {"functions of integers and floats", "Vi2 Vf1 Vi2 Vf1",
     "static inline int m(int a, int b) { return a < b ? a : b; } static float h(float a) { return "
     "a "
     "* 0.5; } static _Bool odd(int a) { return a & 1; } void k(const int *i, const float *f, int "
     "*j, "
     "float *g) { j[0] = m(i[0], i[1]) + m(2, 3); j[1] = odd(i[0]); if (odd(i[1])) *g = h(*f); }"},
    {"division in a function", "Vi2 Vi1",
     "static int d(int a, int b) { return a / b; } void k(const int *i, int *j) { if (i[1] != 0) "
     "*j = "
     "d(i[0], i[1]); *j += i[0] > 0 ? d(7, i[0]) : 1; }"},
    {"a prototype", "Vd1 Vd1",
     "static double g(double a); void k(const double *x, double *y) { *y = g(*x); } static double "
     "g(double a) { return a + 1; }"},
    {"solvers", "Vd9 Vd3 Vd3",
     "static double det(double a, double b, double c, double d) { return a * d - b * c; } static "
     "void "
     "inv(const double *m, double *r) { double d = m[0] * det(m[4], m[5], m[7], m[8]) - m[1] * "
     "det(m[3], m[5], m[6], m[8]); double s = fabs(d) > 1e-3 ? 1 / d : 0; for (int n = 0; n < 3; "
     "n++) "
     "r[n] = s * m[4 * n]; } void k(const double *m, const double *b, double *x) { double r[3]; "
     "inv(m, r); for (int n = 0; n < 3; n++) x[n] = r[n] * b[n]; }"},
    /* ---- applications ---- */
    {"shallow water", "Ve3 Ve3 Vn2 Vd3 Ve1",
     "static void flux(double h, double u, double v, double *f) { f[0] = h * u; f[1] = h * u * u + "
     "0.5 * c1 * h * h; f[2] = h * u * v; } void k(const double *l, const double *r, const double "
     "*n, double *f, double *s) { double hl = fmax(l[0], 0), hr = fmax(r[0], 0); double ul = hl > "
     "1e-3 ? (l[1] * n[0] + l[2] * n[1]) / hl : 0.0; double ur = hr > 1e-3 ? (r[1] * n[0] + r[2] * "
     "n[1]) / hr : 0.0; double sl = fmin(ul - sqrt(c1 * hl), ur - sqrt(c1 * hr)); double sr = "
     "fmax(ul + sqrt(c1 * hl), ur + sqrt(c1 * hr)); double fl[3], fr[3]; flux(hl, ul, 1, fl); "
     "flux(hr, ur, 1, fr); for (int i = 0; i < 3; i++) { if (sl >= 0) f[i] = fl[i]; else if (sr <= "
     "0) "
     "f[i] = fr[i]; else f[i] = (sr * fl[i] - sl * fr[i] + sl * sr * (r[i] - l[i])) / (sr - sl); } "
     "*s = fmax(*s, fmax(fabs(sl), fabs(sr))); }"},
};

/* Kernels with preprocessor lines or types of their own: each has a translation unit to itself. */
static const struct lane_kernel apart[] = {
    {"rows of tables by number", "Vi2 Vd2",
     "static const double t[3][2] = {{1, 2}, {3, 4}, {5, 6}};\nvoid k(const int *i, double *y) { "
     "const int n = i[0] & 1; y[0] = t[n + 1][0] * t[n][i[1] & 1]; if (y[1] > 0) y[1] = t[1 + "
     "n][1]; }"},
    {"memcpy and memset", "Vd6 Vi2 Vd6 Vf1",
     "#include <string.h>\nvoid k(const double *x, const int *i, double *y, float *f) { double "
     "t[2][3]; int32_t n[2]; float g[1] = {1}; memcpy(t, x, sizeof t); memset(y, 0, 6 * "
     "sizeof(double)); memcpy(y + 1, t[1], 2 * sizeof *y); memcpy(n, i, sizeof n); if (i[0] > 0) { "
     "memcpy(&y[3], &t[0][1], sizeof(double)); memset(g, 0, sizeof g); memset(t[1], 0x0, sizeof "
     "t[1]); memset(n, 0, sizeof(n)); } y[0] += t[1][2] + n[1]; *f += *g; memcpy(y, x, 0); }"},
    {"macros", "Vd4 Vd4",
     "#define DIM 4\n#define HALF (0.5 * ONE)\n#define ONE 1.0\nvoid k(const "
     "double *x, double *y) {\n#pragma GCC unroll 4\nfor (int n = 0; n < DIM; n++) y[n] = HALF * "
     "x[DIM - 1 - n]; }"},
    {"types", "Vd2 Vf1 Vd2",
     "typedef double real;\ntypedef const real *reals;\ntypedef float small;\nstatic real g(real "
     "a) { "
     "return a + (real)1; }\nvoid k(const real *x, const small *f, real *y) { const real h = 0.5; "
     "small s = *f; y[0] = g(x[0]) * h * s; y[1] = g(2); }"},
    {"tables and enumerators", "Vd3 Vi1 Vd1",
     "enum { A, B = 2, C };\nstatic const double w[C] = {0.25, 0.5, 0.125};\nvoid k(const double "
     "*x, "
     "const int *i, double *y) { for (int n = A; n < C; n++) *y += w[n] * x[n]; if (*i == B) *y = "
     "w[*i "
     "& 1]; }"},
    {"macros with arguments", "Vd3 Vd3",
     "#define SQ(a) ((a) * (a))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n#define AT(v, i) "
     "(v)[(i) % 3]\n#define NONE() 0.25\n#define LEN(v) sqrt(SQ(AT(v, 0)) + SQ(AT(v, 1)))\n#define "
     "id id\n#define FOR(n) for (int n = 0; n < 3; n++)\nstatic double id(double a) { return a; }\n"
     "void k(const double *x, double *y) { FOR(m) AT(y, m + 1) = MAX(SQ(SQ(x[m])), MAX(x[0], "
     "id(NONE()))) + LEN(x); }"},
    {"macros that name macros", "Vd2 Vd1",
     "#define F G\n#define G(a) (H)(a)\n#define H F0\n#define F0 double\n#define W(f, a) f(a)\n"
     "#define PAIR 1, 2\n#define SUM(p) SUM2(p)\n#define SUM2(a, b) ((a) + (b))\nvoid k(const "
     "double *x, double *y) { *y = F(x[0]) + W(G, x[1]) + W(sqrt, 2.0) + SUM(PAIR); }"},
    {"macros defined again", "Vd1 Vd1",
     "#define A 1.5\nstatic double f(void) { return A; }\n#undef A\nstatic double A(void) { return "
     "0.5; }\n#define A 2.5\nstatic double g(void) { return A; }\n#undef A\nvoid k(const double "
     "*x, "
     "double *y) { *y = *x * f() + g() * A(); }"},
    {"arrays by name", "Vd3 Vd6 Vd3",
     "typedef double real, vec3[3];\ntypedef vec3 pair[2];\ntypedef real *to;\nstatic real "
     "dot(const "
     "vec3 a, const vec3 b) { real s = 0; for (int i = 0; i < 3; i++) s += a[i] * b[i]; return s; "
     "}\n"
     "void k(const vec3 x, const real *m, vec3 y) { vec3 t = {1, 2, 3}; pair rows = {{0}}; vec3 "
     "more[2]; const to p = y; for (int i = 0; i < 3; i++) { rows[1][i] = m[3 + i]; more[1][i] = "
     "t[i]; } p[0] = dot(x, rows[1]); y[1] = dot(rows[0], more[1]); y[2] = dot(t, more[1]) + "
     "sizeof(real); }"},
    {"types within functions", "Vf2 Vd2",
     "static float half(float a) { typedef float small; enum { TWO = 2, }; const small h = a / "
     "TWO; "
     "return h; }\nvoid k(const float *x, double *y) { typedef double real; typedef real two[2]; "
     "two "
     "t = {half(x[0]), half(x[1])}; { typedef float real; real r = t[0] * 3; y[0] = r; } real s = "
     "t[1] * 3; y[1] = s; }"},
    {"enumerators", "Vi1 ui Vd4",
     "enum way { LEFT = -1, HERE, RIGHT, FAR = 1 << 3, BOTH = RIGHT | 2, };\nenum { NWAYS = RIGHT "
     "- "
     "LEFT + 1 };\nvoid k(const int *i, int j, double *y) { double t[NWAYS + 1] = {1, 2, 3}; "
     "switch "
     "(j & 3) { case HERE: t[0] += FAR; break; case RIGHT: t[1] -= LEFT; break; case BOTH: t[2] = "
     "-LEFT; default: t[3] = 4; } for (int n = 0; n <= NWAYS; n++) y[n] = *i == LEFT ? t[n] : "
     "t[n] * BOTH; }"},
    {"tables of tables", "Vd2 Vi1 ui Vd3",
     "#define ROWS 2\ntypedef double row[3];\nstatic const double half = 1.0 / 2, "
     "t3[ROWS][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8.5}}};\nconst row rows[] = {{1, 2, 3}, {4, "
     "5}, {0.25}};\nstatic const float f = 0.1;\nstatic const int more[4] = {1};\nvoid k(const "
     "double *x, const int *i, int j, double *y) { double rows2 = rows[1][1]; for (int a = 0; a < "
     "2; "
     "a++) for (int b = 0; b < 2; b++) y[0] += t3[a][b][1 - a] * x[b]; y[1] = rows[j & 1][*i & 1] "
     "+ "
     "half; y[2] = f * rows[2][0] + rows2 * more[0]; }"},
    {"tables of all types", "Vi1 Vd1",
     "#include <stdint.h>\nstatic const int8_t a[2] = {-1, 100};\nstatic const uint8_t b[2] = {1, "
     "200};\nstatic const short c[2] = {-1, 30000};\nstatic const unsigned short d[2] = {1, "
     "60000};\nstatic const int e[2] = {-1, 1 << 20};\nstatic const unsigned f[2] = {1, "
     "3000000000u};\nstatic const long long g[2] = {-1, 1ll << 40};\nstatic const unsigned long "
     "h[2] "
     "= {1, 1ul << 40};\nstatic const float r[2] = {0.1f, 2};\nstatic const double s[2] = {0.1, "
     "2};\nvoid k(const int *i, double *y) { const int n = *i & 1; *y = a[n] + b[n] + c[n] + d[n] "
     "+ "
     "e[n] + f[n] + (double)g[n] + h[n] + r[n] * s[n]; if (*i > 0) *y += a[1] + b[1] + c[1] + d[1] "
     "+ "
     "e[1] + f[1] + g[1] + h[1] + r[1] + s[1]; }"},
    {"conditions", "Vd1 Vd1",
     "#define ORDER 2\n#ifndef WIDTH\n#define WIDTH 3\n#endif\n#if ORDER == 1\nstatic double "
     "f(double "
     "a) { return a; }\n#elif ORDER * WIDTH == 6 && !defined(FAST)\nstatic double f(double a) { "
     "return a * a; }\n#else\nstatic double f(float a) { return a * a * a;\n#endif\nvoid k(const "
     "double "
     "*x,\n#ifdef FAST\nfloat *y\n#else\ndouble *y\n#endif\n) {\n#if 0\nthis is no C\n#endif\n*y = "
     "f(*x)\n#if "
     "ORDER > 1\n+ WIDTH\n#endif\n; }"},
    {"a constant that <math.h> has", "Vd1 Vd1",
     "#ifndef M_PI\n#define M_PI 3\n#endif\nvoid k(const double *x, double *y) { *y = M_PI * *x; "
     "}"},
    {"headers and pragmas", "Vd2 Vi1 Vd2",
     "#include <string.h>\n#include <limits.h>\n#include <stdbool.h>\n#include <stdlib.h>\n#pragma "
     "GCC diagnostic ignored \"-Wunused\"\nvoid k(const double *x, const int *i, double *y) "
     "{\n#pragma GCC ivdep\nfor (int n = 0; n < "
     "2; n++) { bool more = x[n] > 0; y[n] = more == true ? abs(*i) : false; }\nif (*i > INT_MAX - "
     "1) "
     "*y = INT_MIN; }"},
    {"what a function is declared with", "Vd1 Vd1",
     "#define INLINE static inline __attribute__((unused))\n#define REAL double\nINLINE REAL "
     "f(REAL "
     "a) { typedef REAL real; real t = a; return t * 2; }\nvoid k(const double *x, double *y) { *y "
     "= "
     "f(*x); }"},
};

static void compare(const char *compiler, const char *flags, int lanes) {
  lane_compare(compiler, flags, lanes, (int)(sizeof kernels / sizeof kernels[0]), kernels, NULL);
  for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
    lane_compare(compiler, flags, lanes, 1, &apart[i], NULL);
}

#define FLAGS "-O1 -Wall -Wno-psabi -ffp-contract=off -fno-math-errno"

int main(void) {
  static const int lanes[] = {8, 4, 2, 16};
  for (int c = 0; case_compilers[c]; c++) {
    if (!case_have_compiler(case_compilers[c])) {
      skip("%s is not installed", case_compilers[c]);
      continue;
    }
    int widths = c ? 1 : quick() ? 2 : 4;
    for (int i = 0; i < widths; i++) compare(case_compilers[c], FLAGS " -march=native", lanes[i]);
    if (!quick()) compare(case_compilers[c], FLAGS, 2);
  }
  return done();
}
