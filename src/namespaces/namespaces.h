// The namespaces that are in use: each a database of its own over the server's store, opened when somebody asks for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exposition.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "namespaces/tenant.h"
#include "ops/service.h"

namespace partita::namespaces {

// By what a request says which namespace it is for.
enum class NamespacesBy : uint8_t { kNothing, kKey, kHeader };

// Callable from any thread.
class Namespaces {
 public:
  // What a namespace that holds nothing begins with; also called to go on with what was cut off.
  using Seed = std::function<Result<void>(ops::Service&)>;
  // `root`: the store's own database, the namespace without a name. It outlives this.
  Namespaces(const Tenant::Ground& ground, Tenant& root, Seed seed, NamespacesBy by, size_t most_open);
  // Precondition: no call is under way.
  ~Namespaces();

  // Before the first call. Errors: those of table::Database::open().
  Result<void> begin();

  // Whether the call is one for the namespace without a name, as those of IAM and STS are, which name no target.
  bool is_plain(const ops::Call& call) const {
    return call.target.empty() || (call.space.empty() && (by_ != NamespacesBy::kKey || key_of(call).empty()));
  }
  // Answers a call for another. What `call` points into must live until the task has ended.
  Task<ops::Reply> call(const ops::Call& call);
  // The namespace that the call is for; empty: the one without a name, or none.
  std::string_view name_of(const ops::Call& call) const;

  Tenant& root() { return root_; }
  bool are_there() const { return by_ != NamespacesBy::kNothing; }
  // The same. Faults: kConstraints for what is no name, or is not taken.
  Result<std::string> checked_name(const ops::Call& call) const;

  // In use: of one that nobody drops or closes meanwhile.
  class Use;
  // Blocks. Faults: kConstraints for what is no name; of model/aside_fault.h kBusy.
  Result<Use> use(std::string name);

  // Fault: kNotFound for one that holds nothing. Blocks.
  Result<void> check_there(const std::string& name) const;
  // Names of those that hold anything, behind `after`: at most `most`. Blocks.
  Result<std::vector<std::string>> list(std::string after, size_t most);
  // Waits for the calls under way, and erases all of it. Blocks. Faults: kNotFound, and kConstraints where other
  // servers may use the store.
  Result<void> drop(const std::string& name);

  // Counts a call for a namespace that was answered so, unless nobody knows who called.
  void answered(const ops::Call& call, const ops::Reply& reply);
  void report(Exposition& out);

 private:
  enum class State : uint8_t { kBusy, kOpen };  // busy: one thread opens, closes or drops it
  struct Entry {
    State state = State::kBusy;
    size_t users = 0;
    uint64_t used = 0;  // grows with every use of any
    std::unique_ptr<Tenant> tenant;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  struct Counts {
    uint64_t requests = 0;
    uint64_t errors = 0;
  };

  // The access key by which the call is known; empty when it is not, and of the administration socket.
  static std::string_view key_of(const ops::Call& call);
  // What the call says, whether it is a name or not.
  std::string_view words_of(const ops::Call& call) const;
  // What the call is answered when it would make the namespace, and its caller may not do it there.
  Task<std::optional<ops::Reply>> refuse_to_make(const ops::Call& call, std::string name);
  Result<std::unique_ptr<Tenant>> open(const std::string& name, int64_t clock_ms) const;
  Result<std::unique_ptr<Tenant>> open_now(const std::string& name, int64_t clock_ms) const;
  // With the lock held: whether the namespace is open, and is one user's more then.
  bool enter(std::string_view name, Entries::iterator& at);
  void leave(Entries::iterator at);
  // Makes room for one more, with the lock held, which it lets go of meanwhile. False: all are in use.
  bool close_one(std::unique_lock<std::mutex>& lock);

  const Tenant::Ground ground_;
  Tenant& root_;
  const Seed seed_;
  const NamespacesBy by_;
  const size_t most_open_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Entries entries_;
  uint64_t uses_ = 0;
  std::map<std::string, Counts, std::less<>> counts_;
  std::map<std::string, int64_t, std::less<>> clocks_;  // of closed ones whose clock was moved: how far
  Workers openers_{2};
  // Without tables: a namespace before it is made.
  std::unique_ptr<storage::Engine> nothing_;
  std::unique_ptr<table::Database> empty_;
  std::unique_ptr<ops::Service> judge_;
};

class Namespaces::Use {
 public:
  Use(Use&& other) noexcept : of_(std::exchange(other.of_, nullptr)), at_(other.at_) {}
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() {
    if (of_ != nullptr) of_->leave(at_);
  }
  Tenant& tenant() const { return *at_->second.tenant; }

 private:
  friend class Namespaces;
  Use(Namespaces& of, Entries::iterator at) : of_(&of), at_(at) {}
  Namespaces* of_;
  Entries::iterator at_;
};

}  // namespace partita::namespaces
