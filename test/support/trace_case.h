/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_TEST_TRACE_CASE_H
#define OP2_TEST_TRACE_CASE_H

#include <stdbool.h>
#include <stdint.h>

/* Files of OP2_TRACE: they are read as JSON, and judged by the rules of Chrome's trace event format. */

/* A value of JSON. Members of an object and elements of an array are a list. */
struct json {
  char type;  /* { [ s n t f 0: object, array, string, number, true, false, null */
  char *name; /* of a member */
  char *text; /* of a string, without its escapes; of a number, as written */
  struct json *first, *next;
};

/* Read a file; null if it is not there, or is not one value of JSON. Free it with json_free(). */
struct json *json_read(const char *path);
void json_free(struct json *value);
/* The member of an object, or null. */
const struct json *json_member(const struct json *object, const char *name);
/* Its text, and its number; "" and 0 without one. */
const char *json_text(const struct json *object, const char *name);
double json_number(const struct json *object, const char *name);

/* True if the trace keeps the format's rules: every event has its fields, every track a name, no
 * slice ends after the one that it began in, each begin of B and b has its end, and each flow begins
 * and ends in a slice. Says what is wrong otherwise. */
bool trace_is_valid(const struct json *trace);
/* Microseconds that workers and devices spent in the loops of a name, short ones included. */
double trace_loop_us(const struct json *trace, const char *name);
/* The number of slices of a name on the tracks of a category, "host" or "loop". */
int trace_slices(const struct json *trace, const char *category, const char *name);

#endif
