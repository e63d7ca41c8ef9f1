/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the tables by which a loader binds a shared object: symbols, versions and
 * relocations. */
#define _GNU_SOURCE
#include <string.h>

#include "image_object.h"

#define SYMBOL_OF(info) (sizeof(void *) == 8 ? (uint64_t)(info) >> 32 : (uint64_t)(info) >> 8)
#define TYPE_OF(info)   (sizeof(void *) == 8 ? (info)&0xffffffff : (info)&0xff)

/* The kind of relocation that adds the address of the image, if known. */
#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE };
#elif defined(__aarch64__)
enum { RELATIVE = R_AARCH64_RELATIVE };
#else
enum { RELATIVE = 0 };
#endif

/* ---- symbols --------------------------------------------------------------------------------- */

static bool word_at(const struct op2i_image_object *o, uint64_t address, uint32_t *word) {
  const unsigned char *bytes = op2i_image_at(o, address, sizeof *word);
  if (bytes) memcpy(word, bytes, sizeof *word);
  return bytes != NULL;
}

/* The hash table of the System V ABI: number of buckets, number of symbols, buckets, chains. A
 * symbol is in at most one chain, so more steps than symbols mean a cycle. */
static bool sysv_hash_sound(struct op2i_image_object *o) {
  uint64_t at_hash = o->tag[DT_HASH], steps = 0;
  uint32_t nbuckets, nchains;
  if (!word_at(o, at_hash, &nbuckets) || !word_at(o, at_hash + 4, &nchains) || nbuckets == 0)
    return false;
  if (!op2i_image_at(o, at_hash, 8 + 4 * ((uint64_t)nbuckets + nchains))) return false;
  for (uint32_t i = 0; i < nbuckets; i++) {
    uint32_t next;
    if (!word_at(o, at_hash + 8 + 4 * (uint64_t)i, &next)) return false;
    while (next != 0)
      if (next >= nchains || ++steps > nchains ||
          !word_at(o, at_hash + 8 + 4 * ((uint64_t)nbuckets + next), &next))
        return false;
  }
  o->nsymbols = nchains;
  return true;
}

/* GNU's hash table: number of buckets, first symbol, words and shift of a filter, filter, buckets,
 * and chains, whose last word is odd. */
static bool gnu_hash_sound(struct op2i_image_object *o) {
  uint32_t head[4];
  for (int i = 0; i < 4; i++)
    if (!word_at(o, o->gnu_hash + 4 * (uint64_t)i, &head[i])) return false;
  uint32_t nbuckets = head[0], first = head[1], words = head[2];
  if (nbuckets == 0 || words == 0 || (words & (words - 1)) || head[3] > 31) return false;
  uint64_t buckets = o->gnu_hash + 16 + (uint64_t)words * sizeof(ElfW(Addr)), last = 0;
  if (!op2i_image_at(o, o->gnu_hash, buckets - o->gnu_hash + 4 * (uint64_t)nbuckets)) return false;
  for (uint32_t i = 0; i < nbuckets; i++) {
    uint32_t symbol;
    if (!word_at(o, buckets + 4 * (uint64_t)i, &symbol)) return false;
    if (symbol == 0) continue;
    if (symbol < first) return false;
    if (symbol > last) last = symbol;
  }
  uint32_t word = 1;
  uint64_t chains = buckets + 4 * (uint64_t)nbuckets, n = last ? last : first;
  for (word = last ? 0 : 1; !(word & 1); n++)
    if (!word_at(o, chains + 4 * (n - first), &word)) return false;
  o->nsymbols = n;
  return true;
}

static bool symbol_sound(const struct op2i_image_object *o, const ElfW(Sym) * symbol) {
  int type = symbol->st_info & 0xf;
  if (!op2i_image_name(o, symbol->st_name)) return false;
  if (symbol->st_shndx == SHN_UNDEF) return symbol->st_value == 0;
  if (symbol->st_shndx >= SHN_LORESERVE || type == STT_TLS) return true;
  if (type != STT_FUNC && type != STT_GNU_IFUNC)
    return op2i_image_find(o, symbol->st_value, symbol->st_size, 0, false) >= 0;
  return op2i_image_at(o, symbol->st_value, symbol->st_size) &&
         op2i_image_code(o, symbol->st_value);
}

static const char *symbols_fault(struct op2i_image_object *o) {
  static const char damaged[] = "its table of symbols is damaged";
  if (!o->tag[DT_HASH] && !o->gnu_hash) return "it has no table of symbols";
  if (o->tag[DT_HASH] && !sysv_hash_sound(o)) return damaged;
  uint64_t by_sysv = o->nsymbols;
  if (o->gnu_hash && !gnu_hash_sound(o)) return damaged;
  if (by_sysv > o->nsymbols) o->nsymbols = by_sysv;
  for (uint64_t i = 0; i < o->nsymbols; i++) {
    ElfW(Sym) symbol;
    const unsigned char *bytes =
        op2i_image_at(o, o->tag[DT_SYMTAB] + i * sizeof symbol, sizeof symbol);
    if (!bytes) return damaged;
    memcpy(&symbol, bytes, sizeof symbol);
    if (!symbol_sound(o, &symbol) || (i > 0 && op2i_image_nothing(&symbol, sizeof symbol)))
      return damaged;
  }
  return NULL;
}

