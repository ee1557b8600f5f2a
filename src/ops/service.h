// Every operation of DynamoDB behind one function: a request's words in, a reply's words out.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/task.h"

namespace partita::table {
class Database;
}

namespace partita::ops {

struct Call {
  std::string_view target;        // the X-Amz-Target header, empty when absent
  std::string_view content_type;  // the Content-Type header, empty when absent
  std::string_view body;
  auth::Verdict caller;
  std::string_view host = {};  // the Host header, empty when absent
};

struct Reply {
  int status = 200;
  std::string_view content_type = "application/x-amz-json-1.0";  // static storage
  std::string body = {};
  bool repeatable = false;   // the operation changes nothing: its reply may be dropped and asked for again
  std::string trouble = {};  // what the operator should know of a failure; not for the caller
};

// What is answered when there is no memory to even begin, so that every SDK tries again.
Reply overloaded();
// What is answered when memory ran out on the way: whether the request took effect is open.
Reply out_of_memory();

class Admission;

class Service {
 public:
  // The database outlives the service.
  explicit Service(table::Database& database);
  ~Service();

  // Never fails: what goes wrong is a Reply with AWS's error body. What `call` points into must live until the task has
  // ended. Callable from any thread.
  Task<Reply> call(const Call& call);

  // Bytes that answering the call may take beyond its body and its reply, at most.
  static size_t memory_of(const Call& call);

  // What was let in and what it cost.
  const Admission& admission() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::ops
