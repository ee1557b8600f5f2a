#include "iam/directory.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "auth/policy.h"
#include "base/log.h"
#include "iam/rows.h"

namespace partita::iam {

namespace {

using auth::AccessKey;
using auth::Identity;
using auth::Session;
using KeyRef = std::shared_ptr<const AccessKey>;

// A session, with what it is made of.
struct SessionSigner {
  KnownRef known;
  KeyRef given_to;
  Identity identity;
  std::optional<auth::Policy> policy;
};

KnownRef known_of(table::AccountRows rows, const auth::Account* file) {
  auto known = std::make_shared<Known>();
  known->version = rows.version;
  known->account = account_of(rows.rows);
  if (file != nullptr) {
    std::string seal_key = std::move(known->account.seal_key);
    known->account = *file;
    known->account.seal_key = std::move(seal_key);
  }
  auto identities = auth::Identities::of(known->account, auth::Identities::OnBadPolicy::kDeny);
  if (!identities.ok()) {
    log(LogLevel::kError, {"The users of the store cannot be read: ", identities.error().sentence()});
    return known;
  }
  known->identities = std::move(identities).value();
  for (const auto& [name, user] : known->account.of(auth::PrincipalKind::kUser)) {
    for (const auth::UserKey& key : user->keys) {
      if (key.active) known->keys.emplace(key.id, Known::KeyOf{&key, known->identities.find(name)});
    }
  }
  return known;
}

}  // namespace

Directory::Directory(storage::Engine& engine, const Clock& clock, const auth::Credentials* credentials,
                     const auth::Account* account)
    : engine_(engine), clock_(clock), credentials_(credentials), file_(account), known_(known_of({}, account)) {}

KnownRef Directory::known() const {
  const MutexLock lock(mutex_);
  return known_;
}

std::shared_ptr<const auth::Account> Directory::account() const {
  const KnownRef now = known();
  return {now, &now->account};
}

size_t Directory::size() const { return known()->keys.size() + (credentials_ == nullptr ? 0 : credentials_->size()); }

Task<Result<void>> Directory::on_version(table::AccountVersion version) {
  if (version == known()->version) co_return Result<void>();
  co_return co_await read();
}

Task<Result<void>> Directory::look_again() {
  const std::vector<storage::Key> keys{table::account_version_key()};
  auto read = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  const auto version = records[0] ? table::AccountVersion(records[0]->version) : table::AccountVersion();
  co_return co_await on_version(version);
}

// Of two reads the one that began later is the newer one, whichever ends first.
Task<Result<void>> Directory::read() {
  const uint64_t number = reads_.fetch_add(1) + 1;
  auto rows = co_await table::read_account_rows(engine_);
  PARTITA_CO_TRY(table::AccountRows found, std::move(rows));
  Executor* const home = Executor::current();
  if (home != &aside_) co_await aside_.enter();
  take(known_of(std::move(found), file_), number);
  co_await SwitchTo{home};
  co_return Result<void>();
}

// An account that serving threads still used when it was replaced ends here too, at a later change: to take one with
// many policies apart takes as long as a request.
void Directory::take(KnownRef made, uint64_t number) {
  std::vector<KnownRef> unused;
  const MutexLock lock(mutex_);
  if (number < newest_read_) return;
  newest_read_ = number;
  replaced_.push_back(std::exchange(known_, std::move(made)));
  revision_.fetch_add(1, std::memory_order_release);
  const auto used = std::ranges::partition(replaced_, [](const KnownRef& one) { return one.use_count() > 1; });
  unused.assign(std::make_move_iterator(used.begin()), std::make_move_iterator(used.end()));
  replaced_.erase(used.begin(), used.end());
}

Task<Result<bool>> Directory::commit(KnownRef before, const auth::Account& after) {
  std::vector<table::AccountChange> changes = changes_between(before->account, after);
  if (changes.empty()) co_return true;
  PARTITA_CO_TRY(const bool done, co_await table::change_account_rows(engine_, before->version, std::move(changes)));
  PARTITA_CO_TRY_VOID(co_await read());
  co_return done;
}

KeyRef Directory::key_of(const KnownRef& known, std::string_view id) const {
  if (credentials_ != nullptr) {
    if (KeyRef of_file = credentials_->find(id, {})) return of_file;
  }
  const auto found = known->keys.find(id);
  if (found == known->keys.end()) return nullptr;
  AccessKey key;
  key.id = id;
  key.secret = found->second.key->secret;
  key.identity = found->second.identity;
  key.keeps = known;
  return std::make_shared<const AccessKey>(std::move(key));
}

// A session is valid only as long as its user or role.
KeyRef Directory::key_of(KnownRef known, Session session, std::string_view token) const {
  auto held = std::make_shared<SessionSigner>();
  const Identity* whose = nullptr;
  if (session.of == Session::Of::kRole) {
    whose = known->identities.find_role(session.name);
    if (whose == nullptr || whose->id != session.id) return nullptr;
  } else {
    held->given_to = key_of(known, session.given_to);
    if (held->given_to == nullptr) return nullptr;
    whose = held->given_to->identity;
    if ((session.of == Session::Of::kRoot) != (whose == nullptr)) return nullptr;
    if (whose != nullptr && whose->id != session.id) return nullptr;
  }
  AccessKey key;
  key.id = std::move(session.key_id);
  key.secret = std::move(session.secret);
  key.session_token = token;
  key.expires_ms = session.expires_ms;
  if (whose != nullptr) {
    held->identity = *whose;
    held->identity.issued_ms = session.issued_ms;
    if (session.of == Session::Of::kRole) {
      held->identity.arn =
          "arn:aws:sts::" + std::string(auth::kAccountId) + ":assumed-role/" + session.name + "/" + session.session;
      held->identity.id += ":" + session.session;
    }
    if (!session.policy.empty()) {
      auto policy = auth::Policy::parse(session.policy, auth::Policy::Use::kIdentity);
      if (!policy.ok()) return nullptr;  // of a server that reads more in policies
      held->policy = std::move(policy).value();
      held->identity.session = &*held->policy;
    }
    key.identity = &held->identity;
  }
  held->known = std::move(known);
  key.keeps = std::move(held);
  return std::make_shared<const AccessKey>(std::move(key));
}

KeyRef Directory::find(std::string_view id, std::string_view session_token) const {
  KnownRef now = known();
  if (KeyRef key = key_of(now, id)) return key;
  if (!id.starts_with(auth::kSessionKeyPrefix) || session_token.empty() || now->account.seal_key.empty()) {
    return nullptr;
  }
  auto session = auth::session_of(session_token, now->account.seal_key);
  if (!session || session->key_id != id) return nullptr;
  return key_of(std::move(now), std::move(*session), session_token);
}

}  // namespace partita::iam
