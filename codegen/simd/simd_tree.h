/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_SIMD_TREE_H
#define OP2I_SIMD_TREE_H

#include "arena.h"
#include "cstmt.h"
#include "macro.h"
#include "math_print.h"
#include "simd.h"

/* The translation of a kernel into vectors: its functions as trees with types, an analysis of the
 * values that differ between lanes, and the text. A value is uniform if all lanes have the same,
 * else varying. Uniform values stay scalars, varying ones become vectors; a pointer or array is
 * called uniform or varying by the values that it leads to. Varying conditions become masks, of one
 * width in the whole kernel. */

/* DEPTH limits the recursion over trees, all functions together. NESTED limits nested statements,
 * and statements that follow others which return in some lanes. BRACKETS limits nested brackets in
 * the text; clang allows 256. GLOBALS limits names at file scope, which are searched one by one. */
enum {
  OP2I_SIMD_PARAMS = 64,
  OP2I_SIMD_DEPTH = 1000,
  OP2I_SIMD_NESTED = 120,
  OP2I_SIMD_BRACKETS = 250,
  OP2I_SIMD_GLOBALS = 2000
};

/* A region is a varying `if`, or a loop or switch that some lanes leave before others: what happens
 * there concerns some lanes only. */

/* A name of the kernel's source that stands for a value. */
struct op2i_simd_var {
  struct op2i_simd_var *outer; /* the next older variable in scope */
  const char *name;
  const char *text; /* its text in the output */
  struct op2i_c_type type;
  bool fixed;    /* uniform, and no local variable */
  bool varying;  /* True if its value, or what it leads to, varies. */
  int raised;    /* line in which it was found to vary */
  bool nullable; /* a pointer that the kernel compares with null */
  bool masked;   /* assigned to under a varying condition: needs an initial value */
  int assigned;  /* number of assignments */
  bool split;    /* each loop that uses it has a counter of its own */
  bool counts;   /* runs over [lo, hi) in a loop, and only the loop assigns to it */
  int64_t lo, hi;
  bool known;                          /* an enumerator of value lo */
  bool is_type;                        /* the name of a typedef */
  int line;                            /* line of its declaration, if at file scope */
  bool hidden;                         /* declared by the source, but not understood */
  const struct op2i_simd_node *table;  /* the initializer, for a constant of the source */
  bool printed;                        /* True if the text has it. */
  const struct op2i_simd_node *region; /* the region around its declaration */
  int param;                           /* number of the parameter, or -1 */
};

enum op2i_simd_kind {
  OP2I_SIMD_LITERAL,
  OP2I_SIMD_NAME,
  OP2I_SIMD_UNARY,   /* op a */
  OP2I_SIMD_POSTFIX, /* a op */
  OP2I_SIMD_BINARY,  /* a op b, the comma as well */
  OP2I_SIMD_ASSIGN,  /* a op b */
  OP2I_SIMD_CHOICE,  /* a ? b : c */
  OP2I_SIMD_INDEX,   /* a[b] */
  OP2I_SIMD_MEMBER,  /* a.member */
  OP2I_SIMD_CAST,
  OP2I_SIMD_COMPOUND, /* (type)a of a list */
  OP2I_SIMD_COMPLEX,  /* an operation on complex numbers, of a or of a and b */
  OP2I_SIMD_CALL,     /* arguments a, a->next, ... */
  OP2I_SIMD_LIST,     /* { a, a->next, ... } */
  OP2I_SIMD_DECL,     /* var = a */
  OP2I_SIMD_EXPR,     /* a; */
  OP2I_SIMD_BLOCK,    /* { a a->next ... } */
  OP2I_SIMD_IF,       /* if (a) b else c */
  OP2I_SIMD_FOR,      /* for (a; b; c) d */
  OP2I_SIMD_WHILE,
  OP2I_SIMD_DO,
  OP2I_SIMD_SWITCH, /* switch (a) b */
  OP2I_SIMD_CASE,   /* case a: or default: */
  OP2I_SIMD_RETURN,
  OP2I_SIMD_BREAK,
  OP2I_SIMD_CONTINUE
};

