#include "namespaces/namespaces.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/blocking_scope.h"
#include "base/log.h"
#include "base/thread.h"
#include "engines/stores.h"
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

// For failures that a retry may overcome; nothing was changed.
Error refuse_for_now(const std::string& name, std::string_view why) {
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) log(LogLevel::kError, {"The namespace ", name, " was not opened. ", why});
  return refuse(Fault::kOverloaded);
}

// Namespaces with metrics of their own.
constexpr size_t kMaxCounted = 1'000;
constexpr std::string_view kOthers = "(other)";  // not a valid name

}  // namespace

Namespaces::Namespaces(const DatabaseHost::Environment& environment, DatabaseHost& root, Seed seed, NamespacesBy by,
                       size_t max_open)
    : environment_(environment), root_(root), seed_(std::move(seed)), by_(by), max_open_(max_open) {}

Result<void> Namespaces::start() {
  if (by_ == NamespacesBy::kNothing) return {};
  constexpr int64_t kNever = int64_t{365} * 86'400'000;  // nobody else changes it
  PARTITA_TRY(empty_engine_, open_store("memory:"));
  const table::DatabaseOptions options{.late_ms = 2 * kNever, .look_ms = kNever};
  PARTITA_TRY(empty_database_, table::Database::open(*empty_engine_, environment_.clock, environment_.random, options));
  empty_service_ = std::make_unique<ops::Service>(*empty_database_, root_.service(), std::string());
  return {};
}

Namespaces::~Namespaces() = default;

std::string_view Namespaces::key_of(const ops::Call& call) {
  if (call.source != nullptr && call.source->administrates()) return {};
  const auth::Caller* const caller = ops::known_caller(call);
  return caller == nullptr ? std::string_view() : std::string_view(caller->access_key_id);
}

std::string_view Namespaces::name_of(const ops::Call& call) const {
  const std::string_view name = requested_name(call);
  return table::is_namespace_name(name) ? name : std::string_view();
}

std::string_view Namespaces::requested_name(const ops::Call& call) const {
  return by_ == NamespacesBy::kKey ? key_of(call) : by_ == NamespacesBy::kHeader ? call.space : std::string_view();
}

Result<std::string> Namespaces::checked_name(const ops::Call& call) const {
  const std::string_view name = requested_name(call);
  if (by_ != NamespacesBy::kHeader && !call.space.empty()) {
    return refuse(Fault::kConstraints,
                  {"X-Partita-Namespace is not taken: the server was started without --namespaces header."});
  }
  if (name.empty() || table::is_namespace_name(name)) return std::string(name);
  return refuse(Fault::kConstraints, {"A namespace's name has 1 to 64 letters, digits, '_', '-' and '.', and nothing "
                                      "else."});
}

Task<ops::Reply> Namespaces::call(const ops::Call& call) {
  // An unauthenticated call gets the answer that it gets without namespaces.
  if (!ops::caller_of(call).ok()) co_return co_await root_.service().call(call);
  auto checked = checked_name(call);
  if (!checked.ok()) co_return ops::refusal(checked.error());
  std::string name = std::move(checked).value();
  Entries::iterator at;
  bool open = false;
  {
    const MutexLock lock(mutex_);
    open = pin(name, at);
  }
  if (open) {
    const Handle used(*this, at);
    co_return co_await used.host().service().call(call);
  }
  if (auto refused = co_await refuse_creation(call, name)) co_return *std::move(refused);
  auto used = co_await acquire_aside(std::move(name));
  if (!used.ok()) co_return ops::refusal(used.error());
  co_return co_await used->host().service().call(call);
}

