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
};

struct Reply {
  int status = 200;
  std::string_view content_type = "application/x-amz-json-1.0";  // static storage
  std::string body;
};

class Service {
 public:
  // The database outlives the service.
  explicit Service(table::Database& database);
  ~Service();

  // Never fails: what goes wrong is a Reply with AWS's error body. What `call` points into must live until the task has
  // ended. Callable from any thread.
  Task<Reply> call(const Call& call);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::ops
