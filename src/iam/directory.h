// Who there is: users, groups, roles and policies of the store, and the access keys of a file. What is known of the
// store is late by about a second at most, as the catalogue is; a request is judged by it without asking anybody.
//
// The account is in one place: in the store, or, when a file of identities is given, in that file, and then the store's
// does not count. The keys of a file of credentials are believed in either case.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "auth/account.h"
#include "auth/credentials.h"
#include "auth/identities.h"
#include "auth/session.h"
#include "base/async_mutex.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "storage/engine.h"
#include "table/rows/account_rows.h"

namespace partita::iam {

// The account as it was at one moment. Immutable.
struct Known {
  struct KeyOf {
    const auth::UserKey* key;
    const auth::Identity* identity;
  };
  table::AccountVersion version;
  auth::Account account;
  auth::Identities identities;
  std::map<std::string, KeyOf, std::less<>> keys;  // those that are active
};
using KnownRef = std::shared_ptr<const Known>;

// Callable from any thread.
class Directory final : public auth::Keys, public table::AccountFollower {
 public:
  // All outlive it; null: there is no such file. The clock is that of temporary credentials.
  Directory(storage::Engine& engine, const Clock& clock, const auth::Credentials* credentials = nullptr,
            const auth::Account* account = nullptr);

  std::shared_ptr<const auth::AccessKey> find(std::string_view id, std::string_view session_token) const override;
  uint64_t revision() const override { return revision_.load(std::memory_order_acquire); }
  int64_t now_ms() const override { return clock_.now_ms(); }
  size_t size() const override;
  std::shared_ptr<const auth::Account> account() const override;

  Task<Result<void>> heard(table::AccountVersion version) override;

  KnownRef known() const;
  // Reads the store if it changed.
  Task<Result<void>> look_again();
  // Makes the store's account `after`. False: it is not as it was `before` any more, and nothing happened.
  Task<Result<bool>> commit(KnownRef before, const auth::Account& after);
  // Whoever changes them through this server goes one behind the other, and loses against other servers at most.
  AsyncMutex& writers() { return writers_; }
  // Where accounts are changed, read out and compiled: with many policies that takes milliseconds.
  Workers& aside() { return aside_; }
  // Whether users are in a file, so that nothing of them can be changed.
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
  mutable std::mutex mutex_;
  KnownRef known_;
  std::vector<KnownRef> replaced_;  // that were known before, and may still be in use
  uint64_t newest_read_ = 0;        // that known_ is of
};

}  // namespace partita::iam
