// Calls over the administration socket of a server that runs.
#pragma once

#include <string>
#include <string_view>

#include "app/http_client.h"
#include "base/result.h"

namespace partita::app {

// For one thread; calls block until they are answered.
class AdminClient {
 public:
  using Answer = HttpClient::Answer;

  // `place`: the socket, or the directory that the server uses. Error: kUnavailable, with one sentence.
  static Result<AdminClient> connect(const std::string& place);

  // A POST with these headers; an empty `target` is left out. Errors of both: as HttpClient::post().
  Result<Answer> post(std::string_view target, std::string_view content_type, std::string_view body);
  // An operation of Admin.
  Result<Answer> ask(std::string_view operation, std::string_view body);

 private:
  explicit AdminClient(int socket) : http_(socket) {}
  HttpClient http_;
};

}  // namespace partita::app
