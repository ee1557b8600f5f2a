// Calls of the service from within the process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"
#include "ops/service.h"

namespace partita::cli {

// X-Amz-Target for an operation that exists, such as "PutItem".
std::string dynamodb_target(std::string_view operation);

// The caller of such calls. The policies of `identity`, which outlives it, apply; null: everything is allowed.
std::shared_ptr<const auth::Caller> local_caller(const auth::Identity* identity);

// Not for a serving thread: each call blocks until it is answered. For one thread.
class LocalCalls {
 public:
  // The policies of `identity` apply; null: everything is allowed. Both outlive this.
  explicit LocalCalls(ops::Service& service, const auth::Identity* identity = nullptr);

  // `operation`: such as "PutItem"; `body`: its JSON.
  ops::Reply ask(std::string_view operation, std::string_view body);
  // Without JSON: the execution holds the request, then the reply.
  Result<void> run(std::string_view operation, ops::Execution& execution);

 private:
  ops::Service& service_;
  std::shared_ptr<const auth::Caller> caller_;
};

}  // namespace partita::cli
