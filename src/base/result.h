// A value or an Error. Ignoring a Result is a compile error, and so is storing one without reading it.
//
//   Result<Number> parse(std::string_view text);
//
//   Result<Number> sum(std::string_view a, std::string_view b) {
//     PARTITA_TRY(Number x, parse(a));
//     PARTITA_TRY(Number y, parse(b));
//     return x.add(y);
//   }
//
// In a coroutine, use PARTITA_CO_TRY.
#pragma once

#include <expected>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace partita {

template <class T = void>
class [[nodiscard, gnu::warn_unused]] Result {
 public:
  using Value = T;

  template <class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
             std::is_constructible_v<T, U &&>)
  Result(U&& value) : held_(std::in_place, std::forward<U>(value)) {}  // NOLINT: implicit by intent
  Result(Error error) : held_(std::unexpect, std::move(error)) {}      // NOLINT: implicit by intent

  bool ok() const { return held_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  T& value() & { return PARTITA_CHECK(ok()), *held_; }
  const T& value() const& { return PARTITA_CHECK(ok()), *held_; }
  T&& value() && { return PARTITA_CHECK(ok()), std::move(*held_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Precondition: !ok().
  const Error& error() const& { return PARTITA_CHECK(!ok()), held_.error(); }
  Error&& error() && { return PARTITA_CHECK(!ok()), std::move(held_).error(); }

 private:
  std::expected<T, Error> held_;
};

template <>
class [[nodiscard, gnu::warn_unused]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Error error) : held_(std::unexpect, std::move(error)) {}  // NOLINT: implicit by intent

  bool ok() const { return held_.has_value(); }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  void value() const { PARTITA_CHECK(ok()); }

  // Precondition: !ok().
  const Error& error() const& { return PARTITA_CHECK(!ok()), held_.error(); }
  Error&& error() && { return PARTITA_CHECK(!ok()), std::move(held_).error(); }

 private:
  std::expected<void, Error> held_;
};

}  // namespace partita

#define PARTITA_CONCAT_INNER(a, b) a##b
#define PARTITA_CONCAT(a, b) PARTITA_CONCAT_INNER(a, b)

#define PARTITA_TRY_INNER(temp, leave, declaration, ...) \
  auto temp = (__VA_ARGS__);                             \
  if (!temp.ok()) leave std::move(temp).error();         \
  declaration = std::move(temp).value()

// PARTITA_TRY(declaration, expression): initialises the declaration with the value, or returns the error.
#define PARTITA_TRY(declaration, ...) \
  PARTITA_TRY_INNER(PARTITA_CONCAT(try_, __LINE__), return, declaration, __VA_ARGS__)
#define PARTITA_CO_TRY(declaration, ...) \
  PARTITA_TRY_INNER(PARTITA_CONCAT(try_, __LINE__), co_return, declaration, __VA_ARGS__)

// PARTITA_TRY_VOID(expression): for a Result<void>, or to ignore the value.
#define PARTITA_TRY_VOID(...)                                \
  do {                                                       \
    if (auto try_result = (__VA_ARGS__); !try_result.ok()) { \
      return std::move(try_result).error();                  \
    }                                                        \
  } while (false)
#define PARTITA_CO_TRY_VOID(...)                                   \
  do {                                                             \
    auto try_result = (__VA_ARGS__);                               \
    if (!try_result.ok()) co_return std::move(try_result).error(); \
  } while (false)
