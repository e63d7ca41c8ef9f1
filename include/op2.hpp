/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OP2_HPP
#define OP2_HPP

#include <op2.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/** @file op2.hpp
 * The library in C++17. Classes own the handles of the C interface, arguments of loops are named by
 * their access mode, types of values are found by the compiler, and failures are exceptions:
 *
 *     op2::context ctx;
 *     op2::set cells(ctx, ncells, "cells"), edges(ctx, nedges, "edges");
 *     op2::map sides(edges, cells, 2, entries, "sides");
 *     op2::dat<double> x(cells, 1, values, "x"), flux(cells, 1, "flux");
 *     op2::kernel add(ctx, "add", "void add(const double *a, double *b) { *b += *a; }");
 *     op2::par_loop(add, edges, op2::read(x, sides, 0), op2::inc(flux, sides, 1));
 *     std::vector<double> result = flux.values();
 *
 * get() of an object is the handle for the C interface, which has all that is not here; what it
 * says of synchronisation, ranks and errors holds here as well. Objects are moved, not copied, and
 * are destroyed before their context, as objects are that are declared after it.
 *
 * Constructors and functions throw op2::error. A program that wants statuses in place of exceptions
 * declares objects without arguments and calls create(), which takes those of the constructor and
 * returns the status, and takes functions from the namespace op2::status, which return it too. It
 * can be compiled with -fno-exceptions; a failure elsewhere then ends it with the message. */

