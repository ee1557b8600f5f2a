#include "observe/pages.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "auth/sha256.h"
#include "auth/text_util.h"
#include "base/exposition.h"
#include "base/log.h"
#include "http/host.h"
#include "table/open/database.h"

namespace partita::observe {

namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kBearer = "bearer ";  // in any case

ops::Reply text(int status, std::string words) {
  return {.status = status, .content_type = kText, .body = std::move(words) + "\n"};
}

double open_files() {
  DIR* const directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  int count = -3;  // ".", "..", and the directory itself
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// By the names that every exporter has for them.
void report_process(Exposition& out) {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  out.counter("process_cpu_seconds_total", "CPU time of the process.", seconds(used.ru_utime) + seconds(used.ru_stime));
  out.gauge("process_resident_memory_bytes", "Resident memory of the process.", resident_bytes());
  out.gauge("process_open_fds", "Open file descriptors.", open_files());
  out.gauge("process_max_fds", "Maximum number of file descriptors.", static_cast<double>(files.rlim_cur));
}

}  // namespace

Task<std::string> Pages::trouble() {
  DrainLock::SharedGuard guard(sources_.service.drain_lock());
  co_await guard;  // while the database may be used
  co_return co_await trouble_inside();
}

Task<std::optional<std::string>> Pages::trouble_now() {
  DrainLock::SharedGuard guard(sources_.service.drain_lock());
  if (!guard.try_enter()) co_return std::nullopt;
  co_return co_await trouble_inside();
}

std::vector<std::string> Pages::jobs_now() const {
  DrainLock::SharedGuard guard(sources_.service.drain_lock());
  table::Database* const database = guard.try_enter() ? sources_.service.database() : nullptr;
  return database == nullptr ? std::vector<std::string>() : database->jobs().status().lines();
}

Task<std::string> Pages::trouble_inside() {
  if (sources_.service.database() == nullptr) co_return std::string("a rollback did not end.");
  co_return co_await readiness_.trouble(*sources_.service.database());
}

Task<std::optional<ops::Reply>> Pages::page(std::string_view path, const ops::Source& source) {
  if (path == "/health") co_return text(200, "alive");
  if (path == "/ready") {
    const std::string why = co_await trouble();
    if (why.empty()) co_return text(200, "ready");
    const bool local = http::is_local_host(source.header("host"));
    co_return text(503, "not ready" + (local ? ": " + why : std::string()));
  }
  if (path != "/metrics") co_return std::nullopt;
  if (!may_read(source)) {
    const bool open = sources_.token && sources_.token->empty();
    co_return text(
        403, open ? "Metrics need a token under this Host name, because a web page may use it: see --metrics-token."
                  : "Metrics need the token: see --metrics-token.");
  }
  const std::string why = co_await trouble();
  DrainLock::SharedGuard guard(sources_.service.drain_lock());
  co_await guard;
  Executor* const home = Executor::current();
  co_await writer_.enter();
  ops::Reply reply = ops::overloaded();
  try {
    reply = {.content_type = Exposition::kContentType, .body = metrics(why.empty())};
  } catch (const std::bad_alloc&) {
    static_cast<void>(0);  // it is answered as a request is that finds no memory
  }
  co_await SwitchTo{home};
  co_return reply;
}

bool Pages::may_read(const ops::Source& source) const {
  if (source.administrates()) return true;
  if (!sources_.token) return false;
  if (sources_.token->empty()) return http::is_local_host(source.header("host"));
  const std::string_view authorization = source.header("authorization");
  const std::string_view scheme = authorization.substr(0, kBearer.size());
  return std::ranges::equal(scheme, kBearer, {}, auth::lower) &&
         auth::same_secret(auth::trim(authorization.substr(scheme.size())), *sources_.token);
}

std::string Pages::metrics(bool ready) {
  Exposition out;
  out.gauge("partita_build_info", "1, with the version as a label.", 1, {{"version", sources_.version}});
  out.gauge("partita_store_info", "1, with the storage engine as a label.", 1, {{"engine", sources_.store}});
  out.gauge("partita_store_up", "1 if the store accepts writes, as in /ready.", ready ? 1 : 0);
  const auto dropped = [&out](std::string_view of, uint64_t lines) {
    out.counter("partita_log_lines_dropped_total", "Lines that could not be written to stderr or the audit log.",
                static_cast<double>(lines), {{"log", of}});
  };
  dropped("server", log_lines_dropped());
  if (sources_.audit != nullptr) dropped("audit", sources_.audit->lines_dropped());
  sources_.service.report(out);
  if (sources_.traces != nullptr) sources_.traces->report(out);
  sources_.engine.report(out);
  if (sources_.service.database() != nullptr) sources_.service.database()->report(out);
  for (const auto& report : reports_) report(out);
  report_process(out);
  return std::move(out).take();
}

}  // namespace partita::observe
