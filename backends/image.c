/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a shared object can be loaded without harm: everything in it that a loader follows is
 * looked up first. The tables are those of the System V ABI (ELF) and GNU's additions. */
#define _GNU_SOURCE
#include "image.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

/* The header of the file that this code is in, as the linker provides it: what can be loaded here
 * has the same class, byte order and machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

#define SYMBOL_OF(info) (sizeof(void *) == 8 ? (uint64_t)(info) >> 32 : (uint64_t)(info) >> 8)
#define TYPE_OF(info)   (sizeof(void *) == 8 ? (info)&0xffffffff : (info)&0xff)

enum { TAGS = 40, RELR_SIZE = 35, RELR = 36, RELR_EACH = 37 }; /* not in older headers */

/* The kind of relocation that adds the address of the image, where known. */
#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE };
#elif defined(__aarch64__)
enum { RELATIVE = R_AARCH64_RELATIVE };
#else
enum { RELATIVE = 0 };
#endif

struct object {
  struct op2i_bytes file;
  ElfW(Ehdr) header;
  uint64_t tag[TAGS]; /* of the dynamic section, 0: not there */
  uint64_t gnu_hash, versym, verneed, nverneed, verdef, nverdef, nrelative;
  uint64_t nsymbols;
  bool writes_code; /* relocations may change what is not writable */
};

static const char cut_off[] = "the file is cut off";

static bool inside(struct op2i_bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size && size <= bytes.size - offset;
}

static ElfW(Phdr) segment(const struct object *o, unsigned i) {
  ElfW(Phdr) segment;
  memcpy(&segment, o->file.data + o->header.e_phoff + i * sizeof segment, sizeof segment);
  return segment;
}

/* The loaded segment that holds these addresses and has the flags, -1 when there is none; `in_file`:
 * that holds them by bytes of the file. */
static int find(const struct object *o, uint64_t address, uint64_t size, unsigned flags,
                bool in_file) {
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    uint64_t room = in_file ? s.p_filesz : s.p_memsz;
    if (s.p_type == PT_LOAD && (s.p_flags & flags) == flags && address >= s.p_vaddr &&
        address - s.p_vaddr <= room && size <= room - (address - s.p_vaddr))
      return (int)i;
  }
  return -1;
}

/* The bytes of the file at an address, null when it has not so many there. */
static const unsigned char *at(const struct object *o, uint64_t address, uint64_t size) {
  int i = find(o, address, size, 0, true);
  if (i < 0) return NULL;
  ElfW(Phdr) s = segment(o, (unsigned)i);
  return o->file.data + s.p_offset + (address - s.p_vaddr);
}

static bool is_nothing(const void *bytes, size_t size) {
  static const unsigned char nothing[64];
  return memcmp(bytes, nothing, size) == 0;
}

/* Whether a function may begin at an address: none does with so many zeros. */
static bool is_code(const struct object *o, uint64_t address) {
  enum { FEW = 8 };
  const unsigned char *bytes = at(o, address, FEW);
  return find(o, address, 1, PF_X, true) >= 0 && (!bytes || !is_nothing(bytes, FEW));
}

/* ---- headers --------------------------------------------------------------------------------- */

static const char *header_fault(struct object *o) {
  ElfW(Ehdr) *header = &o->header;
  if (o->file.size < sizeof *header) return "the file is too short";
  memcpy(header, o->file.data, sizeof *header);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_DYN)
    return "it is not a shared object";
  if (header->e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
      header->e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
      header->e_machine != __ehdr_start.e_machine)
    return "it is a shared object for another machine";
  if (header->e_version != EV_CURRENT || header->e_ident[EI_VERSION] != EV_CURRENT)
    return "its header is damaged";
  if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phnum == 0 ||
      !inside(o->file, header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr))) ||
      !inside(o->file, header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize))
    return cut_off;
  return NULL;
}

