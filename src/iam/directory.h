// The known account: users, groups, roles and policies of the store, and the access keys of a file. It is at most about
// a second behind the store, like the catalogue. Requests are authorised from it without I/O.
//
// There is one source of accounts: the store, or a file of identities if one is given; the store's account is then
// ignored. Keys of a credentials file are accepted in either case.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/account.h"
#include "auth/credentials.h"
#include "auth/identities.h"
#include "auth/session.h"
#include "base/async_mutex.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "storage/engine.h"
#include "table/rows/account_rows.h"

namespace partita::iam {

// The account at one moment. Immutable.
struct Known {
  struct KeyOf {
    const auth::UserKey* key;
    const auth::Identity* identity;
  };
  table::AccountVersion version;
  auth::Account account;
  auth::Identities identities;
  std::map<std::string, KeyOf, std::less<>> keys;  // active ones only
};
using KnownRef = std::shared_ptr<const Known>;

// Callable from any thread.
class Directory final : public auth::Keys, public table::AccountFollower {
 public:
  // All arguments must outlive it. Null: there is no such file. The clock is that of temporary credentials.
  Directory(storage::Engine& engine, const Clock& clock, const auth::Credentials* credentials = nullptr,
            const auth::Account* account = nullptr);

  std::shared_ptr<const auth::AccessKey> find(std::string_view id, std::string_view session_token) const override;
  uint64_t revision() const override { return revision_.load(std::memory_order_acquire); }
  int64_t now_ms() const override { return clock_.now_ms(); }
  size_t size() const override;
  std::shared_ptr<const auth::Account> account() const override;

  Task<Result<void>> on_version(table::AccountVersion version) override;

  KnownRef known() const;
  // Reads the store if it has changed.
  Task<Result<void>> look_again();
  // Replaces the store's account `before` with `after`. False, and nothing changed, if the account is no longer
  // `before`.
  Task<Result<bool>> commit(KnownRef before, const auth::Account& after);
  // Serialises changes by this server, so that they conflict only with other servers' changes.
  AsyncMutex& writers() { return writers_; }
  // A thread for changing, listing and compiling accounts, which takes milliseconds if there are many policies.
  Workers& aside() { return aside_; }
  // Whether users are in a file, so that none can be changed.
  bool is_of_file() const { return file_ != nullptr; }

 private:
  Task<Result<void>> read();
  void take(KnownRef made, uint64_t number);
  std::shared_ptr<const auth::AccessKey> key_of(const KnownRef& known, std::string_view id) const;
  std::shared_ptr<const auth::AccessKey> key_of(KnownRef known, auth::Session session, std::string_view token) const;

  storage::Engine& engine_;
  const Clock& clock_;
  const auth::Credentials* const credentials_;
  const auth::Account* const file_;
  AsyncMutex writers_;
  Workers aside_{1};
  std::atomic<uint64_t> revision_{1};
  std::atomic<uint64_t> reads_{0};
  mutable Mutex mutex_;
  KnownRef known_ PARTITA_GUARDED_BY(mutex_);
  std::vector<KnownRef> replaced_ PARTITA_GUARDED_BY(mutex_);  // earlier ones that may still be in use
  uint64_t newest_read_ PARTITA_GUARDED_BY(mutex_) = 0;        // the read that known_ is from
};

}  // namespace partita::iam
