#include "observe/audit_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "admin/admin.h"
#include "admin/operator_calls.h"
#include "auth/identities.h"
#include "base/log.h"
#include "ops/footprint.h"
#include "ops/operation.h"
#include "table/maintenance/namespaces.h"
#include "wire/fault_table.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/legible.h"

namespace partita::observe {

namespace {

using wire::JsonWriter;

constexpr int64_t kSecondNs = 1'000'000'000;
// Of lines about calls that were refused unseen: 350 MB a day at most.
constexpr int64_t kRefusedBytesPerSecond = 4'096;
constexpr int64_t kRefusedAtOnceNs = kSecondNs * 65'536 / kRefusedBytesPerSecond;

Result<int> open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
  if (file >= 0) return file;
  return Error(ErrorKind::kInvalid,
               "The audit log " + path + " cannot be opened: " + std::system_category().message(errno) + ".");
}

std::string_view source_of(ops::Api api) {
  if (api == ops::Api::kAutoScaling) return "application-autoscaling.amazonaws.com";
  if (api == ops::Api::kDax) return "dax.amazonaws.com";
  if (api == ops::Api::kIam) return "iam.amazonaws.com";
  if (api == ops::Api::kCloudWatch) return "monitoring.amazonaws.com";
  return api == ops::Api::kSts ? "sts.amazonaws.com" : "dynamodb.amazonaws.com";
}

// As a full disk leaves it.
bool ends_within_line(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  return file.tellg() > 0 && file.seekg(-1, std::ios::end).get() != '\n';
}

// Refused before anybody looked at what it asks for, so that who sends it needs no rights, or not even a key.
bool is_refused_unseen(const auth::Caller* caller, const ops::Reply& reply) {
  return caller == nullptr ||
         (reply.error && static_cast<wire::Exception>(*reply.error) == wire::Exception::kThrottling);
}

void write_time(JsonWriter& json, const Clock& clock) {
  json.member("eventTime", std::string(utc_text(clock.now_ms()).data()) + "Z");
}

bool is_read_only(const ops::Operation* operation, std::string_view event) {
  const auto begins = [&](std::string_view word) { return event.starts_with(word); };
  const bool reads = operation != nullptr && operation->kind == ops::Kind::kRead;
  return reads || begins("Describe") || begins("Get") || begins("List");
}

// Of a call to the server itself; empty for all other calls.
std::string_view administered(const ops::Call& call) {
  if (!call.target.starts_with(admin::kAdminPrefix)) return {};
  return call.target.substr(admin::kAdminPrefix.size());
}

// Consoles and status lines ask each second how the server is.
bool asks_how_it_is(std::string_view administered) {
  return administered.starts_with("Describe") || administered == admin::kListJobs;
}

// The namespace that a call to the server itself names, before the one that it comes in: see OperatorCalls.
std::string space_of(const ops::Call& call, std::string_view comes_in) {
  if (call.footprint == nullptr || !call.footprint->space) return std::string(comes_in);
  const std::string& named = *call.footprint->space;
  return table::is_namespace_name(named) ? named : std::string();
}

void write_identity(JsonWriter& json, const auth::Caller& caller) {
  json.member("awsRegion", caller.region);
  json.begin_object("userIdentity");
  json.member("accessKeyId", wire::legible(caller.access_key_id));
  if (caller.identity != nullptr) {
    json.member("arn", caller.identity->arn);
  }
  json.end_object();
}

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(std::string path, Calls calls, const Clock& clock) {
  PARTITA_TRY(const int file, open_file(path));
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(path), file, calls, clock));
}

AuditLog::AuditLog(std::string path, int file, Calls calls, const Clock& clock)
    : path_(std::move(path)), file_(file), calls_(calls), clock_(clock), torn_(ends_within_line(path_)) {}

AuditLog::~AuditLog() {
  told_ns_ = 0;
  append({});
  ::close(file_);
}

// Replaces the old file atomically for threads that are writing.
Result<void> AuditLog::reopen() {
  PARTITA_TRY(const int file, open_file(path_));
  const MutexLock lock(mutex_);
  ::dup3(file, file_, O_CLOEXEC);
  ::close(file);
  torn_ = ends_within_line(path_);
  return {};
}