struct op2i_simd_node {
  enum op2i_simd_kind kind;
  const char *op; /* the operator, as written */
  int line;
  struct op2i_c_type type;
  struct op2i_simd_node *a, *b, *c, *d, *next;
  struct op2i_simd_var *var;
  const char *text; /* the spelling of a literal */
  /* BINARY, ASSIGN: where it begins, its operator, and what follows it; null if it is made up */
  const struct op2i_piece *first, *middle, *end;
  const struct op2i_c_member *member;
  bool known; /* True for an integer constant of this value. */
  int64_t value;
  /* CALL: a function of the source, or of the library */
  int item;
  struct op2i_simd_form *callee;
  const struct op2i_simd_math *math;
  /* results of simd_vary.c and simd_flow.c */
  bool varying;
  bool masked; /* takes effect in some lanes only */
  bool impure; /* assigns */
  bool hazard; /* must not run if no lane needs it, and needs a mask of those that do */
  bool leaves; /* some lanes may return here */
  int exits;   /* OP2I_SIMD_BREAKS | ...: how some lanes may leave a loop or switch here */
  bool parts;  /* loop, switch: some lanes are in it and others not */
  bool skips;  /* loop: some lanes may execute `continue` where others do not */
  bool strays; /* INDEX: a pointer that differs between lanes, which only a subscript may follow */
  const struct op2i_simd_node *region; /* IF: the region around it */
};

enum { OP2I_SIMD_BREAKS = 1, OP2I_SIMD_CONTINUES = 2 };

enum op2i_simd_state { OP2I_SIMD_FRESH, OP2I_SIMD_BUSY, OP2I_SIMD_READY };

/* One form of a function: which of its parameters vary, and whether it gets a mask of the lanes
 * that need it. */
struct op2i_simd_form {
  struct op2i_simd_form *next;
  int item;
  bool masked;
  bool asked[OP2I_SIMD_PARAMS]; /* True if the parameter varies. */
  enum op2i_simd_state state;
  bool emitted;
  const char *name;
  struct op2i_c_type type; /* type of its result */
  int nparams;
  struct op2i_simd_var *params[OP2I_SIMD_PARAMS];
  struct op2i_simd_node *body;
  bool returns_varying;
  bool stores; /* stores through its parameters */
  bool hazard;
  bool early; /* some lanes return before others */
};

struct op2i_simd_name {
  struct op2i_simd_name *next;
  const char *name;
};

/* Headers that declare certain names or functions. */
enum {
  OP2I_SIMD_LIMITS = 1,
  OP2I_SIMD_STDBOOL = 2,
  OP2I_SIMD_STDLIB = 4,
  OP2I_SIMD_STRING = 8,
  OP2I_SIMD_HAS_COMPLEX = 16
};

struct op2i_simd {
  const struct op2i_simd_request *request;
  const struct op2i_unit *unit;
  int lanes, bits; /* number of lanes, and bits of a mask's lane */
  struct op2i_text *why;
  bool refused, failed; /* failed: out of memory */
  bool divides;         /* True if it divides vectors or takes their roots. */
  int depth;            /* see op2i_simd_enter() */
  const char *shared;   /* the function of OP2_FUNCTION() that is being translated, or null */
  int nrecords;         /* number of structures that the text has names for */
  struct op2i_c_record *complex[2]; /* complex numbers of floats and doubles, once there are any */
  unsigned headers;                 /* headers that the source includes */
  struct op2i_arena arena;          /* see op2i_simd_take() */
  /* substitutes for objects without memory */
  struct op2i_simd_node no_node;
  struct op2i_simd_var no_var;
  struct op2i_simd_form no_form;
  struct op2i_macros macros;
  struct op2i_simd_var *globals; /* constants of the loop, and names at file scope */
  int nglobals;
  struct op2i_simd_form *forms;
  int nforms;
  struct op2i_simd_name *helpers; /* helper functions that the text has */
  struct op2i_math_seen math;     /* mathematical functions that it has */
  struct op2i_text prefix, records, tables, functions;
};

#endif
