#include "engines/foundationdb/client.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/retry_after.h"
#include "base/shared_library.h"
#include "base/thread.h"

namespace partita::foundationdb {

namespace {

constexpr char kLibrary[] = PARTITA_UNVERSIONED_LIBRARY("libfdb_c");
// The oldest with all that we use, and the newest that we know.
constexpr int kOldestApi = 710;
constexpr int kNewestApi = 730;

struct Loader {
  void* library;
  std::string& missing;
  template <class Function>
  void operator()(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) missing = std::string(kLibrary) + " is too old: it has no " + name + ".";
  }
};

void find_all(const Loader& find, Client& client) {
#define PARTITA_FIND(name) find(client.name, "fdb_" #name)
  PARTITA_FIND(get_max_api_version);
  PARTITA_FIND(select_api_version_impl);
  PARTITA_FIND(get_error);
  PARTITA_FIND(error_predicate);
  PARTITA_FIND(setup_network);
  PARTITA_FIND(run_network);
  PARTITA_FIND(stop_network);
  PARTITA_FIND(create_database);
  PARTITA_FIND(database_destroy);
  PARTITA_FIND(database_set_option);
  PARTITA_FIND(database_create_transaction);
  PARTITA_FIND(transaction_destroy);
  PARTITA_FIND(transaction_set_option);
  PARTITA_FIND(transaction_get_read_version);
  PARTITA_FIND(transaction_get);
  PARTITA_FIND(transaction_get_range);
  PARTITA_FIND(transaction_get_estimated_range_size_bytes);
  PARTITA_FIND(transaction_set);
  PARTITA_FIND(transaction_clear);
  PARTITA_FIND(transaction_clear_range);
  PARTITA_FIND(transaction_atomic_op);
  PARTITA_FIND(transaction_add_conflict_range);
  PARTITA_FIND(transaction_commit);
  PARTITA_FIND(transaction_on_error);
  PARTITA_FIND(future_destroy);
  PARTITA_FIND(future_is_ready);
  PARTITA_FIND(future_get_error);
  PARTITA_FIND(future_set_callback);
  PARTITA_FIND(future_get_value);
  PARTITA_FIND(future_get_keyvalue_array);
  PARTITA_FIND(future_get_int64);
#undef PARTITA_FIND
}

// The library, and its thread: it can be started once in the life of a process, and has to end before what the library
// makes on the way does.
class NetworkThread {
 public:
  NetworkThread() {
    void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing_ = "A store in FoundationDB needs its client library (of the package foundationdb-clients): ";
      missing_ += std::string(dlerror()) + ".";
      return;
    }
    find_all(Loader{library, missing_}, client_);
    if (missing_.empty()) begin();
  }
  NetworkThread(const NetworkThread&) = delete;
  NetworkThread& operator=(const NetworkThread&) = delete;

  void end() {
    if (!thread_.joinable()) return;
    PARTITA_CHECK(client_.stop_network() == 0);
    thread_.join();
  }

  const Client& client() const { return client_; }
  const std::string& missing() const { return missing_; }

 private:
  void begin() {
    const int api = std::min(kNewestApi, client_.get_max_api_version());
    if (api < kOldestApi) {
      missing_ = std::string(kLibrary) + " is too old: a store needs FoundationDB 7.1 or newer.";
      return;
    }
    int code = client_.select_api_version_impl(api, api);
    if (code == 0) code = client_.setup_network();
    if (code != 0) {
      missing_ = std::string("FoundationDB's client cannot be started: ") + client_.get_error(code) + ".";
      return;
    }
    auto started =
        Thread::start("network", [this](const std::stop_token&) { PARTITA_CHECK(client_.run_network() == 0); });
    if (started.ok()) {
      thread_ = std::move(started).value();
    } else {
      missing_ = started.error().sentence();
    }
  }

  Client client_{};
  std::string missing_;  // empty: nothing
  Thread thread_;
};

// Never destroyed: when it ends is a matter of end_client_at_exit().
NetworkThread& network() {
  static auto* const once = new NetworkThread;
  return *once;
}

}  // namespace

void end_client_at_exit() {
  PARTITA_CHECK(std::atexit([] { network().end(); }) == 0);
}

Result<void> start_client() {
  static const bool ends = (end_client_at_exit(), true);
  static_cast<void>(ends);
  if (network().missing().empty()) return {};
  return Error(ErrorKind::kUnavailable, network().missing());
}

const Client& client() {
  PARTITA_CHECK(network().missing().empty());
  return network().client();
}

Error to_error(int code) {
  const std::string said = std::string(client().get_error(code)) + " (" + std::to_string(code) + ").";
  if (code == kErrorTooLarge) return Error(ErrorKind::kTooLarge, "FoundationDB takes no transaction so large: " + said);
  if (code == kErrorNoClusterFile) {
    return Error(ErrorKind::kInvalid, "FoundationDB's cluster file cannot be used: " + said);
  }
  if (code == kErrorTimedOut) {
    constexpr uint32_t kRecoveryMs = 5'000;  // as long as the cluster usually takes
    return Error(
        ErrorKind::kUnavailable, 0,
        {"FoundationDB did not answer in time: `fdbcli --exec status` says whether the cluster is well. " + said},
        std::make_shared<const RetryAfter>(kRecoveryMs));
  }
  return Error(ErrorKind::kUnavailable, "FoundationDB did not do it: " + said);
}

}  // namespace partita::foundationdb
