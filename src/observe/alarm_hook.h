// Delivers the notices of alarms (metrics/notice_store.h) to the URL of --alarm-hook: docs/cloudwatch.md.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "base/thread.h"
#include "metrics/notice_store.h"
#include "net/url.h"
#include "ops/service.h"

namespace partita::observe {

// Of the default database of a server. A thread of its own looks for notices every second. It holds the service's drain
// lock while it uses the store, and nothing while it sends.
class AlarmHook {
 public:
  struct Outcome {
    bool reached = true;               // there was a reply
    std::optional<std::string> error;  // a sentence; absent: the notice was accepted
  };
  using Send = std::function<Outcome(const metrics::Notice& notice, const std::stop_token& stop)>;

  // Service and random outlive this. Errors: kInvalid (reason 0) without libcurl; kUnavailable without a thread.
  static Result<std::unique_ptr<AlarmHook>> start(net::Url url, ops::Service& service, Random& random);
  // Without a thread, for tests, which call deliver().
  AlarmHook(Send send, ops::Service& service, Random& random)
      : send_(std::move(send)), service_(service), random_(random) {}
  // Waits for the request in progress, for about a second.
  ~AlarmHook();
  AlarmHook(const AlarmHook&) = delete;
  AlarmHook& operator=(const AlarmHook&) = delete;

  // Attempts the notices that are due. False: one had no reply, and the rest was left for later.
  bool deliver(const std::stop_token& stop);

 private:
  void run(const std::stop_token& stop);
  // The result of `use`, which gets the store and the time. Error: kUnavailable while the database is changed.
  template <class Use>
  auto with_store(Use use);
  // Whether there was a reply, or none was needed.
  bool attempt(const metrics::DueNotice& due, const std::stop_token& stop);

  const Send send_;
  ops::Service& service_;
  Random& random_;
  Mutex mutex_;
  std::condition_variable_any wake_;
  Thread thread_;
};

}  // namespace partita::observe