static const char *segments_fault(const struct object *o) {
  const uint64_t most = (uint64_t)1 << 31;
  static const char damaged[] = "its segments are damaged";
  uint64_t end = 0;
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    if (!inside(o->file, s.p_offset, s.p_filesz)) return cut_off;
    if (s.p_type == PT_GNU_STACK || s.p_type == PT_NULL) continue;
    if (s.p_vaddr > most || s.p_memsz > most || s.p_filesz > s.p_memsz) return damaged;
    if (s.p_type != PT_LOAD) continue;
    if (s.p_align & (s.p_align - 1)) return damaged;
    if (s.p_align > 1 && (s.p_vaddr - s.p_offset) % s.p_align != 0) return damaged;
    if (s.p_vaddr < end) return damaged;
    end = s.p_vaddr + s.p_memsz;
  }
  for (unsigned i = 0; i < o->header.e_phnum; i++) {
    ElfW(Phdr) s = segment(o, i);
    bool own = s.p_type == PT_GNU_RELRO || s.p_type == PT_DYNAMIC || s.p_type == PT_TLS;
    if (own && s.p_filesz > 0 && find(o, s.p_vaddr, s.p_filesz, 0, true) < 0) return damaged;
  }
  return end > 0 ? NULL : "it has nothing to load";
}

/* ---- the dynamic section --------------------------------------------------------------------- */

static void note_tag(struct object *o, uint64_t tag, uint64_t value) {
  switch (tag) {
  case DT_GNU_HASH: o->gnu_hash = value; break;
  case DT_RELACOUNT: o->nrelative = value; break;
  case DT_VERSYM: o->versym = value; break;
  case DT_VERNEED: o->verneed = value; break;
  case DT_VERNEEDNUM: o->nverneed = value; break;
  case DT_VERDEF: o->verdef = value; break;
  case DT_VERDEFNUM: o->nverdef = value; break;
  case DT_TEXTREL: o->writes_code = true; break;
  case DT_FLAGS: o->writes_code |= (value & DF_TEXTREL) != 0; break;
  default:
    if (tag < TAGS) o->tag[tag] = value;
  }
}

/* Entry i of the dynamic section; false behind its end. */
static bool dynamic_entry(const struct object *o, uint64_t i, ElfW(Dyn) * entry) {
  for (unsigned k = 0; k < o->header.e_phnum; k++) {
    ElfW(Phdr) s = segment(o, k);
    if (s.p_type != PT_DYNAMIC) continue;
    if ((i + 1) * sizeof *entry > s.p_filesz) return false;
    const unsigned char *bytes = at(o, s.p_vaddr, s.p_filesz);
    if (!bytes) return false;
    memcpy(entry, bytes + i * sizeof *entry, sizeof *entry);
    return true;
  }
  return false;
}

/* Whether there is a text at this place of the table of names; the table ends with a zero. */
static bool is_name(const struct object *o, uint64_t offset) { return offset < o->tag[DT_STRSZ]; }

/* Whether the value of a tag is a place in the table of names. */
static bool is_named(int64_t tag) {
  return tag == DT_NEEDED || tag == DT_SONAME || tag == DT_RPATH || tag == DT_RUNPATH ||
         tag == DT_AUXILIARY || tag == DT_FILTER || tag == DT_AUDIT || tag == DT_DEPAUDIT ||
         tag == DT_CONFIG;
}

