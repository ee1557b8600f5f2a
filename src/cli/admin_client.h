// Calls over the administration socket of a server that runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/admin_connection.h"
#include "wire/json_reader.h"

namespace partita::cli {

// For one thread; calls block until they are answered, or have been waited for long enough.
class AdminClient {
 public:
  using Answer = AdminConnection::Reply;
  // For each answer: some seconds, half a minute, or as long as it takes, which stderr then says.
  enum class Wait : uint8_t { kMoment, kShort, kLong };

  // `named`: the socket, or the directory that the server uses. Errors, one sentence each: kInvalid (reason 0) for a
  // store that is in no directory; kUnavailable if no server listens there.
  static Result<AdminClient> connect(const std::string& named);
  // From the next call on; at first it is kShort.
  void wait(Wait wait) { wait_ = wait; }

  // A POST with these headers; an empty `target` is left out. Errors of both: kUnavailable, with one sentence. What the
  // server could not do is one of them: why, as far as the server knows.
  Result<Answer> post(std::string_view target, std::string_view content_type, std::string_view body);
  // What an operation of Admin says. Error: also what the server refuses, in its own sentence.
  Result<wire::JsonDocument> ask(std::string_view operation, std::string_view body);
  // The same as the text that came, which is JSON.
  Result<std::string> ask_text(std::string_view operation, std::string_view body);

 private:
  std::string why_it_failed();
  Error not_answered() const;
  Result<Answer> send(std::string_view target, std::string_view content_type, std::string_view body);

  AdminClient(std::string place, int socket) : place_(std::move(place)), connection_(socket) {}
  std::string place_;
  AdminConnection connection_;
  Wait wait_ = Wait::kShort;
  bool told_late_ = false;
};

}  // namespace partita::cli
