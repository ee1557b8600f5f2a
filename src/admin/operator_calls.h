// Partita's own calls that policies may allow, such as "Partita_20261123.ListNamespaces": namespaces, snapshots and the
// clock.
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
  // `namespaces` outlives this.
  explicit OperatorCalls(namespaces::Namespaces& namespaces) : namespaces_(namespaces) {}

  // Precondition: the target begins with kAdminPrefix. `call` and what it points to must live until the task has ended.
  Task<ops::Reply> call(const ops::Call& call);

 private:
  namespaces::Namespaces& namespaces_;
  Workers workers_{4};  // operations wait for the end of other calls
};

// The actions that policies name, such as "partita:MoveClock".
std::vector<std::string_view> operator_actions();

}  // namespace partita::admin
