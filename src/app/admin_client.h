// Calls over the administration socket of a server that runs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::app {

// For one thread; calls block until they are answered.
class AdminClient {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };

  // `place`: the socket, or the directory that the server uses. Error: kUnavailable, with one sentence.
  static Result<AdminClient> connect(const std::string& place);
  ~AdminClient();
  AdminClient(AdminClient&& other) noexcept;
  AdminClient(const AdminClient&) = delete;
  AdminClient& operator=(const AdminClient&) = delete;

  // A POST with these headers; an empty `target` is left out. Error: kUnavailable, with one sentence: the server has
  // gone, and what it did of the call is not known.
  Result<Answer> post(std::string_view target, std::string_view content_type, std::string_view body);
  // An operation of Admin.
  Result<Answer> ask(std::string_view operation, std::string_view body);

 private:
  explicit AdminClient(int socket) : socket_(socket) {}
  int socket_;
  std::string received_;
};

}  // namespace partita::app
