// Namespaces: separate databases in one store. A namespace is opened by its first request, and closed when others need
// its place (docs/decisions/024).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exposition.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "namespaces/database_host.h"
#include "ops/call_codec.h"
#include "ops/service.h"

namespace partita::namespaces {

// The part of a request that names its namespace: nothing, the access key id, or X-Partita-Namespace.
enum class NamespacesBy : uint8_t { kNothing, kKey, kHeader };

// Callable from any thread. Functions that block must not be called on a thread that serves requests.
class Namespaces {
 public:
  // Fills a new namespace, or completes an interrupted filling. May be empty.
  using Seed = std::function<Result<void>(ops::Service&)>;
  // `root`: the default database, which outlives this. At most `max_open` namespaces are open at a time.
  Namespaces(const DatabaseHost::Environment& environment, DatabaseHost& root, Seed seed, NamespacesBy by,
             size_t max_open);
  // Precondition: no call is in progress.
  ~Namespaces();

  // Call once, before the first call(). Errors: those of table::Database::open().
  Result<void> start();

  // Whether the call is for the default database. Calls of IAM and STS are: they name no target.
  bool is_default(const ops::Call& call) const {
    return call.target.empty() || (call.space.empty() && (by_ != NamespacesBy::kKey || key_of(call).empty()));
  }
  // The same of a call that is not HTTP's (ops/call_codec.h): without a header, only its caller's key can name one.
  bool is_default_by_key(const ops::Call& call) const { return by_ != NamespacesBy::kKey || key_of(call).empty(); }
  // Answers a call for a namespace. `call` and what it points to must live until the task has ended.
  Task<ops::Reply> call(const ops::Call& call);
  // The same by a codec, which lives as long. For a caller with policies, a namespace that does not exist is an empty
  // one, and is not created. Errors: those of ops::Service::call_by() and acquire().
  Task<Result<void>> call_by(const ops::Call& call, ops::CallCodec& codec);
  // The namespace of a call; empty: the default database, or not a valid name.
  std::string_view name_of(const ops::Call& call) const;

  DatabaseHost& root() { return root_; }
  bool enabled() const { return by_ != NamespacesBy::kNothing; }
  // As name_of(). Faults: kConstraints for an invalid name, and for a header that the server does not take.
  Result<std::string> checked_name(const ops::Call& call) const;

  // Keeps a namespace open while it exists.
  class Handle;
  // Opens the namespace if necessary. Blocks. Faults: kConstraints; AsideFault::kBusy if `max_open` others are in use.
  Result<Handle> acquire(std::string name);

  // Fault: kNotFound for a namespace without data. Blocks.
  Result<void> check_exists(const std::string& name) const;
  // The names after `after` of namespaces with data, at most `limit`. Blocks.
  Result<std::vector<std::string>> list(std::string after, size_t limit);
  // Waits for the calls in progress, then erases the namespace. Blocks. Faults: kNotFound; kConstraints if other
  // servers may use the store.
  Result<void> drop(const std::string& name);

  // Counts an answered call for a namespace, if its caller is known.
  void answered(const ops::Call& call, const ops::Reply& reply);
  void report(Exposition& out);

 private:
  enum class State : uint8_t { kBusy, kOpen };  // busy: a thread is opening, closing or dropping it
  struct Entry {
    State state = State::kBusy;
    size_t pins = 0;    // handles
    uint64_t used = 0;  // uses_ at the last pin
    std::unique_ptr<DatabaseHost> host;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  struct Counts {
    uint64_t requests = 0;
    uint64_t errors = 0;
  };

  // The caller's access key id; empty: unknown caller, or the administration socket.
  static std::string_view key_of(const ops::Call& call);
  // The name in the call, valid or not.
  std::string_view requested_name(const ops::Call& call) const;
  // The refusal, if the namespace does not exist and its caller's policies would refuse the call in an empty one.
  Task<std::optional<ops::Reply>> refuse_creation(const ops::Call& call, std::string name);
  // As acquire(), on another thread.
  Task<Result<Handle>> acquire_aside(std::string name);
  Result<std::unique_ptr<DatabaseHost>> open(const std::string& name, int64_t clock_ms) const;
  Result<std::unique_ptr<DatabaseHost>> open_now(const std::string& name, int64_t clock_ms) const;
  // False: the namespace is not open. `at` is its entry, or the end.
  bool pin(std::string_view name, Entries::iterator& at) PARTITA_REQUIRES(mutex_);
  void unpin(Entries::iterator at);
  // Releases the mutex meanwhile. False: all are in use.
  bool close_least_used() PARTITA_REQUIRES(mutex_);

  const DatabaseHost::Environment environment_;
  DatabaseHost& root_;
  const Seed seed_;
  const NamespacesBy by_;
  const size_t max_open_;
  Mutex mutex_;
  CondVar changed_;
  Entries entries_ PARTITA_GUARDED_BY(mutex_);
  uint64_t uses_ PARTITA_GUARDED_BY(mutex_) = 0;  // counts pins
  std::map<std::string, Counts, std::less<>> counts_ PARTITA_GUARDED_BY(mutex_);
  // In ms, of closed namespaces whose clock was moved.
  std::map<std::string, int64_t, std::less<>> clock_offsets_ PARTITA_GUARDED_BY(mutex_);
  Workers openers_{2};
  // An empty database, to evaluate policies before a namespace exists.
  std::unique_ptr<storage::Engine> empty_engine_;
  std::unique_ptr<table::Database> empty_database_;
  std::unique_ptr<ops::Service> empty_service_;
};

class Namespaces::Handle {
 public:
  Handle(Handle&& other) noexcept : of_(std::exchange(other.of_, nullptr)), at_(other.at_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (of_ != nullptr) of_->unpin(at_);
  }
  DatabaseHost& host() const { return *at_->second.host; }

 private:
  friend class Namespaces;
  Handle(Namespaces& of, Entries::iterator at) : of_(&of), at_(at) {}
  Namespaces* of_;
  Entries::iterator at_;
};

}  // namespace partita::namespaces