/* ---- versions -------------------------------------------------------------------------------- */

/* True if a name is that of a library that the object needs; the loader searches for it among
 * these. */
static bool is_library(const struct op2i_image_object *o, uint64_t name) {
  ElfW(Dyn) entry;
  const char *names = (const char *)op2i_image_at(o, o->tag[DT_STRTAB], o->tag[DT_STRSZ]);
  if (!op2i_image_name(o, name)) return false;
  for (uint64_t i = 0; op2i_image_dynamic(o, i, &entry) && entry.d_tag != DT_NULL; i++)
    if (entry.d_tag == DT_NEEDED && strcmp(names + entry.d_un.d_val, names + name) == 0)
      return true;
  return false;
}

/* Lists of versions, needed from other libraries and defined here. The last item of a list says
 * that no other follows; loaders rely on that, and not on the counts that are there, too. */
static bool needed_names_sound(const struct op2i_image_object *o, uint64_t address,
                               unsigned *highest) {
  ElfW(Vernaux) name;
  do {
    const unsigned char *bytes = op2i_image_at(o, address, sizeof name);
    if (!bytes) return false;
    memcpy(&name, bytes, sizeof name);
    if (!op2i_image_name(o, name.vna_name)) return false;
    if (name.vna_other > *highest) *highest = name.vna_other;
    address += name.vna_next;
  } while (name.vna_next);
  return true;
}

static bool needed_sound(const struct op2i_image_object *o, unsigned *highest) {
  uint64_t address = o->verneed;
  ElfW(Verneed) need;
  do {
    const unsigned char *bytes = op2i_image_at(o, address, sizeof need);
    if (!bytes) return false;
    memcpy(&need, bytes, sizeof need);
    if (need.vn_version != VER_NEED_CURRENT || !is_library(o, need.vn_file) ||
        !needed_names_sound(o, address + need.vn_aux, highest))
      return false;
    address += need.vn_next;
  } while (need.vn_next);
  return true;
}

static bool defined_sound(const struct op2i_image_object *o, unsigned *highest) {
  uint64_t address = o->verdef;
  ElfW(Verdef) definition;
  do {
    ElfW(Verdaux) name;
    const unsigned char *bytes = op2i_image_at(o, address, sizeof definition);
    if (!bytes) return false;
    memcpy(&definition, bytes, sizeof definition);
    if (!(bytes = op2i_image_at(o, address + definition.vd_aux, sizeof name))) return false;
    memcpy(&name, bytes, sizeof name);
    if (definition.vd_version != VER_DEF_CURRENT || !op2i_image_name(o, name.vda_name))
      return false;
    if (definition.vd_ndx > *highest) *highest = definition.vd_ndx;
    address += definition.vd_next;
  } while (definition.vd_next);
  return true;
}

/* Every symbol's version must be a needed or defined one, or none (0 and 1). */
static const char *versions_fault(const struct op2i_image_object *o) {
  enum { HIDDEN = 0x8000 };
  unsigned highest = 1;
  bool sound =
      (!o->verneed || needed_sound(o, &highest)) && (!o->verdef || defined_sound(o, &highest));
  const unsigned char *bytes = o->versym ? op2i_image_at(o, o->versym, 2 * o->nsymbols) : NULL;
  sound = sound && !o->versym == !bytes && !o->versym == !(o->verneed || o->verdef);
  for (uint64_t i = 0; sound && bytes && i < o->nsymbols; i++) {
    uint16_t version;
    memcpy(&version, bytes + 2 * i, sizeof version);
    sound = (version & ~HIDDEN) <= (int)highest;
  }
  return sound ? NULL : "its table of versions is damaged";
}

/* ---- relocations ----------------------------------------------------------------------------- */

/* A relocation may not change the dynamic section, which is read while relocations are made. */
static bool target_sound(const struct op2i_image_object *o, uint64_t address) {
  unsigned flags = o->writes_code ? 0 : PF_W;
  return op2i_image_find(o, address, 4, flags, false) >= 0 &&
         !(address - o->dynamic < o->dynamic_size || o->dynamic - address < sizeof(void *));
}

/* True if an address is in one of the arrays of functions that the loader calls. */
static bool is_called(const struct op2i_image_object *o, uint64_t address) {
  return address - o->tag[DT_INIT_ARRAY] < o->tag[DT_INIT_ARRAYSZ] ||
         address - o->tag[DT_FINI_ARRAY] < o->tag[DT_FINI_ARRAYSZ];
}

