// Calls that this process makes of its own service.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"
#include "ops/service.h"

namespace partita::cli {

// The caller of such calls. `identity`: whose policies judge them, and outlives it; null: they may do everything.
std::shared_ptr<const auth::Caller> local_caller(const auth::Identity* identity);

// For one thread, and not for one that serves: each call blocks until it is answered.
class LocalCalls {
 public:
  // Whose policies judge the calls; null: they may do everything. Both outlive it.
  explicit LocalCalls(ops::Service& service, const auth::Identity* identity = nullptr);

  // `operation` is "PutItem", say; `body` its JSON.
  ops::Reply ask(std::string_view operation, std::string_view body);
  // The same without bytes: the execution has the request, and afterwards the reply.
  Result<void> run(std::string_view operation, ops::Execution& execution);

 private:
  ops::Service& service_;
  std::shared_ptr<const auth::Caller> caller_;
};

}  // namespace partita::cli
