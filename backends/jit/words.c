/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of words of a command line. */
#include <string.h>

#include "compiler.h"
#include "error.h"
#include "mem.h"

op2_status op2i_words_add(struct op2i_words *words, const char *text) {
  if (op2i_grow(&words->item, sizeof *words->item, words->count + 1, &words->capacity) != 0)
    return op2i_error_nomem("the compiler's arguments");
  char *copy = op2i_strdup(text);
  if (!copy) return op2i_error_nomem("the compiler's arguments");
  words->item[words->count++] = copy;
  words->item[words->count] = NULL;
  return OP2_SUCCESS;
}

void op2i_words_free(struct op2i_words *words) {
  for (int64_t i = 0; i < words->count; i++) op2i_free(words->item[i]);
  op2i_free(words->item);
  *words = (struct op2i_words){0};
}

/* Take one word off `text` into `word`, which must be large enough. Quotes and backslashes work as
 * in a shell; nothing is expanded. */
static const char *take_word(const char *text, char *word) {
  char quote = 0;
  for (; *text && (quote || (*text != ' ' && *text != '\t' && *text != '\n')); text++) {
    if (quote ? *text == quote : (*text == '\'' || *text == '"'))
      quote = quote ? 0 : *text;
    else if (*text == '\\' && quote != '\'' && text[1])
      *word++ = *++text;
    else
      *word++ = *text;
  }
  *word = '\0';
  return text;
}

op2_status op2i_words_split(struct op2i_words *words, const char *text) {
  char *word = op2i_malloc(strlen(text) + 1);
  if (!word) return op2i_error_nomem("the compiler's arguments");
  op2_status status = OP2_SUCCESS;
  for (text += strspn(text, " \t\n"); *text && status == OP2_SUCCESS;
       text += strspn(text, " \t\n")) {
    text = take_word(text, word);
    status = op2i_words_add(words, word);
  }
  op2i_free(word);
  return status;
}
