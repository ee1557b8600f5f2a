#include "namespaces/namespaces.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/blocking_scope.h"
#include "base/log.h"
#include "base/thread.h"
#include "engines/memory/memory_engine.h"
#include "model/aside_fault.h"
#include "model/fault.h"
#include "table/maintenance/namespaces.h"
#include "table/maintenance/seed_mark.h"
#include "table/open/database.h"

namespace partita::namespaces {

namespace {

using model::AsideFault;
using model::Fault;
using model::refuse;
using model::refuse_aside;

// Nothing was changed, and it may succeed in a moment.
Error refuse_for_now(const std::string& name, std::string_view why) {
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) log(LogLevel::kError, {"The namespace ", name, " was not opened. ", why});
  return refuse(Fault::kOverloaded);
}

// Of so many it is told apart what was asked of them.
constexpr size_t kMostCounted = 1'000;
constexpr std::string_view kOthers = "(other)";  // no namespace's name

}  // namespace

Namespaces::Namespaces(const Tenant::Ground& ground, Tenant& root, Seed seed, NamespacesBy by, size_t most_open)
    : ground_(ground), root_(root), seed_(std::move(seed)), by_(by), most_open_(most_open) {}

Result<void> Namespaces::begin() {
  if (by_ == NamespacesBy::kNothing) return {};
  constexpr int64_t kNever = int64_t{365} * 86'400'000;  // nobody else changes it
  nothing_ = open_memory_engine();
  const table::Options options{.late_ms = 2 * kNever, .look_ms = kNever};
  PARTITA_TRY(empty_, table::Database::open(*nothing_, ground_.clock, ground_.random, options));
  judge_ = std::make_unique<ops::Service>(*empty_, root_.service(), std::string());
  return {};
}

Namespaces::~Namespaces() = default;

std::string_view Namespaces::key_of(const ops::Call& call) {
  if (call.source != nullptr && call.source->administrates()) return {};
  const auth::Caller* const caller = ops::known_caller(call);
  return caller == nullptr ? std::string_view() : std::string_view(caller->access_key_id);
}

std::string_view Namespaces::name_of(const ops::Call& call) const {
  const std::string_view name = words_of(call);
  return table::is_namespace_name(name) ? name : std::string_view();
}

std::string_view Namespaces::words_of(const ops::Call& call) const {
  return by_ == NamespacesBy::kKey ? key_of(call) : by_ == NamespacesBy::kHeader ? call.space : std::string_view();
}

Result<std::string> Namespaces::checked_name(const ops::Call& call) const {
  const std::string_view name = words_of(call);
  if (by_ != NamespacesBy::kHeader && !call.space.empty()) {
    return refuse(Fault::kConstraints,
                  {"X-Partita-Namespace is not taken: the server was started without --namespaces header."});
  }
  if (name.empty() || table::is_namespace_name(name)) return std::string(name);
  return refuse(Fault::kConstraints, {"A namespace's name has 1 to 64 letters, digits, '_', '-' and '.', and nothing "
                                      "else."});
}

Task<ops::Reply> Namespaces::call(const ops::Call& call) {
  // Who may not call at all is told so by whoever answers everybody.
  if (!ops::caller_of(call).ok()) co_return co_await root_.service().call(call);
  auto checked = checked_name(call);
  if (!checked.ok()) co_return ops::refusal(checked.error());
  std::string name = std::move(checked).value();
  Entries::iterator at;
  bool open = false;
  {
    const std::lock_guard lock(mutex_);
    open = enter(name, at);
  }
  if (open) {
    const Use used(*this, at);
    co_return co_await used.tenant().service().call(call);
  }
  if (auto refused = co_await refuse_to_make(call, name)) co_return *std::move(refused);
  Executor* const home = Executor::current();
  const bool entered = co_await openers_.enter();
  // On a thread that serves, it would wait for what only that thread can end.
  if (!entered) co_return ops::refusal(refuse_for_now(name, "The system makes no thread to open it on."));
  auto used = use(std::move(name));
  co_await SwitchTo{home};
  if (!used.ok()) co_return ops::refusal(used.error());
  co_return co_await used->tenant().service().call(call);
}

Task<std::optional<ops::Reply>> Namespaces::refuse_to_make(const ops::Call& call, std::string name) {
  const auto caller = ops::caller_of(call);
  if (!caller.ok() || (*caller)->identity == nullptr) co_return std::nullopt;
  const auto there = co_await table::namespace_exists(ground_.store, std::move(name));
  if (!there.ok()) co_return ops::refusal(there.error());
  if (*there) co_return std::nullopt;
  co_return co_await judge_->refuse_in_empty(call);
}

bool Namespaces::enter(std::string_view name, Entries::iterator& at) {
  at = entries_.find(name);
  if (at == entries_.end() || at->second.state != State::kOpen) return false;
  ++at->second.users;
  at->second.used = ++uses_;
  return true;
}

void Namespaces::leave(Entries::iterator at) {
  const std::lock_guard lock(mutex_);
  if (--at->second.users == 0) changed_.notify_all();
}

Result<std::unique_ptr<Tenant>> Namespaces::open(const std::string& name, int64_t clock_ms) const {
  try {
    auto opened = open_now(name, clock_ms);
    if (opened.ok() || !is_thread_refusal(opened.error())) return opened;
    return refuse_for_now(name, opened.error().sentence());
  } catch (const std::bad_alloc&) {
    return refuse_for_now(name, "There was not enough memory.");
  }
}

