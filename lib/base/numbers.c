/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of numbers as bits of pages in a hash table. */
#include "numbers.h"

#include "error.h"
#include "mem.h"
#include "sort.h"

enum { LEAST_BITS = 6 };

static op2_status no_memory(void) { return op2i_error_nomem("numbers of elements"); }

/* Make a table of twice the size, or the first one. */
static op2_status grow(struct op2i_numbers *set) {
  struct op2i_numbers more = {.npages = set->npages,
                              .shift = set->pages ? set->shift - 1 : 64 - LEAST_BITS};
  int64_t places = set->pages ? INT64_C(1) << (64 - set->shift) : 0;
  more.pages = op2i_calloc((size_t)1 << (64 - more.shift), sizeof *more.pages);
  if (!more.pages) return no_memory();
  for (int64_t i = 0; i < places; i++)
    if (set->pages[i].bits) *op2i_numbers_page(&more, set->pages[i].page * 64) = set->pages[i];
  op2i_free(set->pages);
  *set = more;
  return OP2_SUCCESS;
}

op2_status op2i_numbers_add(struct op2i_numbers *set, int64_t n, const int64_t *number) {
  struct op2i_page *page = NULL;
  for (int64_t i = 0; i < n; i++) {
    if (!page || page->page != number[i] >> 6) {
      op2_status status = OP2_SUCCESS;
      if (!set->pages || set->npages >= INT64_C(1) << (63 - set->shift)) status = grow(set);
      if (status) return status;
      page = op2i_numbers_page(set, number[i]);
      page->page = number[i] >> 6;
      set->npages += !page->bits;
    }
    page->bits |= UINT64_C(1) << (number[i] & 63);
  }
  return OP2_SUCCESS;
}

/* List the pages in ascending order, and the slot of each in the table. */
static op2_status list_pages(const struct op2i_numbers *set, int64_t *page, int64_t *place) {
  int64_t n = 0, places = set->pages ? INT64_C(1) << (64 - set->shift) : 0;
  for (int64_t i = 0; i < places; i++) {
    if (!set->pages[i].bits) continue;
    page[n] = set->pages[i].page;
    place[n++] = i;
  }
  return op2i_sort(n, page, place);
}

/* Store in each page how many numbers are in lower pages. Returns how many there are in total. */
static int64_t count(struct op2i_numbers *set, const int64_t *place) {
  int64_t n = 0;
  for (int64_t i = 0; i < set->npages; i++) {
    set->pages[place[i]].before = n;
    n += op2i_numbers_count(set->pages[place[i]].bits);
  }
  return n;
}

static void list_numbers(struct op2i_numbers *set, const int64_t *place) {
  int64_t n = 0;
  for (int64_t i = 0; i < set->npages; i++) {
    const struct op2i_page *page = &set->pages[place[i]];
    for (uint64_t bits = page->bits; bits; bits &= bits - 1)
      set->number[n++] = page->page * 64 + __builtin_ctzll(bits);
  }
}

op2_status op2i_numbers_close(struct op2i_numbers *set) {
  int64_t *page = op2i_malloc((size_t)set->npages * sizeof *page);
  int64_t *place = op2i_malloc((size_t)set->npages * sizeof *place);
  op2_status status = page && place ? list_pages(set, page, place) : no_memory();
  if (!status) {
    set->n = count(set, place);
    set->number = op2i_malloc((size_t)set->n * sizeof *set->number);
    set->is = op2i_malloc((size_t)set->n * sizeof *set->is);
    if (!set->number || !set->is) status = no_memory();
  }
  if (!status) list_numbers(set, place);
  op2i_free(page);
  op2i_free(place);
  return status;
}

void op2i_numbers_free(struct op2i_numbers *set) {
  op2i_free(set->pages);
  op2i_free(set->number);
  op2i_free(set->is);
  *set = (struct op2i_numbers){0};
}
