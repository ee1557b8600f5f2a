// What HTTP requests are answered by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "ops/service.h"

namespace partita::http {

// A file that is part of the program.
struct File {
  int status = 200;
  std::string_view content_type = {};      // static storage, as `body`
  std::string_view content_encoding = {};  // of `body`; empty: it is as it is
  bool unpack = false;                     // `body` is in gzip, which the client does not accept
  std::string headers = {};                // further lines, each with its CR LF
  std::string_view body = {};
};

class Handler {
 public:
  virtual ~Handler() = default;
  // A request that is not a POST comes as a call without content type. What `call` points into lives until the task has
  // ended. Called from several threads at once. Must end in the end: a server that stops waits for it a while.
  virtual Task<ops::Reply> call(const ops::Call& call) = 0;
  // Bytes that answering the call may take beyond its body and its reply, at most.
  virtual size_t memory_of(const ops::Call&) const { return 0; }
  // Why requests cannot be served as they should, as one sentence; empty when all is well. Ends as call() does.
  virtual Task<std::string> trouble() { co_return std::string(); }
  // The reply to a call is ready, as long after its last byte was read. On the thread of its connection.
  virtual void answered(const ops::Call& /*call*/, const ops::Reply& /*reply*/, int64_t /*took_ns*/) {}
  // A connection sent no valid request, or a request of a web page that may not call, and got this status. On the
  // thread of the connection.
  virtual void refused(int /*status*/) {}
  // The file that a GET of that path is answered with, whichever web page sent it; nothing when there is none. It tells
  // nothing that is not public. `source` lives until it returns.
  virtual std::optional<File> file(std::string_view /*path*/, const ops::Source& /*source*/) { return std::nullopt; }
  // The reply to a GET of that path, other than "/"; nothing when there is no such page. Both arguments live until the
  // task has ended, and it ends as call() does.
  virtual Task<std::optional<ops::Reply>> page(std::string_view /*path*/, const ops::Source& /*source*/) {
    co_return std::nullopt;
  }
};

}  // namespace partita::http