void AuditLog::write(const ops::Call& call, std::string_view space, const ops::Reply& reply) {
  const ops::Operation* const operation = reply.operation != nullptr ? reply.operation : ops::find_target(call.target);
  const std::string_view asked = operation == nullptr ? administered(call) : std::string_view();
  const bool reads_keys = asked == admin::kDescribeHotKeys || asked == admin::kDescribeHeat;
  if (operation == nullptr && (asked.empty() || (asks_how_it_is(asked) && !reads_keys))) return;
  const bool is_control = operation == nullptr ? !reads_keys : operation->kind == ops::Kind::kControl;
  if (calls_ == Calls::kControl && !is_control) return;
  const std::string event = operation == nullptr ? wire::legible(asked) : std::string(operation->name);
  const auth::Caller* const caller = ops::known_caller(call);
  const bool refused_unseen = is_refused_unseen(caller, reply);
  if (refused_unseen && !has_room()) return;
  JsonWriter json;
  json.begin_object();
  write_time(json, clock_);
  json.member("requestID", call.request_id);
  json.member("eventSource", operation == nullptr ? "partita" : source_of(operation->api));
  json.member("eventName", event);
  if (call.source != nullptr) {
    json.member("sourceIPAddress", call.source->address());
  }
  if (const std::string about = space_of(call, space); !about.empty()) {
    json.member("namespace", about);
  }
  json.member("readOnly", is_read_only(operation, event));
  if (caller != nullptr) write_identity(json, *caller);
  json.begin_array("resources");
  if (call.footprint != nullptr) {
    for (const std::string& name : call.footprint->names()) json.string(name);
  }
  json.end_array();
  if (reply.error) {
    json.member("errorCode", wire::name_of(static_cast<wire::Exception>(*reply.error)).name);
  }
  json.end_object();
  std::string line = std::move(json).take() + "\n";
  if (refused_unseen) took(line.size());
  append(std::move(line));
}

bool AuditLog::has_room() {
  if (room_from_ns_.load(std::memory_order_relaxed) - clock_.monotonic_ns() < kRefusedAtOnceNs) return true;
  left_out_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void AuditLog::took(size_t bytes) {
  const int64_t cost_ns = static_cast<int64_t>(bytes) * kSecondNs / kRefusedBytesPerSecond;
  const int64_t now_ns = clock_.monotonic_ns();
  int64_t before = room_from_ns_.load(std::memory_order_relaxed);
  while (!room_from_ns_.compare_exchange_weak(before, std::max(before, now_ns) + cost_ns, std::memory_order_relaxed)) {
  }
}

std::string AuditLog::tell_left_out(int64_t now_ns) {
  if (left_out_.load(std::memory_order_relaxed) == 0 || (told_ns_ != 0 && now_ns - told_ns_ < kSecondNs)) return {};
  told_ns_ = now_ns;
  JsonWriter json;
  json.begin_object();
  write_time(json, clock_);
  json.member("eventSource", "partita");
  json.member("eventName", "RefusedCallsLeftOut");
  json.member("readOnly", true);
  json.begin_array("resources");
  json.end_array();
  json.member("count", static_cast<int64_t>(left_out_.exchange(0, std::memory_order_relaxed)));
  json.end_object();
  return std::move(json).take() + "\n";
}

void AuditLog::append(std::string line) {
  const MutexLock lock(mutex_);
  line.insert(0, tell_left_out(clock_.monotonic_ns()));
  if (line.empty()) return;
  if (torn_) line.insert(0, "\n");
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(file_, line.data() + done, line.size() - done);
    if (written <= 0) break;
    done += static_cast<size_t>(written);
    torn_ = line[done - 1] != '\n';
  }
  if (done == line.size()) return;
  dropped_.fetch_add(1, std::memory_order_relaxed);
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) {
    log(LogLevel::kError, {"The audit log ", path_, " cannot be written: ", std::system_category().message(errno)});
  }
}

}  // namespace partita::observe