Task<Result<void>> Namespaces::call_by(const ops::Call& call, ops::CallCodec& codec) {
  PARTITA_CO_TRY(const auth::Caller* const caller, ops::caller_of(call));
  PARTITA_CO_TRY(std::string name, checked_name(call));
  Entries::iterator at;
  bool open = false;
  {
    const MutexLock lock(mutex_);
    open = pin(name, at);
  }
  if (open) {
    const Handle used(*this, at);
    co_return co_await used.host().service().call_by(call, codec);
  }
  if (caller->identity != nullptr) {
    auto looked = co_await table::namespace_exists(environment_.store, name);
    PARTITA_CO_TRY(const bool there, std::move(looked));
    if (!there) co_return co_await empty_service_->call_by(call, codec);
  }
  auto acquired = co_await acquire_aside(std::move(name));
  PARTITA_CO_TRY(const Handle used, std::move(acquired));
  co_return co_await used.host().service().call_by(call, codec);
}

Task<Result<Namespaces::Handle>> Namespaces::acquire_aside(std::string name) {
  Executor* const home = Executor::current();
  const bool entered = co_await openers_.enter();
  // A serving thread must not wait: it may be the one that completes what it waits for.
  if (!entered) co_return refuse_for_now(name, "The system makes no thread to open it on.");
  auto used = acquire(std::move(name));
  co_await SwitchTo{home};
  co_return used;
}

Task<std::optional<ops::Reply>> Namespaces::refuse_creation(const ops::Call& call, std::string name) {
  const auto caller = ops::caller_of(call);
  if (!caller.ok() || (*caller)->identity == nullptr) co_return std::nullopt;
  const auto there = co_await table::namespace_exists(environment_.store, std::move(name));
  if (!there.ok()) co_return ops::refusal(there.error());
  if (*there) co_return std::nullopt;
  co_return co_await empty_service_->refuse_in_empty(call);
}

bool Namespaces::pin(std::string_view name, Entries::iterator& at) {
  at = entries_.find(name);
  if (at == entries_.end() || at->second.state != State::kOpen) return false;
  ++at->second.pins;
  at->second.used = ++uses_;
  return true;
}

void Namespaces::unpin(Entries::iterator at) {
  const MutexLock lock(mutex_);
  if (--at->second.pins == 0) changed_.notify_all();
}

Result<std::unique_ptr<DatabaseHost>> Namespaces::open(const std::string& name, int64_t clock_ms) const {
  try {
    auto opened = open_now(name, clock_ms);
    if (opened.ok() || !is_thread_refusal(opened.error())) return opened;
    return refuse_for_now(name, opened.error().sentence());
  } catch (const std::bad_alloc&) {
    return refuse_for_now(name, "There was not enough memory.");
  }
}

Result<std::unique_ptr<DatabaseHost>> Namespaces::open_now(const std::string& name, int64_t clock_ms) const {
  PARTITA_TRY(const bool there, wait_for(table::namespace_exists(environment_.store, name)));
  const DatabaseHost::MakeService make_service = [&](table::Database& database) {
    return std::make_unique<ops::Service>(database, root_.service(), name);
  };
  DatabaseHost::Environment environment = environment_;
  environment.clock_ms = clock_ms;
  PARTITA_TRY(std::unique_ptr<DatabaseHost> host, DatabaseHost::open(environment, name, make_service));
  if (seed_) {
    PARTITA_TRY(const auto begun, wait_for(table::find_seed_mark(host->service().database()->engine())));
    const auto seeded = there && !begun ? Result<void>() : seed_(host->service());
    if (!seeded.ok()) {
      host.reset();
      if (!there && environment_.exclusive) PARTITA_TRY_VOID(wait_for(table::drop_namespace(environment_.store, name)));
      return refuse(Fault::kConstraints,
                    {"The namespace cannot begin as --seed says. " + std::string(seeded.error().sentence())});
    }
  }
  log(LogLevel::kDebug, {"The namespace ", name, " is open."});
  return host;
}

bool Namespaces::close_least_used() {
  auto oldest = entries_.end();
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->second.state != State::kOpen || at->second.pins > 0) continue;
    if (oldest == entries_.end() || at->second.used < oldest->second.used) oldest = at;
  }
  if (oldest == entries_.end()) return false;
  oldest->second.state = State::kBusy;
  const int64_t clock_ms = oldest->second.host->clock().by_ms();
  if (clock_ms != environment_.clock_ms) clock_offsets_.insert_or_assign(oldest->first, clock_ms);
  mutex_.unlock();
  oldest->second.host.reset();
  mutex_.lock();
  entries_.erase(oldest);
  changed_.notify_all();
  return true;
}