/* Loaders take it for granted that a table has a size, and how large each of its rows is. */
static bool sizes_sound(const struct object *o) {
  static const int pairs[][2] = {{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                 {DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
                                 {DT_RELA, DT_RELASZ},
                                 {DT_REL, DT_RELSZ},
                                 {RELR, RELR_SIZE},
                                 {DT_JMPREL, DT_PLTRELSZ}};
  const uint64_t *tag = o->tag;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (!tag[pairs[i][0]] != !tag[pairs[i][1]]) return false;
  return tag[DT_SYMENT] == sizeof(ElfW(Sym)) &&
         (!tag[DT_RELA] || tag[DT_RELAENT] == sizeof(ElfW(Rela))) &&
         (!tag[DT_REL] || tag[DT_RELENT] == sizeof(ElfW(Rel))) &&
         (!tag[RELR] || tag[RELR_EACH] == sizeof(ElfW(Addr))) &&
         (!tag[DT_JMPREL] || tag[DT_PLTREL] == (tag[DT_RELA] || !tag[DT_REL] ? DT_RELA : DT_REL));
}

static const char *dynamic_fault(struct object *o) {
  static const char damaged[] = "its dynamic section is damaged";
  ElfW(Dyn) entry = {0};
  uint64_t n = 0;
  while (dynamic_entry(o, n, &entry) && entry.d_tag != DT_NULL) {
    note_tag(o, (uint64_t)entry.d_tag, (uint64_t)entry.d_un.d_val);
    n++;
  }
  if (n == 0 || entry.d_tag != DT_NULL) return "it has no dynamic section, or not all of it";
  uint64_t size = o->tag[DT_STRSZ];
  const unsigned char *names = size ? at(o, o->tag[DT_STRTAB], size) : NULL;
  if (!names || names[size - 1]) return "its table of names is damaged";
  for (uint64_t i = 0; i < n && dynamic_entry(o, i, &entry); i++) {
    if (is_named(entry.d_tag) && !is_name(o, entry.d_un.d_val)) return damaged;
  }
  if (!sizes_sound(o)) return damaged;
  static const int functions[] = {DT_INIT, DT_FINI};
  static const int arrays[][2] = {{DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
                                  {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}};
  for (int i = 0; i < 2; i++) {
    if (o->tag[functions[i]] && !is_code(o, o->tag[functions[i]])) return damaged;
    uint64_t bytes = o->tag[arrays[i][1]];
    if (bytes % sizeof(void *) || (bytes && !at(o, o->tag[arrays[i][0]], bytes))) return damaged;
  }
  return NULL;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool word_at(const struct object *o, uint64_t address, uint32_t *word) {
  const unsigned char *bytes = at(o, address, sizeof *word);
  if (bytes) memcpy(word, bytes, sizeof *word);
  return bytes != NULL;
}

/* The hash table of the System V ABI: number of buckets, number of symbols, buckets, chains. A
 * symbol is in one chain at most, so that more steps than symbols mean a circle. */
static bool sysv_hash_sound(struct object *o) {
  uint64_t at_hash = o->tag[DT_HASH], steps = 0;
  uint32_t nbuckets, nchains;
  if (!word_at(o, at_hash, &nbuckets) || !word_at(o, at_hash + 4, &nchains) || nbuckets == 0)
    return false;
  if (!at(o, at_hash, 8 + 4 * ((uint64_t)nbuckets + nchains))) return false;
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

/* GNU's: number of buckets, first symbol, words and shift of a filter, filter, buckets, chains,
 * whose last word is odd. */
static bool gnu_hash_sound(struct object *o) {
  uint32_t head[4];
  for (int i = 0; i < 4; i++)
    if (!word_at(o, o->gnu_hash + 4 * (uint64_t)i, &head[i])) return false;
  uint32_t nbuckets = head[0], first = head[1], words = head[2];
  if (nbuckets == 0 || words == 0 || (words & (words - 1)) || head[3] > 31) return false;
  uint64_t buckets = o->gnu_hash + 16 + (uint64_t)words * sizeof(ElfW(Addr)), last = 0;
  if (!at(o, o->gnu_hash, buckets - o->gnu_hash + 4 * (uint64_t)nbuckets)) return false;
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

static bool symbol_sound(const struct object *o, const ElfW(Sym) * symbol) {
  int type = symbol->st_info & 0xf;
  if (!is_name(o, symbol->st_name)) return false;
  if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE || type == STT_TLS)
    return true;
  if (type != STT_FUNC && type != STT_GNU_IFUNC)
    return find(o, symbol->st_value, symbol->st_size, 0, false) >= 0;
  return at(o, symbol->st_value, symbol->st_size) && is_code(o, symbol->st_value);
}

static const char *symbols_fault(struct object *o) {
  static const char damaged[] = "its table of symbols is damaged";
  if (!o->tag[DT_HASH] && !o->gnu_hash) return "it has no table of symbols";
  if (o->tag[DT_HASH] && !sysv_hash_sound(o)) return damaged;
  uint64_t by_sysv = o->nsymbols;
  if (o->gnu_hash && !gnu_hash_sound(o)) return damaged;
  if (by_sysv > o->nsymbols) o->nsymbols = by_sysv;
  for (uint64_t i = 0; i < o->nsymbols; i++) {
    ElfW(Sym) symbol;
    const unsigned char *bytes = at(o, o->tag[DT_SYMTAB] + i * sizeof symbol, sizeof symbol);
    if (!bytes) return damaged;
    memcpy(&symbol, bytes, sizeof symbol);
    if (!symbol_sound(o, &symbol) || (i > 0 && is_nothing(&symbol, sizeof symbol))) return damaged;
  }
  return NULL;
}

/* ---- versions -------------------------------------------------------------------------------- */

/* Whether a name is that of a library that the object needs: the loader looks for it among those. */
static bool is_library(const struct object *o, uint64_t name) {
  ElfW(Dyn) entry;
  const char *names = (const char *)at(o, o->tag[DT_STRTAB], o->tag[DT_STRSZ]);
  if (!is_name(o, name)) return false;
  for (uint64_t i = 0; dynamic_entry(o, i, &entry) && entry.d_tag != DT_NULL; i++)
    if (entry.d_tag == DT_NEEDED && strcmp(names + entry.d_un.d_val, names + name) == 0)
      return true;
  return false;
}

/* A list of version records, each with a list of names: needed ones (from other libraries) and
 * defined ones differ in where they keep what. */
static bool needed_sound(const struct object *o, unsigned *highest) {
  uint64_t address = o->verneed;
  for (uint64_t i = 0; i < o->nverneed; i++) {
    ElfW(Verneed) need;
    ElfW(Vernaux) name;
    const unsigned char *bytes = at(o, address, sizeof need);
    if (!bytes) return false;
    memcpy(&need, bytes, sizeof need);
    uint64_t inner = address + need.vn_aux;
    for (unsigned k = 0; k < need.vn_cnt; k++, inner += name.vna_next) {
      if (!(bytes = at(o, inner, sizeof name))) return false;
      memcpy(&name, bytes, sizeof name);
      if (name.vna_other > *highest) *highest = name.vna_other;
      if (!is_name(o, name.vna_name) || (name.vna_next == 0 && k + 1 < need.vn_cnt)) return false;
    }
    if (!is_library(o, need.vn_file) || (need.vn_next == 0 && i + 1 < o->nverneed)) return false;
    address += need.vn_next;
  }
  return true;
}

static bool defined_sound(const struct object *o, unsigned *highest) {
  uint64_t address = o->verdef;
  for (uint64_t i = 0; i < o->nverdef; i++) {
    ElfW(Verdef) definition;
    ElfW(Verdaux) name;
    const unsigned char *bytes = at(o, address, sizeof definition);
    if (!bytes) return false;
    memcpy(&definition, bytes, sizeof definition);
    if (definition.vd_ndx > *highest) *highest = definition.vd_ndx;
    if (!(bytes = at(o, address + definition.vd_aux, sizeof name))) return false;
    memcpy(&name, bytes, sizeof name);
    if (!is_name(o, name.vda_name) || (definition.vd_next == 0 && i + 1 < o->nverdef)) return false;
    address += definition.vd_next;
  }
  return true;
}

/* Every symbol's version is one of those that are needed or defined, or none (0 and 1). */
static const char *versions_fault(const struct object *o) {
  enum { HIDDEN = 0x8000 };
  unsigned highest = 1;
  bool sound =
      (!o->verneed || needed_sound(o, &highest)) && (!o->verdef || defined_sound(o, &highest));
  const unsigned char *bytes = o->versym ? at(o, o->versym, 2 * o->nsymbols) : NULL;
  sound = sound && !o->versym == !bytes;
  for (uint64_t i = 0; sound && bytes && i < o->nsymbols; i++) {
    uint16_t version;
    memcpy(&version, bytes + 2 * i, sizeof version);
    sound = (version & ~HIDDEN) <= (int)highest;
  }
  return sound ? NULL : "its table of versions is damaged";
}

/* ---- relocations ----------------------------------------------------------------------------- */

static bool target_sound(const struct object *o, uint64_t address) {
  return find(o, address, sizeof(void *), o->writes_code ? 0 : PF_W, false) >= 0 ||
         find(o, address, 4, o->writes_code ? 0 : PF_W, false) >= 0;
}

/* Whether an address is in one of the arrays of functions that the loader calls. */
static bool is_called(const struct object *o, uint64_t address) {
  return address - o->tag[DT_INIT_ARRAY] < o->tag[DT_INIT_ARRAYSZ] ||
         address - o->tag[DT_FINI_ARRAY] < o->tag[DT_FINI_ARRAYSZ];
}

static bool rela_sound(const struct object *o, const ElfW(Rela) * rela) {
  if (TYPE_OF(rela->r_info) == 0) return true;
  uint64_t symbol = SYMBOL_OF(rela->r_info), value = (uint64_t)rela->r_addend;
  if (!target_sound(o, rela->r_offset)) return false;
  if (symbol != 0) return symbol < o->nsymbols;
  return !is_called(o, rela->r_offset) || is_code(o, value);
}

static bool relas_sound(const struct object *o, uint64_t address, uint64_t size, bool addends) {
  size_t each = addends ? sizeof(ElfW(Rela)) : sizeof(ElfW(Rel));
  const unsigned char *bytes = size ? at(o, address, size) : NULL;
  if (size && (!bytes || size % each)) return false;
  for (uint64_t i = 0; i < size / each; i++) {
    ElfW(Rela) rela = {0};
    memcpy(&rela, bytes + i * each, each);
    /* Linkers leave a single one empty at most. */
    if (i > 0 && is_nothing(bytes + (i - 1) * each, 2 * each)) return false;
    const unsigned char *value = addends ? NULL : at(o, rela.r_offset, sizeof(ElfW(Addr)));
    ElfW(Addr) word = 0;
    if (value) memcpy(&word, value, sizeof word);
    if (!addends) rela.r_addend = (ElfW(Sxword))word;
    if (!rela_sound(o, &rela)) return false;
  }
  return true;
}

/* Addresses, and bit maps of what follows the last one: the reach of each is a target. */
static bool relrs_sound(const struct object *o) {
  uint64_t size = o->tag[RELR_SIZE], where = 0;
  const unsigned char *bytes = size ? at(o, o->tag[RELR], size) : NULL;
  if (size && (!bytes || size % sizeof(ElfW(Addr)))) return false;
  for (uint64_t i = 0; i < size / sizeof(ElfW(Addr)); i++) {
    ElfW(Addr) word;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    if (!(word & 1)) {
      if (!target_sound(o, word)) return false;
      where = word + sizeof word;
      continue;
    }
    for (unsigned bit = 1; bit < 8 * sizeof word; bit++)
      if ((word >> bit & 1) && !target_sound(o, where + (bit - 1) * sizeof word)) return false;
    where += (8 * sizeof word - 1) * sizeof word;
  }
  return true;
}

/* The first of them, by their number, are all of one kind. */
static bool relatives_sound(const struct object *o) {
  if (o->nrelative > o->tag[DT_RELASZ] / sizeof(ElfW(Rela))) return false;
  for (uint64_t i = 0; RELATIVE && i < o->nrelative; i++) {
    ElfW(Rela) rela;
    const unsigned char *bytes = at(o, o->tag[DT_RELA] + i * sizeof rela, sizeof rela);
    if (!bytes) return false;
    memcpy(&rela, bytes, sizeof rela);
    if (TYPE_OF(rela.r_info) != RELATIVE) return false;
  }
  return true;
}

static const char *relocations_fault(const struct object *o) {
  bool with_addends = o->tag[DT_PLTREL] == DT_RELA;
  if (!relatives_sound(o)) return "its relocations are damaged";
  bool sound = relas_sound(o, o->tag[DT_RELA], o->tag[DT_RELASZ], true) &&
               relas_sound(o, o->tag[DT_REL], o->tag[DT_RELSZ], false) &&
               relas_sound(o, o->tag[DT_JMPREL], o->tag[DT_PLTRELSZ], with_addends) &&
               relrs_sound(o);
  return sound ? NULL : "its relocations are damaged";
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Blocks of a file that were never written read as zeros. No compiler makes so many of them in a
 * row for a function. */
static bool has_hole(struct op2i_bytes file, uint64_t from, uint64_t size) {
  enum { BLOCK = 512 };
  static const unsigned char nothing[BLOCK];
  for (uint64_t at = (from + BLOCK - 1) / BLOCK * BLOCK; at + BLOCK <= from + size; at += BLOCK)
    if (memcmp(file.data + at, nothing, BLOCK) == 0) return true;
  return false;
}

static const char *sections_fault(const struct object *o) {
  const ElfW(Ehdr) *header = &o->header;
  if (header->e_shnum && header->e_shentsize != sizeof(ElfW(Shdr)))
    return "its sections are damaged";
  for (unsigned i = 0; i < header->e_shnum; i++) {
    ElfW(Shdr) s;
    memcpy(&s, o->file.data + header->e_shoff + i * sizeof s, sizeof s);
    if (s.sh_type == SHT_NULL || s.sh_type == SHT_NOBITS) continue;
    if (!inside(o->file, s.sh_offset, s.sh_size)) return cut_off;
    if ((s.sh_flags & SHF_EXECINSTR) && has_hole(o->file, s.sh_offset, s.sh_size))
      return "a part of its code is empty";
  }
  return NULL;
}

const char *op2i_image_fault(struct op2i_bytes image) {
  struct object o = {.file = image};
  const char *fault = header_fault(&o);
  if (!fault) fault = segments_fault(&o);
  if (!fault) fault = sections_fault(&o);
  if (!fault) fault = dynamic_fault(&o);
  if (!fault) fault = symbols_fault(&o);
  if (!fault) fault = versions_fault(&o);
  if (!fault) fault = relocations_fault(&o);
  return fault;
}
