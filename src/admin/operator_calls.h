// Calls that DynamoDB does not have, made as its calls are: X-Amz-Target names one of Partita_20261123, such as
// "Partita_20261123.ListNamespaces", and the body is JSON.
#pragma once

#include <string_view>
#include <vector>

#include "base/task.h"
#include "base/workers.h"
#include "namespaces/namespaces.h"
#include "ops/service.h"

namespace partita::admin {

// Callable from any thread.
class OperatorCalls {
 public:
  // Outlives it.
  explicit OperatorCalls(namespaces::Namespaces& namespaces) : namespaces_(namespaces) {}

  // Precondition: the target begins with kAdminPrefix. What `call` points into must live until the task has ended.
  Task<ops::Reply> call(const ops::Call& call);

 private:
  namespaces::Namespaces& namespaces_;
  Workers workers_{4};  // they block until the calls under way have ended
};

// Of all these calls: "partita:MoveClock".
std::vector<std::string_view> operator_actions();

}  // namespace partita::admin