Result<Namespaces::Handle> Namespaces::acquire(std::string name) {
  const BlockingScope blocking;
  const MutexLock lock(mutex_);
  Entries::iterator at;
  while (!pin(name, at)) {
    if (at != entries_.end()) {
      changed_.wait(mutex_);
      continue;
    }
    if (entries_.size() < max_open_) {
      at = entries_.try_emplace(name).first;
      const auto moved = clock_offsets_.find(name);
      const int64_t clock_ms = moved == clock_offsets_.end() ? environment_.clock_ms : moved->second;
      mutex_.unlock();
      auto opened = open(name, clock_ms);
      mutex_.lock();
      if (opened.ok()) clock_offsets_.erase(name);
      changed_.notify_all();
      if (!opened.ok()) {
        entries_.erase(at);
        return std::move(opened).error();
      }
      at->second.host = std::move(opened).value();
      at->second.state = State::kOpen;
      continue;
    }
    if (close_least_used()) continue;
    // A namespace that another thread is opening or closing may soon be free.
    if (std::ranges::none_of(entries_, [](const auto& one) { return one.second.state == State::kBusy; })) {
      return refuse_aside(AsideFault::kBusy,
                          std::to_string(max_open_) +
                              " namespaces are in use at this moment, and the server has no more at a "
                              "time; see --max-namespaces.");
    }
    changed_.wait(mutex_);
  }
  return Handle(*this, at);
}

Result<std::vector<std::string>> Namespaces::list(std::string after, size_t limit) {
  return wait_for(table::namespaces(environment_.store, std::move(after), limit));
}

Result<void> Namespaces::check_exists(const std::string& name) const {
  PARTITA_TRY(const bool there, wait_for(table::namespace_exists(environment_.store, name)));
  if (there) return {};
  return refuse_aside(AsideFault::kNotFound, "There is no namespace " + name + ".");
}

Result<void> Namespaces::drop(const std::string& name) {
  // Other servers would keep descriptions of its tables, whose ids are reused.
  if (!environment_.exclusive) {
    return refuse(Fault::kConstraints, {"A namespace is dropped whole only from a store that one server has for "
                                        "itself, a directory or memory; several may share this one. Delete its "
                                        "tables."});
  }
  PARTITA_TRY_VOID(check_exists(name));
  const MutexLock lock(mutex_);
  Entries::iterator at;
  while (true) {
    at = entries_.find(name);
    if (at == entries_.end()) {
      at = entries_.try_emplace(name).first;
      break;
    }
    if (at->second.state == State::kOpen) {
      at->second.state = State::kBusy;  // new calls wait
      changed_.wait(mutex_, [&] { return at->second.pins == 0; });
      break;
    }
    changed_.wait(mutex_);
  }
  mutex_.unlock();
  at->second.host.reset();
  auto dropped = wait_for(table::drop_namespace(environment_.store, name));
  mutex_.lock();
  entries_.erase(at);
  counts_.erase(name);
  clock_offsets_.erase(name);
  changed_.notify_all();
  return dropped;
}

void Namespaces::answered(const ops::Call& call, const ops::Reply& reply) {
  const std::string_view name = name_of(call);
  // Unsigned names could fill the table of counts.
  if (name.empty() || ops::known_caller(call) == nullptr) return;
  const MutexLock lock(mutex_);
  auto found = counts_.find(name);
  if (found == counts_.end()) {
    found = counts_.try_emplace(std::string(counts_.size() < kMaxCounted ? name : kOthers)).first;
  }
  ++found->second.requests;
  if (reply.status >= 400) ++found->second.errors;
}

void Namespaces::report(Exposition& out) {
  if (by_ == NamespacesBy::kNothing) return;
  const MutexLock lock(mutex_);
  out.gauge("partita_namespaces_open", "Open namespaces.", static_cast<double>(entries_.size()));
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
