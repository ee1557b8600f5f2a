// What policies decide about a request that nobody makes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admin/admin.h"
#include "auth/identities.h"
#include "auth/policy.h"
#include "base/result.h"
#include "iam/directory.h"
#include "ops/service.h"

namespace partita::admin {

struct SimulatedRequest {
  std::string user;  // either this or `role`; the other is empty
  std::string role;
  std::string action;                                        // "dynamodb:GetItem"
  std::string resource;                                      // an ARN
  std::vector<std::pair<std::string, std::string>> context;  // condition keys and values
  std::string resource_policy;                               // the document; empty: the stored one
};

// The resource of the request: its policy and tags, null if it has none.
struct SimulatedResource {
  const auth::Policy* policy = nullptr;
  const std::map<std::string, std::string>* tags = nullptr;
};

struct SimulatedDecision {
  bool allowed = false;
  std::string message;  // the error that a caller would get; empty if allowed
  std::vector<std::string> warnings;
};

// `place` names the source of `identities` in errors. Error: kInvalid (reason 0), with one sentence.
Result<SimulatedDecision> simulate(const auth::Identities& identities, const SimulatedRequest& asked,
                                   const SimulatedResource& subject, std::string_view place);

inline constexpr std::string_view kSimulatePolicy = "SimulatePolicy";
// Serves the operation kSimulatePolicy with the server's own users, tables and resource policies. All outlive `admin`.
void answer_simulations(Admin& admin, iam::Directory& directory, ops::Service& service);

}  // namespace partita::admin
