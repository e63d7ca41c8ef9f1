/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds recursive functions in a source. OpenCL C forbids them, and its compilers need not notice;
 * devices of CUDA have little stack for them. */
#include "kernel_checks.h"
#include "mem.h"
#include "signature.h"
#include "unit.h"

enum { UNSEEN, OPEN, DONE };

/* A function that is mentioned counts as called. */
static bool comes_back(const struct op2i_unit *unit, char *states, int i) {
  const struct op2i_item *item = &unit->items[i];
  bool back = false;
  states[i] = OPEN;
  for (int at = item->body; at <= item->end && !back; at++) {
    const int called = unit->roles[unit->code[at]] == OP2I_ROLE_FILE
                           ? op2i_unit_function(unit, unit->code[at])
                           : -1;
    if (called < 0) continue;
    back = states[called] == OPEN || (states[called] == UNSEEN && comes_back(unit, states, called));
  }
  states[i] = DONE;
  return back;
}

/* Without memory the answer errs towards yes. */
bool op2i_source_recurs(const char *source) {
  struct op2i_unit unit;
  bool recurs = op2i_unit_read(source, false, &unit) == OP2_ERR_NOMEM;
  char *states = recurs ? NULL : op2i_calloc((size_t)unit.nitems + 1, 1);
  for (int i = 0; states && i < unit.nitems && !recurs; i++)
    if (unit.items[i].kind == OP2I_ITEM_FUNCTION && states[i] == UNSEEN)
      recurs = comes_back(&unit, states, i);
  recurs |= !states;
  op2i_free(states);
  op2i_unit_free(&unit);
  return recurs;
}
