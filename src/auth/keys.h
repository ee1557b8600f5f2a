// The access keys whose signatures are believed, wherever they are kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace partita::auth {

struct Account;
struct Identity;

struct AccessKey {
  std::string id;
  std::string secret;
  std::string session_token;               // that each request must carry; empty: none may
  std::string profile = {};                // of a file, that holds it
  const Identity* identity = nullptr;      // whose it is; null: it may do everything
  int64_t expires_ms = 0;                  // since 1970, by the clock of whoever gave it; 0: never
  std::shared_ptr<const void> keeps = {};  // what the identity is a part of
};

// Callable from any thread.
class Keys {
 public:
  virtual ~Keys() = default;

  // Null for a key that is not known, or that is no more. `session_token`: what the request carries, perhaps nothing: a
  // key that was given for a while is known by that alone.
  virtual std::shared_ptr<const AccessKey> find(std::string_view id, std::string_view session_token) const = 0;
  // Another number whenever find() may have another answer than before.
  virtual uint64_t revision() const = 0;
  // Now, by the clock that AccessKey::expires_ms is of.
  virtual int64_t now_ms() const = 0;
  virtual size_t size() const = 0;
  // Who there is, as it is known at this moment; null: there are keys and nobody whose they are.
  virtual std::shared_ptr<const Account> account() const { return nullptr; }
};

}  // namespace partita::auth
