// The audit log: a file with one line of JSON for each call, with CloudTrail's names, such as
//
//   {"eventTime":"2026-11-22T08:10:11.123Z","requestID":"...","eventSource":"dynamodb.amazonaws.com",
//    "eventName":"DeleteTable","awsRegion":"eu-west-1","sourceIPAddress":"192.0.2.7","readOnly":false,
//    "userIdentity":{"accessKeyId":"AKIAALICE","arn":"arn:aws:iam::123456789012:user/alice"},"resources":["Music"]}
//
// and "errorCode" of a failed call, "namespace" of a call to one. It never contains secrets or items.
//
// Calls refused for their signature or rate may write 4 KiB a second, and 64 KiB at once. More are only counted, and
// the next line reports their number.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "ops/service.h"

namespace partita::observe {

// Callable from any thread.
class AuditLog {
 public:
  // The calls to record: those on tables, or also those on items.
  enum class Calls : uint8_t { kControl, kAll };

  // Appends to the file; a new one is readable for its owner alone. A pipe must have a reader; writes to it do not
  // block. The clock outlives this. Error: kInvalid (reason 0), with one sentence.
  static Result<std::unique_ptr<AuditLog>> open(std::string path, Calls calls, const Clock& clock);
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // A failure is logged, and the call continues. The written part of a line remains, as a line of its own. `space`: the
  // call's namespace, or empty.
  void write(const ops::Call& call, std::string_view space, const ops::Reply& reply);

  // Opens the file at its path again, after log rotation. After an error, the old file remains in use.
  Result<void> reopen();
  // The number of lines that could not be written.
  uint64_t lines_dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  AuditLog(std::string path, int file, Calls calls, const Clock& clock);

  void append(std::string line);
  // Whether a line about a refused call may be written; if not, the call is counted.
  bool has_room();
  void took(size_t bytes);
  // The line with the number of lines left out; empty if there are none, or within a second of the last such line.
  std::string tell_left_out(int64_t now_ns) PARTITA_REQUIRES(mutex_);

  const std::string path_;
  const int file_;
  const Calls calls_;
  const Clock& clock_;
  std::atomic<int64_t> room_from_ns_{0};  // when lines about refused calls will have kept to their rate, monotonic
  std::atomic<uint64_t> left_out_{0};
  Mutex mutex_;                                     // also held while the file is written
  bool torn_ PARTITA_GUARDED_BY(mutex_);            // the file ends within a line
  int64_t told_ns_ PARTITA_GUARDED_BY(mutex_) = 0;  // when it was last said how many were left out
  std::atomic<uint64_t> dropped_{0};
};

}  // namespace partita::observe
