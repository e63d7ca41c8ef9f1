/* SPDX-License-Identifier: BSD-3-Clause */
/* XML files by Expat, where it is there. */
#include "meshfile_xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool op2i_xml_recognise(const struct op2i_scan *scan) {
  const char *at = scan->data;
  if (scan->end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
  while (at < scan->end && (*at == ' ' || (*at >= '\t' && *at <= '\r'))) at++;
  return scan->end - at > 1 && *at == '<' && at[1] != '\0';
}

#ifdef OP2_MESHFILE_EXPAT
#include <expat.h>

enum { ELEMENTS_MOST = 1000000, BLOCK = 1 << 28 };

struct state {
  struct op2i_xml *xml;
  XML_Parser parser;
  struct op2i_xml_element *open;
  int64_t n;
  bool stopped; /* at the element that ends the tree */
};

static void fail(struct state *state, const char *text) {
  state->xml->scan->at = state->xml->scan->data + XML_GetCurrentByteIndex(state->parser);
  op2i_scan_fail(state->xml->scan, "%s", text);
  XML_StopParser(state->parser, XML_FALSE);
}

/* An element with copies of its name and attributes behind it. */
static struct op2i_xml_element *make_element(const struct op2i_companion *op2, const char *name,
                                             const char **attributes) {
  size_t n = 0, bytes = strlen(name) + 1;
  for (; attributes[n]; n++) bytes += strlen(attributes[n]) + 1;
  struct op2i_xml_element *element =
      op2->calloc(1, sizeof *element + (n + 1) * sizeof *attributes + bytes);
  if (!element) return NULL;
  element->attribute = (const char **)(element + 1);
  char *text = (char *)(element->attribute + n + 1);
  element->name = strcpy(text, name);
  for (size_t a = 0; a < n; a++) {
    text += strlen(text) + 1;
    element->attribute[a] = strcpy(text, attributes[a]);
  }
  return element;
}

static void XMLCALL on_start(void *data, const char *name, const char **attributes) {
  struct state *state = data;
  struct op2i_xml *xml = state->xml;
  if (xml->scan->status || state->stopped) return;
  if (++state->n > ELEMENTS_MOST) {
    fail(state, "the file has more than 1,000,000 elements");
    return;
  }
  struct op2i_xml_element *element = make_element(xml->scan->op2, name, attributes);
  if (!element) {
    op2i_scan_nomem(xml->scan);
    XML_StopParser(state->parser, XML_FALSE);
    return;
  }
  element->before = xml->latest;
  xml->latest = element;
  element->text = xml->scan->data + XML_GetCurrentByteIndex(state->parser) +
                  XML_GetCurrentByteCount(state->parser);
  element->parent = state->open;
  if (!state->open)
    xml->root = element;
  else if (state->open->last)
    state->open->last->next = element;
  else
    state->open->child = element;
  if (state->open) state->open->last = element;
  state->open = element;
  state->stopped = xml->stop && strcmp(name, xml->stop) == 0;
  if (state->stopped) XML_StopParser(state->parser, XML_FALSE);
}

static void XMLCALL on_end(void *data, const char *name) {
  struct state *state = data;
  (void)name;
  if (state->open) state->open = state->open->parent;
}

static void XMLCALL on_entity(void *data, const char *name, int parameter, const char *value,
                              int length, const char *base, const char *system, const char *public,
                              const char *notation) {
  (void)name, (void)parameter, (void)value, (void)length;
  (void)base, (void)system, (void)public, (void)notation;
  fail(data, "entities that a file declares are not read");
}

static void XMLCALL on_default(void *data, const char *element, const char *name, const char *type,
                               const char *value, int required) {
  (void)element, (void)name, (void)type, (void)value, (void)required;
  fail(data, "attributes that a file declares are not read");
}

/* Give Expat the file in large blocks, so that a long token is not looked at often. */
static bool parse(struct state *state) {
  struct op2i_scan *scan = state->xml->scan;
  for (const char *at = scan->data; !state->stopped && !scan->status;) {
    const int length = scan->end - at > BLOCK ? BLOCK : (int)(scan->end - at);
    const bool last = at + length == scan->end;
    if (XML_Parse(state->parser, at, length, last) != XML_STATUS_OK && !state->stopped &&
        !scan->status) {
      if (XML_GetErrorCode(state->parser) == XML_ERROR_NO_MEMORY) return op2i_scan_nomem(scan);
      fail(state, XML_ErrorString(XML_GetErrorCode(state->parser)));
    }
    if (last) break;
    at += length;
  }
  return !scan->status;
}