namespace op2 {

/** A failure, as op2_error_get() describes it. */
class error : public std::runtime_error {
public:
  explicit error(const op2_error &what)
      : std::runtime_error(what.message), status_(what.status), argument_(what.argument),
        object_(what.object ? what.object : "") {}
  op2_status status() const noexcept { return status_; }
  /** Which argument of a loop was wrong, from 0; -1: none. */
  int argument() const noexcept { return argument_; }
  /** The name of the object that was wrong; empty: not known. */
  const std::string &object() const noexcept { return object_; }

private:
  op2_status status_;
  int argument_;
  std::string object_;
};

namespace detail {
[[noreturn]] inline void fail(const op2_error &what) {
#if defined __cpp_exceptions
  throw error(what);
#else
  std::fprintf(stderr, "op2: %s: %s\n", op2_status_name(what.status), what.message);
  std::abort();
#endif
}

inline void check_size(const char *call, std::size_t size, std::size_t wanted) {
  if (size == wanted) return;
  const std::string message = std::string(call) + ": " + std::to_string(size) + " values, and " +
                              std::to_string(wanted) + " are needed";
  op2_error what = {};
  what.status = OP2_ERR_RANGE;
  what.message = message.c_str();
  what.argument = -1;
  fail(what);
}
} // namespace detail

/** Throw an error if a call of the C interface failed. */
inline void check(op2_status status) {
  if (status == OP2_SUCCESS) return;
  op2_error what;
  op2_error_get(&what);
  detail::fail(what);
}

/** The op2_type of a C++ type: double, float, and integers by their size and sign. */
template <class T> constexpr op2_type type_of() {
  static_assert(std::is_same<T, double>::value || std::is_same<T, float>::value ||
                    (std::is_integral<T>::value && sizeof(T) <= 8),
                "values are double, float, or integers of 1 to 8 bytes");
  if (std::is_same<T, double>::value) return OP2_F64;
  if (std::is_same<T, float>::value) return OP2_F32;
  const int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<op2_type>((std::is_signed<T>::value ? OP2_I8 : OP2_U8) + width);
}

/* ---- handles --------------------------------------------------------------------------------- */

/** What all classes share: a handle that is destroyed with the object. */
template <class Handle, void (*Destroy)(Handle *)> class owner {
public:
  owner() = default;
  owner(const owner &) = delete;
  owner &operator=(const owner &) = delete;
  owner(owner &&other) noexcept : handle_(other.release()) {}
  owner &operator=(owner &&other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~owner() { reset(); }

  /** The handle, which this object keeps. */
  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /** The handle, which is the caller's from now on. */
  Handle release() noexcept { return std::exchange(handle_, nullptr); }
  /** Destroy the handle, and own another one. */
  void reset(Handle handle = nullptr) noexcept {
    if (handle_) Destroy(&handle_);
    handle_ = handle;
  }

protected:
  /** Where a function of the C interface writes a new handle. */
  Handle *fill() noexcept {
    reset();
    return &handle_;
  }

private:
  Handle handle_ = nullptr;
};

namespace detail {
inline void finalize(op2_context *ctx) {
  if (op2_finalize(ctx) != OP2_SUCCESS)
    std::fprintf(stderr, "op2: op2_finalize: %s\n", op2_error_message());
}
} // namespace detail

/** A context. Its destructor writes failures of loops that ran last to stderr; finalize() throws. */
class context : public owner<op2_context, detail::finalize> {
public:
  /** By the environment alone, as op2_init(NULL). */
  context() { check(create()); }
  explicit context(const op2_options &options) { check(create(options)); }
  /** Without a context yet: create() makes it. */
  explicit context(std::nullptr_t) {}
  op2_status create() { return op2_init(nullptr, fill()); }
  op2_status create(const op2_options &options) { return op2_init(&options, fill()); }
  /** Run what is queued, and end the context. */
  void finalize() {
    op2_context ctx = release();
    check(op2_finalize(&ctx));
  }
  /** Run what is queued. */
  void flush() const { check(op2_flush(get())); }
};

/** A set or subset of elements. */
class set : public owner<op2_set, op2_set_destroy> {
public:
  set() = default;
  set(const context &ctx, std::int64_t size, const char *name) { check(create(ctx, size, name)); }
  op2_status create(const context &ctx, std::int64_t size, const char *name) {
    return op2_set_create(ctx.get(), size, name, fill());
  }
  /** A subset: `indices` are elements of `parent` in ascending order. */
  set(const set &parent, const std::vector<std::int64_t> &indices, const char *name) {
    check(create(parent, indices, name));
  }
  op2_status create(const set &parent, const std::vector<std::int64_t> &indices, const char *name) {
    return op2_subset_create(parent.get(), static_cast<std::int64_t>(indices.size()),
                             indices.data(), name, fill());
  }
  /** The set of one element that all ranks share. */
  static set single(const context &ctx, const char *name) {
    set made;
    check(made.create_single(ctx, name));
    return made;
  }
  op2_status create_single(const context &ctx, const char *name) {
    return op2_set_create_single(ctx.get(), name, fill());
  }
  /** The number of own elements. */
  std::int64_t size() const { return op2_set_size(get()); }
};

/** A map: `arity` elements of the second set for each element of the first. */
class map : public owner<op2_map, op2_map_destroy> {
public:
  map() = default;
  map(const set &from, const set &to, int arity, const std::int32_t *entries, const char *name) {
    check(create(from, to, arity, entries, name));
  }
  op2_status create(const set &from, const set &to, int arity, const std::int32_t *entries,
                    const char *name) {
    return op2_map_create(from.get(), to.get(), arity, entries, name, fill());
  }
};

/* ---- data ------------------------------------------------------------------------------------ */

/** Values of a dat while an access scope is open, which ends with this object. */
template <class T> class view {
public:
  view(const view &) = delete;
  view &operator=(const view &) = delete;
  view(view &&other) noexcept
      : dat_(other.dat_), data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  ~view() { (void)close(); }

  T *data() const noexcept { return data_; }
  /** The number of values: own elements times components. Halo elements follow them. */
  std::size_t size() const noexcept { return size_; }
  T *begin() const noexcept { return data_; }
  T *end() const noexcept { return data_ + size_; }
  T &operator[](std::size_t i) const noexcept { return data_[i]; }
  /** End the scope now. */
  op2_status close() noexcept {
    T *data = std::exchange(data_, nullptr);
    return data ? finish(dat_, data) : OP2_SUCCESS;
  }

private:
  template <class> friend class dat;
  using plain = typename std::remove_const<T>::type;
  view(op2_dat dat, std::size_t size) : dat_(dat), data_(nullptr), size_(size) {
    start(dat, &data_);
  }
  static void start(op2_dat dat, const plain **data) {
    const void *values = nullptr;
    check(op2_dat_read_begin(dat, &values));
    *data = static_cast<const plain *>(values);
  }
  static void start(op2_dat dat, plain **data) {
    void *values = nullptr;
    check(op2_dat_write_begin(dat, &values));
    *data = static_cast<plain *>(values);
  }
  static op2_status finish(op2_dat dat, const plain *data) {
    const void *values = data;
    return op2_dat_read_end(dat, &values);
  }
  static op2_status finish(op2_dat dat, plain *data) {
    void *values = data;
    return op2_dat_write_end(dat, &values);
  }
  op2_dat dat_;
  T *data_;
  std::size_t size_;
};

/** Values of type T, `dim` for each element of a set. */
template <class T> class dat : public owner<op2_dat, op2_dat_destroy> {
public:
  dat() = default;
  /** With zeros. */
  dat(const set &on, int dim, const char *name) { check(create(on, dim, name)); }
  op2_status create(const set &on, int dim, const char *name) {
    return create(on, dim, static_cast<const T *>(nullptr), name);
  }
  /** With a copy of `values`; zeros if that is null. */
  dat(const set &on, int dim, const T *values, const char *name) {
    check(create(on, dim, values, name));
  }
  op2_status create(const set &on, int dim, const T *values, const char *name) {
    set_ = on.get();
    dim_ = dim;
    return op2_dat_create(set_, dim, type_of<T>(), values, name, fill());
  }
  int dim() const noexcept { return dim_; }
  /** The number of own values. */
  std::size_t size() const {
    return static_cast<std::size_t>(op2_set_size(set_)) * static_cast<std::size_t>(dim_);
  }
  /** A scope for reading, and one for reading and writing, in place. */
  view<const T> read() const { return view<const T>(get(), size()); }
  view<T> write() { return view<T>(get(), size()); }
  /** A copy of the own values. */
  std::vector<T> values() const {
    std::vector<T> copy(size());
    check(op2_dat_get(get(), copy.data()));
    return copy;
  }
  /** Replace the own values. */
  void assign(const std::vector<T> &values) {
    detail::check_size("op2::dat::assign", values.size(), size());
    check(op2_dat_set(get(), values.data()));
  }

private:
  op2_set set_ = nullptr;
  int dim_ = 0;
};

/** `dim` values of type T that do not belong to an element. */
template <class T> class gbl : public owner<op2_gbl, op2_gbl_destroy> {
public:
  gbl() = default;
  /** One value. */
  gbl(const context &ctx, T value, const char *name) { check(create(ctx, value, name)); }
  op2_status create(const context &ctx, T value, const char *name) {
    return create(ctx, 1, &value, name);
  }
  /** With a copy of `values`; zeros if that is null. */
  gbl(const context &ctx, int dim, const T *values, const char *name) {
    check(create(ctx, dim, values, name));
  }
  op2_status create(const context &ctx, int dim, const T *values, const char *name) {
    dim_ = dim;
    return op2_gbl_create(ctx.get(), dim, type_of<T>(), values, name, fill());
  }
  int dim() const noexcept { return dim_; }
  /** The first value, after what is queued has computed it. */
  T value() const {
    if (dim_ != 1) return values()[0];
    T one;
    check(op2_gbl_get(get(), &one));
    return one;
  }
  std::vector<T> values() const {
    std::vector<T> copy(static_cast<std::size_t>(dim_));
    check(op2_gbl_get(get(), copy.data()));
    return copy;
  }
  void assign(const std::vector<T> &values) {
    detail::check_size("op2::gbl::assign", values.size(), static_cast<std::size_t>(dim_));
    check(op2_gbl_set(get(), values.data()));
  }
  void assign(T value) {
    detail::check_size("op2::gbl::assign", 1, static_cast<std::size_t>(dim_));
    check(op2_gbl_set(get(), &value));
  }

private:
  int dim_ = 0;
};

/** A constant, which kernels see as a variable of this name. */
template <class T> class constant : public owner<op2_const, op2_const_destroy> {
public:
  constant() = default;
  constant(const context &ctx, T value, const char *name) { check(create(ctx, 1, &value, name)); }
  constant(const context &ctx, int dim, const T *values, const char *name) {
    check(create(ctx, dim, values, name));
  }
  op2_status create(const context &ctx, int dim, const T *values, const char *name) {
    dim_ = dim;
    return op2_const_create(ctx.get(), dim, type_of<T>(), values, name, fill());
  }
  void assign(const std::vector<T> &values) {
    detail::check_size("op2::constant::assign", values.size(), static_cast<std::size_t>(dim_));
    check(op2_const_set(get(), values.data()));
  }

private:
  int dim_ = 0;
};

/* ---- kernels --------------------------------------------------------------------------------- */

/** A lambda without captures, and its text; made by OP2_LAMBDA(). */
template <class... P> struct lambda {
  const char *params;
  const char *body;
  const char *file;
  int line;
  void (*function)(P...);
};

namespace detail {
template <class... P>
lambda<P...> with_text(const char *params, const char *body, const char *file, int line,
                       void (*function)(P...)) {
  return {params, body, file, line, function};
}

/* The type that a parameter points to, or has, as C calls it. What is neither a number nor a pointer
 * to numbers is for op2_arg_opaque(), and C need not know what it points to. */
template <class T> std::string c_name() {
  if constexpr (std::is_const<T>::value) {
    return "const " + c_name<typename std::remove_const<T>::type>();
  } else if constexpr (std::is_floating_point<T>::value || std::is_integral<T>::value) {
    constexpr op2_type type = type_of<T>();
    if constexpr (type == OP2_F64 || type == OP2_F32) return type == OP2_F64 ? "double" : "float";
    return (std::is_signed<T>::value ? "int" : "uint") + std::to_string(8 * sizeof(T)) + "_t";
  } else {
    return "void";
  }
}

/* A parameter of a function: a number, a pointer, or an array of pointers, for all slots of a map. */
template <class P> std::string c_parameter() {
  static_assert(std::is_pointer<P>::value || std::is_arithmetic<P>::value,
                "parameters of kernels are pointers and numbers");
  using target = typename std::remove_pointer<P>::type;
  if constexpr (!std::is_pointer<P>::value)
    return c_name<typename std::remove_const<P>::type>();
  else if constexpr (std::is_pointer<target>::value)
    return c_name<typename std::remove_pointer<target>::type>() + " **";
  else
    return c_name<target>() + " *";
}

/* What declares a function of this type in C. */
template <class... P> std::string c_declaration(const char *name, void (*)(P...)) {
  std::string text, comma;
  ((text += comma + c_parameter<P>(), comma = ", "), ...);
  return std::string("void ") + name + "(" + text + ")";
}

/* A function, or a lambda without captures, which a plus makes a pointer. */
template <class F> using pointer = decltype(+std::declval<F>());
template <class F>
using only_function = typename std::enable_if<
    std::is_function<typename std::remove_pointer<pointer<F>>::type>::value>::type;
} // namespace detail

/** A lambda without captures that the library also has as text, for op2::kernel. `params_` are its
 * parameters in parentheses, and the body in braces follows. As with OP2_KERNEL() the body is C that
 * C++ understands, too: the program's compiler checks it, and the library compiles it once more, as
 * vector code. Constants need a variable of the same name outside of functions.
 *
 *     op2::kernel add(ctx, "add", OP2_LAMBDA((const double *a, double *b), { *b += *a; })); */
#define OP2_LAMBDA(params_, ...)                                                                   \
  op2::detail::with_text(#params_, #__VA_ARGS__, __FILE__, __LINE__,                               \
                         +[] params_ -> void __VA_ARGS__)

/** @cond
 * What libop2-compat makes of a lambda or a function whose text op2-c++ has stored: a kernel that is
 * chosen by its first loop. */
extern "C" {
struct op2_compat_choice {
  op2_status (*choose)(op2_compat_choice *choice, op2_set set, int nargs, const op2_arg *args,
                       op2_kernel *kernel);
  void (*destroy)(op2_compat_choice *choice);
  op2_kernel address;
};
struct op2_compat_stored {
  const char *text;
  void (*(*copies)(const char *kernel))();
  void (*call)(void (*function)(), void *const *values);
};
op2_status op2_compat_choice_create(op2_context ctx, const op2_compat_stored *stored,
                                    const op2_kernel_desc *desc, op2_kernel *kernel,
                                    op2_compat_choice **choice);
}

namespace detail {
/* What op2-c++ has stored of the unit that includes this file, and the function above, or null in a
 * unit that is compiled without the flags of libop2-compat. */
struct unit {
  const char *text;
  void (*(*copies)(const char *kernel))();
  decltype(&op2_compat_choice_create) choose;
};
#ifndef OP2_COMPAT_TEXT
#define OP2_HPP_UNIT_ nullptr, nullptr, nullptr
#elif !__has_include("op2_compat.h")
#define OP2_HPP_UNIT_ OP2_COMPAT_TEXT, nullptr, nullptr
#elif defined OP2_COMPAT_COPIES
#define OP2_HPP_UNIT_ OP2_COMPAT_TEXT, OP2_COMPAT_COPIES, op2_compat_choice_create
#else
#define OP2_HPP_UNIT_ OP2_COMPAT_TEXT, nullptr, op2_compat_choice_create
#endif
__attribute__((unused)) static const unit this_unit = {OP2_HPP_UNIT_};
#undef OP2_HPP_UNIT_

inline void destroy_choice(op2_compat_choice **choice) { (*choice)->destroy(*choice); }
class choice : public owner<op2_compat_choice *, destroy_choice> {
public:
  op2_compat_choice **fill() noexcept { return owner::fill(); }
};

template <class P> P passed(void *value) {
  if constexpr (std::is_pointer<P>::value)
    return static_cast<P>(value);
  else
    return *static_cast<const typename std::remove_const<P>::type *>(value);
}

/* Calls a function of any type with pointers to values. */
template <class... P> struct caller {
  template <std::size_t... I>
  static void pass(void (*function)(P...), [[maybe_unused]] void *const *values,
                   std::index_sequence<I...>) {
    function(passed<P>(values[I])...);
  }
  static void call(void (*function)(), void *const *values) {
    pass(reinterpret_cast<void (*)(P...)>(function), values,
         std::make_index_sequence<sizeof...(P)>());
  }
};
template <class... P> void (*call_of(void (*)(P...)))(void (*)(), void *const *) {
  return caller<P...>::call;
}
} // namespace detail
/** @endcond */

/** A kernel, given by its text in C, by a lambda with its text, or by a function. */
class kernel : public owner<op2_kernel, op2_kernel_destroy> {
public:
  kernel() = default;
  kernel(const context &ctx, const op2_kernel_desc &desc) { check(create(ctx, desc)); }
  op2_status create(const context &ctx, const op2_kernel_desc &desc) {
    return op2_kernel_create(ctx.get(), &desc, fill());
  }
  /** `source` has the function `name`. */
  kernel(const context &ctx, const char *name, const char *source) {
    check(create(ctx, name, source));
  }
  op2_status create(const context &ctx, const char *name, const char *source) {
    op2_kernel_desc desc = {};
    desc.name = name;
    desc.source = source;
    return create(ctx, desc);
  }
  /** The text of OP2_LAMBDA(). */
  template <class... P> kernel(const context &ctx, const char *name, const lambda<P...> &text) {
    check(create(ctx, name, text));
  }
  template <class... P>
  op2_status create(const context &ctx, const char *name, const lambda<P...> &text) {
    const std::string source = std::string("void ") + name + text.params + " " + text.body + "\n";
    op2_kernel_desc desc = {};
    desc.name = name;
    desc.source = source.c_str();
    desc.file = text.file;
    desc.line = text.line;
    return create(ctx, desc);
  }
  /** Any lambda without captures, or function, which may use all of C++ but must not throw. It is
   * called by its address, as scalar code on the host ("Kernels by address" in op2/loop.h). In a
   * program that is compiled by op2-c++ and linked with libop2-compat its text is taken where that
   * can be turned into C and computes the same as the function on some elements of the first loop
   * over a whole set, for which that loop runs what is queued (doc/from-op2.md). op2_explain() says
   * which it is, and why. get() is the kernel by address. The last parameter is the library's own. */
  template <class F, class = detail::only_function<F>>
  kernel(const context &ctx, const char *name, F function, op2_threads threads = OP2_ONE_THREAD,
         const detail::unit &of = detail::this_unit) {
    check(create(ctx, name, function, threads, of));
  }
  template <class F, class = detail::only_function<F>>
  op2_status create(const context &ctx, const char *name, F function,
                    op2_threads threads = OP2_ONE_THREAD,
                    const detail::unit &of = detail::this_unit) {
    const std::string source = detail::c_declaration(name, +function);
    op2_kernel_desc desc = {};
    desc.name = name;
    desc.source = source.c_str();
    desc.threads = threads;
    desc.function = reinterpret_cast<op2_function>(+function);
    choice_.reset();
    if (of.text && of.choose) {
      const op2_compat_stored stored = {of.text, of.copies, detail::call_of(+function)};
      return of.choose(ctx.get(), &stored, &desc, fill(), choice_.fill());
    }
    desc.remark = of.text ? "called by its address: compiled without the flags of libop2-compat"
                          : "called by its address: op2-c++ has not compiled the program, so that "
                            "it has no text";
    return create(ctx, desc);
  }
  /** What chooses between text and address; null: nothing does. */
  op2_compat_choice *choice() const noexcept {
    return choice_ && choice_.get()->address == get() ? choice_.get() : nullptr;
  }

private:
  detail::choice choice_;
};

/* ---- loops ----------------------------------------------------------------------------------- */

/** In place of a slot: all slots of a map, as an array of pointers or packed into one buffer. */
constexpr int all = OP2_ALL, packed = OP2_PACKED;

namespace detail {
template <class T> op2_arg arg(const dat<T> &x, op2_access access) {
  return op2_arg_direct(x.get(), access);
}
template <class T> op2_arg arg(const dat<T> &x, const map &through, int slot, op2_access access) {
  return op2_arg_dat(x.get(), slot, through.get(), access);
}
template <class T> op2_arg arg(const gbl<T> &x, op2_access access) {
  return op2_arg_gbl(x.get(), access);
}
} // namespace detail

/* For each access mode: the element's own values, or those of a global; and what a map leads to. */
#define OP2_HPP_ACCESS_(name_, access_)                                                            \
  template <class X> op2_arg name_(const X &x) { return detail::arg(x, access_); }                 \
  template <class T> op2_arg name_(const dat<T> &x, const map &through, int slot = all) {          \
    return detail::arg(x, through, slot, access_);                                                 \
  }
OP2_HPP_ACCESS_(read, OP2_READ)
OP2_HPP_ACCESS_(write, OP2_WRITE)
OP2_HPP_ACCESS_(rw, OP2_RW)
OP2_HPP_ACCESS_(inc, OP2_INC)
OP2_HPP_ACCESS_(min, OP2_MIN)
OP2_HPP_ACCESS_(max, OP2_MAX)
#undef OP2_HPP_ACCESS_

/** What belongs to the element that argument `reduction` of the loop finds. */
template <class T> op2_arg info(const gbl<T> &x, int reduction) {
  return op2_arg_info(x.get(), reduction);
}
/** A value, or `dim` values, captured when the loop is queued. */
template <class T> op2_arg value(const T &v) { return op2_arg_val(&v, 1, type_of<T>()); }
template <class T> op2_arg value(const T *v, int dim) { return op2_arg_val(v, dim, type_of<T>()); }
/** `dim` values for a call of the kernel to work with; they are not set before, and not kept. */
template <class T> op2_arg work(int dim) { return op2_arg_work(dim, type_of<T>()); }
/** The number of the element, and of what a slot of a map leads to. */
inline op2_arg index() { return op2_arg_idx(); }
inline op2_arg index(const map &through, int slot = all) {
  return op2_arg_map_idx(through.get(), slot);
}

/** A kernel, and where the program calls for it: made from the kernel given to par_loop(). */
struct kernel_at {
  kernel_at(const kernel &k, const char *file = __builtin_FILE(), int line = __builtin_LINE())
      : handle(k.get()), choice(k.choice()), place{file, line} {}
  op2_kernel handle;
  op2_compat_choice *choice;
  op2_where place;
};

namespace status {
/** Queue a loop; see op2_par_loop_at(). */
template <class... Args> op2_status par_loop(kernel_at k, const set &over, const Args &...args) {
  const op2_arg list[] = {args..., op2_arg()};
  const int count = static_cast<int>(sizeof...(args));
  op2_kernel chosen = k.handle;
  if (k.choice) {
    const op2_status status = k.choice->choose(k.choice, over.get(), count, list, &chosen);
    if (status != OP2_SUCCESS) return status;
  }
  return op2_par_loop_at(k.place, chosen, over.get(), count, list);
}
inline op2_status flush(const context &ctx) { return op2_flush(ctx.get()); }
} // namespace status

template <class... Args> void par_loop(kernel_at k, const set &over, const Args &...args) {
  check(status::par_loop(k, over, args...));
}

} // namespace op2

#endif
