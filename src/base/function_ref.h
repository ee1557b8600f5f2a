// A non-owning reference to a callable, which costs nothing to make. For parameters.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace partita {

template <class Signature>
class FunctionRef;

// The callable must outlive it.
template <class R, class... Arguments>
class FunctionRef<R(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_invocable_r_v<R, Callable&, Arguments...>)
  FunctionRef(Callable& callable)  // NOLINT: implicit by intent
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* held, Arguments... arguments) -> R {
          return std::invoke(*static_cast<Callable*>(held), std::forward<Arguments>(arguments)...);
        }) {}

  R operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

 private:
  void* callable_;
  R (*call_)(void*, Arguments...);
};

}  // namespace partita
