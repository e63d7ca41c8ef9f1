/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of the trace event format, as far as the library uses it. */
#include "trace_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* A slice, or another event at `begin`; nanoseconds. */
struct event {
  char phase;
  int process, track;
  int64_t begin, end;
  const char *name, *id;
};

struct events {
  struct event *list;
  int n;
};

static bool wrong(const struct event *event, const char *what) {
  diag("process %d, track %d, '%s' (%c) at %.3f us: %s", event->process, event->track, event->name,
       event->phase, 1e-3 * (double)event->begin, what);
  return false;
}

static int64_t ns_of(const struct json *object, const char *name) {
  return llround(1e3 * json_number(object, name));
}

static struct event event_of(const struct json *json) {
  const char *phase = json_text(json, "ph");
  return (struct event){.phase = *phase && !phase[1] ? *phase : '?',
                        .process = (int)json_number(json, "pid"),
                        .track = (int)json_number(json, "tid"),
                        .begin = ns_of(json, "ts"),
                        .end = ns_of(json, "ts") + ns_of(json, "dur"),
                        .name = json_text(json, "name"),
                        .id = json_text(json, "id")};
}

static bool is_number(const struct json *object, const char *name) {
  const struct json *member = json_member(object, name);
  return member && member->type == 'n';
}

/* The fields that each kind of event must have. */
static bool has_fields(const struct json *json, const struct event *event) {
  if (!strchr("XMBEbesfC", event->phase)) return wrong(event, "an unknown kind of event");
  if (!is_number(json, "pid") || !is_number(json, "tid")) return wrong(event, "no track");
  if (!*event->name && event->phase != 'E') return wrong(event, "no name");
  if (event->phase != 'M' && !is_number(json, "ts")) return wrong(event, "no time");
  if (event->phase == 'X' && (!is_number(json, "dur") || event->end < event->begin))
    return wrong(event, "no duration");
  if (strchr("besf", event->phase) && !*event->id) return wrong(event, "no id");
  return true;
}

static int in_order(const void *a, const void *b) {
  const struct event *p = a, *q = b;
  if (p->process != q->process) return p->process < q->process ? -1 : 1;
  if (p->track != q->track) return p->track < q->track ? -1 : 1;
  if (p->begin != q->begin) return p->begin < q->begin ? -1 : 1;
  return (p->end < q->end) - (p->end > q->end);
}

static bool same_track(const struct event *a, const struct event *b) {
  return a->process == b->process && a->track == b->track;
}

/* No slice of a track ends after one that it began in. The events are in order. */
static bool are_nested(const struct events *events) {
  enum { DEEPEST = 64 };
  const struct event *open[DEEPEST];
  int depth = 0;
  for (int i = 0; i < events->n; i++) {
    const struct event *event = &events->list[i];
    if (event->phase != 'X') continue;
    while (depth && (!same_track(open[depth - 1], event) || open[depth - 1]->end <= event->begin))
      depth--;
    if (depth && event->end > open[depth - 1]->end) return wrong(event, "it leaves its parent");
    if (depth == DEEPEST) return wrong(event, "it is too deep");
    open[depth++] = event;
  }
  return true;
}

static bool is_described(const struct json *list, const struct event *event) {
  for (const struct json *json = list->first; json; json = json->next) {
    const struct event other = event_of(json);
    if (other.phase == 'M' && same_track(&other, event) && !strcmp(other.name, "thread_name") &&
        *json_text(json_member(json, "args"), "name"))
      return true;
  }
  return wrong(event, "its track has no name");
}

/* Every begin of a track has its end. */
static bool are_balanced(const struct events *events) {
  int depth = 0;
  for (int i = 0; i < events->n; i++) {
    const struct event *event = &events->list[i];
    depth += (event->phase == 'B') - (event->phase == 'E');
    if (depth < 0) return wrong(event, "an end without a beginning");
    if (depth && (i + 1 == events->n || !same_track(event, event + 1)))
      return wrong(event, "a beginning without an end");
  }
  return true;
}

/* The end of what an event begins that is not tied to a track; null if there is none later on. */
static const struct event *end_of(const struct events *events, const struct event *begin) {
  const char end = begin->phase == 'b' ? 'e' : 'f';
  for (int i = 0; i < events->n; i++)
    if (events->list[i].phase == end && !strcmp(events->list[i].id, begin->id) &&
        !strcmp(events->list[i].name, begin->name) && events->list[i].begin >= begin->begin)
      return &events->list[i];
  return NULL;
}

static bool in_slice(const struct events *events, const struct event *event) {
  for (int i = 0; i < events->n; i++)
    if (events->list[i].phase == 'X' && same_track(&events->list[i], event) &&
        events->list[i].begin <= event->begin && events->list[i].end >= event->begin)
      return true;
  return wrong(event, "a flow outside of all slices");
}

static bool are_matched(const struct events *events) {
  int begun = 0, ended = 0;
  for (int i = 0; i < events->n; i++) {
    const struct event *event = &events->list[i];
    begun += event->phase == 'b' || event->phase == 's';
    ended += event->phase == 'e' || event->phase == 'f';
    if ((event->phase == 's' || event->phase == 'f') && !in_slice(events, event)) return false;
    if ((event->phase == 'b' || event->phase == 's') && !end_of(events, event))
      return wrong(event, "it has no end");
  }
  if (begun == ended) return true;
  diag("%d beginnings and %d ends", begun, ended);
  return false;
}

static int count(const struct json *list) {
  int n = 0;
  for (const struct json *json = list->first; json; json = json->next) n++;
  return n;
}

bool trace_is_valid(const struct json *trace) {
  const struct json *list = json_member(trace, "traceEvents");
  if (!list || list->type != '[') {
    diag("there is no list of events");
    return false;
  }
  struct events events = {calloc((size_t)count(list) + 1, sizeof *events.list), 0};
  bool good = events.list != NULL;
  for (const struct json *json = list->first; json && good; json = json->next) {
    events.list[events.n] = event_of(json);
    good = has_fields(json, &events.list[events.n++]);
  }
  if (good) qsort(events.list, (size_t)events.n, sizeof *events.list, in_order);
  for (int i = 0; i < events.n && good; i++)
    if (i == 0 || !same_track(&events.list[i], &events.list[i - 1]))
      good = is_described(list, &events.list[i]);
  good = good && are_nested(&events) && are_balanced(&events) && are_matched(&events);
  free(events.list);
  return good;
}

double trace_loop_us(const struct json *trace, const char *name) {
  double sum = 0;
  const struct json *list = json_member(trace, "traceEvents"),
                    *summed = json_member(json_member(trace, "otherData"), "summed");
  for (const struct json *json = list ? list->first : NULL; json; json = json->next) {
    if (strcmp(json_text(json, "cat"), "loop") || strcmp(json_text(json, "name"), name)) continue;
    const struct json *args = json_member(json, "args");
    sum += is_number(args, "busy_us") ? json_number(args, "busy_us") : json_number(json, "dur");
  }
  for (const struct json *json = summed ? summed->first : NULL; json; json = json->next)
    if (json_number(json, "track") > 0 && !strcmp(json_text(json, "name"), name))
      sum += json_number(json, "busy_us");
  return sum;
}

int trace_slices(const struct json *trace, const char *category, const char *name) {
  const struct json *list = json_member(trace, "traceEvents");
  int n = 0;
  for (const struct json *json = list ? list->first : NULL; json; json = json->next)
    n += !strcmp(json_text(json, "cat"), category) && !strcmp(json_text(json, "name"), name);
  return n;
}
