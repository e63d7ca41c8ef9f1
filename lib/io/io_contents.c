/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a file that says which objects are in it. */
#include <string.h>

#include "io_all.h"

const struct op2i_file_kind op2i_file_kinds[] = {
    [OP2I_FILE_SET] = {"set", 2, OP2_OBJECT_SET, false},
    [OP2I_FILE_SINGLE] = {"single", 2, OP2_OBJECT_SET, false},
    [OP2I_FILE_SUBSET] = {"subset", 3, OP2_OBJECT_SET, false},
    [OP2I_FILE_MAP] = {"map", 4, OP2_OBJECT_MAP, false},
    [OP2I_FILE_PARTIAL] = {"partial", 4, OP2_OBJECT_MAP, false},
    [OP2I_FILE_DAT] = {"dat", 3, OP2_OBJECT_DAT, false},
    [OP2I_FILE_GBL] = {"global", 2, OP2_OBJECT_GBL, false},
    [OP2I_FILE_CONST] = {"constant", 2, OP2_OBJECT_CONST, false},
    [OP2I_FILE_PAIR] = {"pair", 4, OP2_OBJECT_ANY, true},
    [OP2I_FILE_SPARSITY] = {"sparsity", 2, OP2_OBJECT_SPARSITY, true},
    [OP2I_FILE_MAT] = {"matrix", 4, OP2_OBJECT_MAT, true},
};

static op2_status enlarge(op2_file file, struct op2i_contents *text, size_t more) {
  const size_t room = 2 * (text->room + more);
  if (text->length + more <= text->room) return OP2_SUCCESS;
  char *chars = file->op2->calloc(room, 1);
  if (!chars) return file->op2->error_nomem("the contents of a file");
  if (text->length) memcpy(chars, text->chars, text->length);
  file->op2->free(text->chars);
  text->chars = chars;
  text->room = room;
  return OP2_SUCCESS;
}

op2_status op2i_contents_add(op2_file file, struct op2i_contents *text,
                             const struct op2i_line *line) {
  for (int w = 0; w < line->n; w++) {
    const size_t length = strlen(line->words[w]);
    if (strpbrk(line->words[w], "\t\n"))
      return file->op2->error(OP2_ERR_NAME,
                              "%s: %s '%s': a name with a tab or the end of a line in it",
                              file->path, line->words[0], line->words[w]);
    op2_status status = enlarge(file, text, length + 1);
    if (status) return status;
    memcpy(text->chars + text->length, line->words[w], length);
    text->chars[text->length + length] = w + 1 < line->n ? '\t' : '\n';
    text->length += length + 1;
  }
  return OP2_SUCCESS;
}

void op2i_contents_take(char **at, struct op2i_line *line) {
  char *end = strchr(*at, '\n');
  *line = (struct op2i_line){.n = 0};
  if (end) *end = '\0';
  for (char *word = *at; word; line->n++) {
    char *next = strchr(word, '\t');
    if (next) *next++ = '\0';
    if (line->n < OP2I_WORDS_OF_LINE) line->words[line->n] = word;
    word = next;
  }
  *at = end ? end + 1 : *at + strlen(*at);
}
