// Who did what: a file with a line of JSON for each call, named as CloudTrail names it, such as
//
//   {"eventTime":"2026-11-22T08:10:11.123Z","requestID":"...","eventSource":"dynamodb.amazonaws.com",
//    "eventName":"DeleteTable","awsRegion":"eu-west-1","sourceIPAddress":"192.0.2.7","readOnly":false,
//    "userIdentity":{"accessKeyId":"AKIAALICE","arn":"arn:aws:iam::123456789012:user/alice"},"resources":["Music"]}
//
// and "errorCode" where there was one, "namespace" where the call was for one. Secrets and items are never in it.
//
// Calls that were refused for their signature or for the rate of requests fill no disk: beyond 4 KiB of their lines a
// second, and 64 KiB at once, they are counted, and the next line says how many were left out.
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
  // Which calls: those about tables, or also those about items.
  enum class Calls : uint8_t { kControl, kAll };

  // Appends to the file, which is made, for its owner alone, when there is none. A pipe has to have a reader, and is
  // never waited for. The clock outlives it. Error: kInvalid (reason 0), with one sentence.
  static Result<std::unique_ptr<AuditLog>> open(std::string path, Calls calls, const Clock& clock);
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // What cannot be written is told of in the log of the server, and the call goes on. Of a line that was written in
  // part the part stays, in a line of its own.
  // `space`: the name of the namespace that the call was for, or empty.
  void write(const ops::Call& call, std::string_view space, const ops::Reply& reply);

  // Begins the file again at its path, when something has moved it away. After an error it goes on in the old one.
  Result<void> reopen();
  // Lines that the file or pipe did not take so far.
  uint64_t lines_dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  AuditLog(std::string path, int file, Calls calls, const Clock& clock);

  void append(std::string line);
  // Whether there is room for a line about a call that was refused unseen; if not, it is counted.
  bool has_room();
  void took(size_t bytes);
  // The line that says how many were left out; empty when none were, or when it was said less than a second ago.
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
