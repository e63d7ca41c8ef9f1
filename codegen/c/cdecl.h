/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2I_CDECL_H
#define OP2I_CDECL_H

#include "op2/types.h"
#include "text.h"
#include "unit.h"

/* What one declaration (a parameter, a typedef) says, with the source's own simple typedefs and
 * macros looked through. */
struct op2i_cdecl {
  op2_type type;  /* of the innermost value, 0 when not one of the library's */
  int depth;      /* levels of pointer; an array counts as one, a pointer to an array as one */
  bool readonly;  /* the innermost value is const */
  bool array;     /* the outermost level is an array */
  bool rows;      /* a typedef makes the outermost pointer one to arrays */
  bool foreign;   /* certainly none of the library's types: a struct, void, a function */
  int64_t extent; /* of that array, rows of rows counted out; 0: none, or not a plain number */
  struct op2i_text name; /* empty when it names nothing */
};

/* The typedefs of a source. */
struct op2i_typedefs {
  const struct op2i_unit *unit;
  struct op2i_names names; /* in the order of the source; the value is the token `typedef` */
  struct op2i_cdecl *list; /* [names.count] what they say */
  int64_t capacity;
};

/* Fails only with OP2_ERR_NOMEM (no message is set). *typedefs may be freed after either. */
op2_status op2i_typedefs_read(const struct op2i_unit *unit, struct op2i_typedefs *typedefs);
void op2i_typedefs_free(struct op2i_typedefs *typedefs);

/* Read the declaration at places [begin, end) of the unit, a comma or semicolon not included.
 * Attributes are passed over. The caller frees *out's name, after failure too. Fails only with
 * OP2_ERR_NOMEM (no message is set). */
op2_status op2i_cdecl_read(const struct op2i_typedefs *typedefs, int begin, int end,
                           struct op2i_cdecl *out);

/* The type that the standard headers give this name, 0 for none of the library's. */
op2_type op2i_cdecl_standard(const char *word, size_t length);

/* Append places [begin, end) as one line of text, without the last word that equals `omit`. */
void op2i_cdecl_spell(const struct op2i_unit *unit, int begin, int end, const char *omit,
                      struct op2i_text *out);

/* The part of a parameter's type text that names the type of one value: "real" of "const real
 * *restrict". */
void op2i_cdecl_element(const char *type_text, struct op2i_text *out);

#endif
