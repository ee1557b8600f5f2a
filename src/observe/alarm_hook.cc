#include "observe/alarm_hook.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "net/http_client.h"
#include "table/open/database.h"
#include "wire/alarm_notice.h"

namespace partita::observe {

namespace {

using metrics::DueNotice;
using metrics::Notice;
using metrics::NoticeStore;

constexpr size_t kNoticesAtOnce = 100;
constexpr auto kHookPause = std::chrono::seconds(1);
// While the hook does not reply, so that many waiting notices are not read every second.
constexpr auto kMostHookPause = std::chrono::seconds(30);
constexpr int64_t kHookTimeoutMs = 5'000;

void warn_of_hook(std::string_view what, std::string_view why) {
  static LogThrottle throttle(60'000);
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) log(LogLevel::kWarn, {what, why});
}

void log_given_up(std::string_view alarm) {
  static LogThrottle throttle(60'000);
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) {
    log(LogLevel::kWarn, {"An action of the alarm ", alarm, " was given up: the change of state is older than a day."});
  }
}

AlarmHook::Outcome post_notice(net::HttpClient& http, const net::Url& url, const Notice& notice,
                               const std::stop_token& stop) {
  const wire::SnsNotification notification{notice.id, notice.action, notice.subject, notice.message, notice.made_ms};
  const std::string body = wire::sns_body(notification);
  const auto reply = http.send({.url = url,
                                .headers = wire::sns_headers(notification),
                                .body = body,
                                .timeout_ms = kHookTimeoutMs,
                                .reads_body = false,
                                .hurry = stop});
  if (!reply.ok()) return {.reached = false, .error = std::string(reply.error().sentence())};
  if (reply->status / 100 == 2) return {};
  return {.reached = true, .error = "The hook answered " + std::to_string(reply->status) + "."};
}

}  // namespace

Result<std::unique_ptr<AlarmHook>> AlarmHook::start(net::Url url, ops::Service& service, Random& random) {
  PARTITA_TRY(net::HttpClient client, net::HttpClient::create());
  auto http = std::make_shared<net::HttpClient>(std::move(client));
  Send send = [http, url = std::move(url)](const Notice& notice, const std::stop_token& stop) {
    return post_notice(*http, url, notice, stop);
  };
  auto hook = std::make_unique<AlarmHook>(std::move(send), service, random);
  PARTITA_TRY(hook->thread_,
              Thread::start("alarm-hook", [raw = hook.get()](const std::stop_token& stop) { raw->run(stop); }));
  return hook;
}

AlarmHook::~AlarmHook() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void AlarmHook::run(const std::stop_token& stop) {
  auto pause = kHookPause;
  while (true) {
    {
      const MutexLock lock(mutex_);
      wake_.wait_for(mutex_, stop, pause, [] { return false; });
    }
    if (stop.stop_requested()) return;
    pause = deliver(stop) ? kHookPause : std::min(2 * pause, kMostHookPause);
  }
}

template <class Use>
auto AlarmHook::with_store(Use use) {
  using Found = decltype(wait_for(use(std::declval<const NoticeStore&>(), int64_t{0})));
  Found found = Error(ErrorKind::kUnavailable, "The database is being changed.");
  service_.with_database([&](table::Database& database) {
    found = wait_for(use(NoticeStore(database.engine(), random_), database.clock().now_ms()));
  });
  return found;
}

bool AlarmHook::deliver(const std::stop_token& stop) {
  const auto due =
      with_store([](const NoticeStore& store, int64_t now_ms) { return store.due(now_ms, kNoticesAtOnce); });
  if (!due.ok()) {
    warn_of_hook("The actions of alarms could not be read. ", due.error().sentence());
    return true;
  }
  return std::ranges::all_of(*due, [&](const DueNotice& one) { return stop.stop_requested() || attempt(one, stop); });
}

bool AlarmHook::attempt(const DueNotice& due, const std::stop_token& stop) {
  const auto claimed = with_store(
      [&](const NoticeStore& store, int64_t now_ms) { return store.claim(due.alarm, due.notice.id, now_ms); });
  if (!claimed.ok()) warn_of_hook("An action of an alarm could not be begun. ", claimed.error().sentence());
  if (claimed.ok() && *claimed == metrics::Claim::kGivenUp) {
    log_given_up(due.alarm);
  }
  if (!claimed.ok() || *claimed != metrics::Claim::kMine) return true;
  const Outcome outcome = send_(due.notice, stop);
  if (outcome.error) warn_of_hook("An action of an alarm failed. ", *outcome.error);
  const auto settled = with_store([&](const NoticeStore& store, int64_t now_ms) {
    return store.settle(due.alarm, due.notice.id, outcome.error, now_ms);
  });
  if (!settled.ok()) warn_of_hook("An action of an alarm will be repeated. ", settled.error().sentence());
  return outcome.reached;
}

}  // namespace partita::observe
