#include "cli/local_calls.h"

#include "auth/identities.h"
#include "base/check.h"
#include "base/task.h"
#include "ops/execution.h"

namespace partita::cli {

std::string dynamodb_target(std::string_view operation) {
  const ops::Operation* const row = ops::find_operation(operation);
  PARTITA_CHECK(row != nullptr);
  return ops::target_of(*row);
}

std::shared_ptr<const auth::Caller> local_caller(const auth::Identity* identity) {
  return std::make_shared<auth::Caller>(auth::Caller{.access_key_id = "local",
                                                     .region = "us-east-1",
                                                     .account_id = std::string(auth::kAccountId),
                                                     .identity = identity});
}

LocalCalls::LocalCalls(ops::Service& service, const auth::Identity* identity)
    : service_(service), caller_(local_caller(identity)) {}

ops::Reply LocalCalls::ask(std::string_view operation, std::string_view body) {
  const std::string target = dynamodb_target(operation);
  const ops::Call call{.target = target, .content_type = "application/x-amz-json-1.0", .body = body, .caller = caller_};
  return wait_for(service_.call(call));
}

Result<void> LocalCalls::run(std::string_view operation, ops::Execution& execution) {
  const ops::Operation* const row = ops::find_operation(operation);
  PARTITA_CHECK(row != nullptr);
  return wait_for(service_.run(*row, *caller_, execution));
}

}  // namespace partita::cli
