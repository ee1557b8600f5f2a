#include "admin/known_actions.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "admin/operator_calls.h"
#include "auth/dax_action.h"
#include "auth/text_util.h"
#include "base/suggestion.h"
#include "cloudwatch/calls.h"
#include "iam/calls.h"
#include "ops/admission.h"
#include "ops/operation.h"
#include "table/catalog/access.h"

namespace partita::admin {

namespace {

std::string lowered(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(), auth::lower);
  return low;
}

void add_actions_of(const ops::Operation& operation, std::vector<std::string>& actions) {
  using table::Verb;
  for (const Verb verb :
       {Verb::kGet, Verb::kPut, Verb::kUpdate, Verb::kDelete, Verb::kCheck, Verb::kQuery, Verb::kScan, Verb::kSearch}) {
    actions.emplace_back(ops::action_of(operation, verb));
  }
}

// Of the same service when there are any, so that the name alone is compared.
std::string suggested(std::string_view action, const std::vector<std::string>& actions) {
  const std::string low = lowered(action);
  const std::string service = low.substr(0, low.find(':') + 1);
  const auto is_of_service = [&](const std::string& known) { return lowered(known).starts_with(service); };
  const size_t skipped = std::ranges::any_of(actions, is_of_service) ? service.size() : 0;
  std::map<std::string, std::string_view> actions_by_name;
  for (const std::string& known : actions) {
    if (skipped == 0 || is_of_service(known)) actions_by_name.emplace(lowered(known).substr(skipped), known);
  }
  const auto names = actions_by_name | std::views::keys;
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view found = closest(std::string_view(low).substr(skipped), candidates);
  return did_you_mean(found.empty() ? found : actions_by_name.at(std::string(found)));
}

}  // namespace

std::vector<std::string> known_actions() {
  std::vector<std::string> actions = {"iam:TagPolicy"};  // of CreatePolicy with tags, beside its own
  for (const ops::Operation& operation : ops::operations()) add_actions_of(operation, actions);
  for (const iam::CallRow& call : iam::calls()) {
    actions.push_back((call.api == iam::Api::kSts ? "sts:" : "iam:") + std::string(call.name));
  }
  for (const cloudwatch::CallRow& call : cloudwatch::calls()) actions.emplace_back(call.action);
  for (const std::string_view action : operator_actions()) actions.emplace_back(action);
  std::ranges::sort(actions);
  const auto twice = std::ranges::unique(actions);
  actions.erase(twice.begin(), twice.end());
  return actions;
}

Result<void> check_action(std::string_view action) {
  if (action.find_first_of("*?") != std::string_view::npos) return {};
  const std::vector<std::string> actions = known_actions();
  const bool known = std::ranges::any_of(
      actions, [&](const std::string& one) { return std::ranges::equal(one, action, {}, auth::lower, auth::lower); });
  if (known) return {};
  if (const std::string_view instead = auth::action_instead(action); !instead.empty()) {
    return Error(ErrorKind::kInvalid, "No request has the action " + std::string(action) +
                                          ". Calls on items over DAX are authorised as over HTTP: they need " +
                                          std::string(instead) + " on the table.");
  }
  return Error(ErrorKind::kInvalid,
               "No request has the action " + std::string(action) + "." + suggested(action, actions));
}

}  // namespace partita::admin
