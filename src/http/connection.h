// One connection: reads requests, has them answered, writes the replies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/task.h"
#include "http/reply_head.h"
#include "http/request_reader.h"
#include "http/server.h"
#include "http/stream.h"

namespace partita::http {

// What the connections of one thread have in common.
struct Site {
  const Options& options;
  Handler& handler;
  const Clock& clock;
  RequestIds ids;
  DateText date;
  int64_t now_ns = 0;     // monotonic, as of the last sweep
  bool stopping = false;  // no further request is begun
};

// For one thread. Must not be destroyed before serve() has ended.
class Connection {
 public:
  Connection(Site& site, std::unique_ptr<Stream> stream);

  // Ends when the client, a timeout, bad input or a stopping site ends the connection.
  Task<> serve();

  // Closes the connection if it has used up its time.
  void sweep();
  // Closes it if it is between two requests; else it ends with its next reply.
  void stop();
  // Closes it now. A handler that is at work goes on, and its reply is dropped.
  void abandon() { stream_->close(); }

 private:
  enum class Phase : uint8_t { kIdle, kHead, kBody, kHandling, kWriting, kDraining };

  Task<RequestReader::State> read_request();
  Task<bool> answer(bool keep_alive);
  Task<bool> answer_call(bool keep_alive);
  Task<bool> answer_health(bool keep_alive);
  Task<bool> answer_preflight(bool keep_alive);
  Task<> refuse(RequestReader::State why);
  Task<> drain();
  Task<bool> send(ReplyHead head, std::string_view body);
  void enter(Phase phase);
  int64_t time_of(Phase phase) const;

  Site& site_;
  std::unique_ptr<Stream> stream_;
  RequestReader reader_;
  Phase phase_ = Phase::kIdle;
  int64_t deadline_ns_ = 0;
  std::string head_;  // of the reply, kept for its memory
};

}  // namespace partita::http