Result<std::unique_ptr<Tenant>> Namespaces::open_now(const std::string& name, int64_t clock_ms) const {
  PARTITA_TRY(const bool there, wait_for(table::namespace_exists(ground_.store, name)));
  const Tenant::Serve serve = [&](table::Database& database) {
    return std::make_unique<ops::Service>(database, root_.service(), name);
  };
  Tenant::Ground ground = ground_;
  ground.clock_ms = clock_ms;
  PARTITA_TRY(std::unique_ptr<Tenant> tenant, Tenant::open(ground, name, serve));
  if (seed_) {
    PARTITA_TRY(const auto begun, wait_for(table::find_seed_mark(tenant->service().database()->engine())));
    const auto seeded = there && !begun ? Result<void>() : seed_(tenant->service());
    if (!seeded.ok()) {
      tenant.reset();
      if (!there && ground_.alone) PARTITA_TRY_VOID(wait_for(table::drop_namespace(ground_.store, name)));
      return refuse(Fault::kConstraints,
                    {"The namespace cannot begin as --seed says. " + std::string(seeded.error().sentence())});
    }
  }
  log(LogLevel::kDebug, {"The namespace ", name, " is open."});
  return tenant;
}

bool Namespaces::close_one(std::unique_lock<std::mutex>& lock) {
  auto oldest = entries_.end();
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->second.state != State::kOpen || at->second.users > 0) continue;
    if (oldest == entries_.end() || at->second.used < oldest->second.used) oldest = at;
  }
  if (oldest == entries_.end()) return false;
  oldest->second.state = State::kBusy;
  const int64_t clock_ms = oldest->second.tenant->clock().by_ms();
  if (clock_ms != ground_.clock_ms) clocks_.insert_or_assign(oldest->first, clock_ms);
  lock.unlock();
  oldest->second.tenant.reset();
  lock.lock();
  entries_.erase(oldest);
  changed_.notify_all();
  return true;
}

Result<Namespaces::Use> Namespaces::use(std::string name) {
  const BlockingScope blocking;
  std::unique_lock lock(mutex_);
  Entries::iterator at;
  while (!enter(name, at)) {
    if (at != entries_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (entries_.size() < most_open_) {
      at = entries_.try_emplace(name).first;
      const auto moved = clocks_.find(name);
      const int64_t clock_ms = moved == clocks_.end() ? ground_.clock_ms : moved->second;
      lock.unlock();
      auto opened = open(name, clock_ms);
      lock.lock();
      if (opened.ok()) clocks_.erase(name);
      changed_.notify_all();
      if (!opened.ok()) {
        entries_.erase(at);
        return std::move(opened).error();
      }
      at->second.tenant = std::move(opened).value();
      at->second.state = State::kOpen;
      continue;
    }
    if (close_one(lock)) continue;
    // Who is being opened or closed by another thread may be done with soon.
    if (std::ranges::none_of(entries_, [](const auto& one) { return one.second.state == State::kBusy; })) {
      return refuse_aside(AsideFault::kBusy,
                          std::to_string(most_open_) +
                              " namespaces are in use at this moment, and the server has no more at a "
                              "time; see --max-namespaces.");
    }
    changed_.wait(lock);
  }
  return Use(*this, at);
}

Result<std::vector<std::string>> Namespaces::list(std::string after, size_t most) {
  return wait_for(table::namespaces(ground_.store, std::move(after), most));
}

Result<void> Namespaces::check_there(const std::string& name) const {
  PARTITA_TRY(const bool there, wait_for(table::namespace_exists(ground_.store, name)));
  if (there) return {};
  return refuse_aside(AsideFault::kNotFound, "There is no namespace " + name + ".");
}

Result<void> Namespaces::drop(const std::string& name) {
  // Others would go on with the tables that they remember, whose ids are soon those of new ones.
  if (!ground_.alone) {
    return refuse(Fault::kConstraints, {"A namespace is dropped whole only from a store that one server has for "
                                        "itself, a directory or memory; several may share this one. Delete its "
                                        "tables."});
  }
  PARTITA_TRY_VOID(check_there(name));
  std::unique_lock lock(mutex_);
  Entries::iterator at;
  while (true) {
    at = entries_.find(name);
    if (at == entries_.end()) {
      at = entries_.try_emplace(name).first;
      break;
    }
    if (at->second.state == State::kOpen) {
      at->second.state = State::kBusy;  // whoever comes waits
      changed_.wait(lock, [&] { return at->second.users == 0; });
      break;
    }
    changed_.wait(lock);
  }
  lock.unlock();
  at->second.tenant.reset();
  auto dropped = wait_for(table::drop_namespace(ground_.store, name));
  lock.lock();
  entries_.erase(at);
  counts_.erase(name);
  clocks_.erase(name);
  changed_.notify_all();
  return dropped;
}

void Namespaces::answered(const ops::Call& call, const ops::Reply& reply) {
  const std::string_view name = name_of(call);
  // Names that nobody signed would take the places of those that are told apart.
  if (name.empty() || ops::known_caller(call) == nullptr) return;
  const std::lock_guard lock(mutex_);
  auto found = counts_.find(name);
  if (found == counts_.end()) {
    found = counts_.try_emplace(std::string(counts_.size() < kMostCounted ? name : kOthers)).first;
  }
  ++found->second.requests;
  if (reply.status >= 400) ++found->second.errors;
}

void Namespaces::report(Exposition& out) {
  if (by_ == NamespacesBy::kNothing) return;
  const std::lock_guard lock(mutex_);
  out.gauge("partita_namespaces_open", "Namespaces that are open.", static_cast<double>(entries_.size()));
  for (const auto& [name, counts] : counts_) {
    out.counter("partita_namespace_requests_total", "Requests for the namespace.", static_cast<double>(counts.requests),
                {{"namespace", name}});
  }
  for (const auto& [name, counts] : counts_) {
    out.counter("partita_namespace_errors_total", "Requests for the namespace that ended with an error.",
                static_cast<double>(counts.errors), {{"namespace", name}});
  }
}

}  // namespace partita::namespaces
