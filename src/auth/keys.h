// The access keys that are accepted, wherever they are kept.
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
  std::string session_token;               // that each request must carry; empty: requests must carry none
  std::string profile = {};                // the profile of the file that has it
  const Identity* identity = nullptr;      // the owner; null: everything is allowed
  int64_t expires_ms = 0;                  // ms since 1970, by the clock of now_ms(); 0: never
  std::shared_ptr<const void> keeps = {};  // keeps alive what `identity` is a part of
};

// Callable from any thread.
class Keys {
 public:
  virtual ~Keys() = default;

  // Null if the key is unknown or no longer exists. `session_token`: the request's, perhaps empty. A temporary key is
  // identified by its token alone.
  virtual std::shared_ptr<const AccessKey> find(std::string_view id, std::string_view session_token) const = 0;
  // Changes whenever find() may return another result than before.
  virtual uint64_t revision() const = 0;
  // The current time, by the clock of AccessKey::expires_ms.
  virtual int64_t now_ms() const = 0;
  virtual size_t size() const = 0;
  // The account as currently known; null: the keys have no owners.
  virtual std::shared_ptr<const Account> account() const { return nullptr; }
};

}  // namespace partita::auth
