// A server of HTTP on this machine that answers what a test tells it, on threads of its own.
//
//   Responder responder({"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"});
//   client.send({.url = responder.url(), .body = "1"});
//   EXPECT_TRUE(responder.requests().ends_with("\r\n\r\n1"));
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "net/url.h"

namespace partita::net {

class Responder {
 public:
  // A reply that ends with it is sent without it, and the connection is closed.
  static constexpr char kEnd = '\4';

  // Called with each whole request, its head and its body, by one thread at a time.
  using Answer = std::function<std::string(std::string_view request)>;
  explicit Responder(Answer answer);
  // Answers each request with the next of `replies`, and with the last again.
  explicit Responder(std::vector<std::string> replies);
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;
  ~Responder();

  Url url() const;
  size_t connections() { return peers().size(); }
  std::string requests();  // all so far

 private:
  std::vector<int> peers();
  void accept_all();
  void answer_all(int peer);
  std::string answer(std::string_view request);

  Mutex mutex_;
  Answer answer_ PARTITA_GUARDED_BY(mutex_);
  std::vector<int> peers_ PARTITA_GUARDED_BY(mutex_);
  std::string requests_ PARTITA_GUARDED_BY(mutex_);
  int socket_ = -1;
  uint16_t port_ = 0;
  std::jthread thread_;
};

// A complete reply of that status, with a JSON body.
std::string json_reply(int status, std::string_view body);

}  // namespace partita::net