/* Check a relocation that stores an address of the image. */
static bool relative_sound(struct op2i_image_object *o, uint64_t where, uint64_t value) {
  if (!target_sound(o, where)) return false;
  if (!is_called(o, where)) return true;
  o->called++;
  return where % sizeof(void *) == 0 && op2i_image_code(o, value);
}

static bool rela_sound(struct op2i_image_object *o, const ElfW(Rela) * rela) {
  if (TYPE_OF(rela->r_info) == 0) return true;
  uint64_t symbol = SYMBOL_OF(rela->r_info);
  if (symbol == 0) return relative_sound(o, rela->r_offset, (uint64_t)rela->r_addend);
  if (is_called(o, rela->r_offset)) o->called++;
  return target_sound(o, rela->r_offset) && symbol < o->nsymbols;
}

static bool relas_sound(struct op2i_image_object *o, uint64_t address, uint64_t size,
                        bool addends) {
  size_t each = addends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
  const unsigned char *bytes = size ? op2i_image_at(o, address, size) : NULL;
  if (size && (!bytes || size % each)) return false;
  for (uint64_t i = 0; i < size / each; i++) {
    ElfW(Rela) rela = {0};
    memcpy(&rela, bytes + i * each, each);
    /* Linkers leave at most a single entry empty. */
    if (i > 0 && op2i_image_nothing(bytes + (i - 1) * each, 2 * each)) return false;
    const unsigned char *value =
        addends ? NULL : op2i_image_at(o, rela.r_offset, sizeof(ElfW(Addr)));
    ElfW(Addr) word = 0;
    if (value) memcpy(&word, value, sizeof word);
    if (!addends) rela.r_addend = (ElfW(Sxword))word;
    if (!rela_sound(o, &rela)) return false;
  }
  return true;
}

static bool relr_sound(struct op2i_image_object *o, uint64_t where) {
  ElfW(Addr) value;
  const unsigned char *bytes = op2i_image_at(o, where, sizeof value);
  if (!bytes) return false;
  memcpy(&value, bytes, sizeof value);
  return relative_sound(o, where, value);
}

/* Relative relocations are addresses, and bit maps of the words after the last address; each word
 * must be a valid target. */
static bool relrs_sound(struct op2i_image_object *o) {
  uint64_t size = o->tag[OP2I_RELR_SIZE], where = 0;
  const unsigned char *bytes = size ? op2i_image_at(o, o->tag[OP2I_RELR], size) : NULL;
  if (size && (!bytes || size % sizeof(ElfW(Addr)))) return false;
  for (uint64_t i = 0; i < size / sizeof(ElfW(Addr)); i++) {
    ElfW(Addr) word;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    if (!(word & 1)) {
      if (!relr_sound(o, word)) return false;
      where = word + sizeof word;
      continue;
    }
    for (unsigned bit = 1; bit < 8 * sizeof word; bit++)
      if ((word >> bit & 1) && !relr_sound(o, where + (bit - 1) * sizeof word)) return false;
    where += (8 * sizeof word - 1) * sizeof word;
  }
  return true;
}

/* The first nrelative relocations must all be relative. */
static bool relatives_sound(const struct op2i_image_object *o) {
  if (o->nrelative > o->tag[DT_RELASZ] / sizeof(ElfW(Rela))) return false;
  for (uint64_t i = 0; RELATIVE != 0 && i < o->nrelative; i++) {
    ElfW(Rela) rela;
    const unsigned char *bytes = op2i_image_at(o, o->tag[DT_RELA] + i * sizeof rela, sizeof rela);
    if (!bytes) return false;
    memcpy(&rela, bytes, sizeof rela);
    if (TYPE_OF(rela.r_info) != RELATIVE) return false;
  }
  return true;
}

static const char *relocations_fault(struct op2i_image_object *o) {
  bool with_addends = o->tag[DT_PLTREL] == DT_RELA;
  if (!relatives_sound(o)) return "its relocations are damaged";
  bool sound = relas_sound(o, o->tag[DT_RELA], o->tag[DT_RELASZ], true) &&
               relas_sound(o, o->tag[DT_REL], o->tag[DT_RELSZ], false) &&
               relas_sound(o, o->tag[DT_JMPREL], o->tag[DT_PLTRELSZ], with_addends) &&
               relrs_sound(o) &&
               o->called == (o->tag[DT_INIT_ARRAYSZ] + o->tag[DT_FINI_ARRAYSZ]) / sizeof(void *);
  return sound ? NULL : "its relocations are damaged";
}

const char *op2i_image_tables_fault(struct op2i_image_object *o) {
  const char *fault = symbols_fault(o);
  if (!fault) fault = versions_fault(o);
  return fault ? fault : relocations_fault(o);
}