/* True if the end tag of the root is the last in the file, which Expat does not read behind binary data. */
static bool is_complete(const struct op2i_xml *xml) {
  const size_t length = strlen(xml->root->name);
  const char *end = xml->scan->end;
  while (end > xml->scan->data && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r'))) end--;
  if ((size_t)(end - xml->scan->data) < length + 3) return false;
  end -= length + 3;
  return memcmp(end, "</", 2) == 0 && memcmp(end + 2, xml->root->name, length) == 0 &&
         end[length + 2] == '>';
}

bool op2i_xml_read(struct op2i_xml *xml, struct op2i_scan *scan, const char *stop) {
  *xml = (struct op2i_xml){.scan = scan, .stop = stop};
  struct state state = {.xml = xml, .parser = XML_ParserCreate(NULL)};
  if (!state.parser) return op2i_scan_nomem(scan);
  XML_SetUserData(state.parser, &state);
  XML_SetElementHandler(state.parser, on_start, on_end);
  XML_SetEntityDeclHandler(state.parser, on_entity);
  XML_SetAttlistDeclHandler(state.parser, on_default);
  bool good = parse(&state);
  XML_ParserFree(state.parser);
  if (good && state.stopped && !is_complete(xml)) {
    scan->at = scan->end;
    good =
        op2i_scan_fail(scan, "the file is not complete: </%.60s> is not its end", xml->root->name);
  }
  return good;
}
#else
bool op2i_xml_read(struct op2i_xml *xml, struct op2i_scan *scan, const char *stop) {
  *xml = (struct op2i_xml){.scan = scan, .stop = stop};
  if (!scan->status)
    scan->status = scan->op2->error(
        OP2_ERR_UNAVAILABLE,
        "%s: this is an XML file, as of VTK and XDMF, and libop2-meshfile was built without Expat "
        "(Debian's libexpat1-dev; meson setup -Dexpat=enabled)",
        scan->path);
  return false;
}
#endif

void op2i_xml_free(struct op2i_xml *xml) {
  for (struct op2i_xml_element *element = xml->latest, *before; element; element = before) {
    before = element->before;
    xml->scan->op2->free(element);
  }
  *xml = (struct op2i_xml){0};
}

const char *op2i_xml_attribute(const struct op2i_xml_element *element, const char *name) {
  for (const char **a = element->attribute; *a; a += 2)
    if (strcmp(*a, name) == 0) return a[1];
  return NULL;
}

static struct op2i_xml_element *first_of(struct op2i_xml_element *element, const char *name) {
  while (element && strcmp(element->name, name) != 0) element = element->next;
  return element;
}

struct op2i_xml_element *op2i_xml_child(const struct op2i_xml_element *element, const char *name) {
  return first_of(element->child, name);
}

struct op2i_xml_element *op2i_xml_next(const struct op2i_xml_element *element, const char *name) {
  return first_of(element->next, name);
}

const char *op2i_xml_text_end(const struct op2i_xml *xml, const struct op2i_xml_element *element) {
  const size_t length = (size_t)(xml->scan->end - element->text);
  const char *end = memchr(element->text, '<', length);
  return end ? end : xml->scan->end;
}

bool op2i_xml_fail(const struct op2i_xml *xml, const struct op2i_xml_element *element,
                   const char *format, ...) {
  char text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  xml->scan->at = element->text;
  return op2i_scan_fail(xml->scan, "%s", text);
}

bool op2i_xml_count(const struct op2i_xml *xml, const struct op2i_xml_element *element,
                    const char *name, int64_t *value) {
  const char *text = op2i_xml_attribute(element, name);
  int64_t count = 0;
  if (!text) return op2i_xml_fail(xml, element, "<%.60s> has no %s", element->name, name);
  const char *at = text + strspn(text, " \t\r\n"), *digits = at;
  for (; *at >= '0' && *at <= '9' && at - digits < 17; at++) count = 10 * count + (*at - '0');
  const bool number = at > digits;
  at += strspn(at, " \t\r\n");
  if (!number || *at)
    return op2i_xml_fail(xml, element, "%s of <%.60s> is '%.40s'", name, element->name, text);
  *value = count;
  return true;
}
