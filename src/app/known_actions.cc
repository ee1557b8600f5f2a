#include "app/known_actions.h"

#include <algorithm>

#include "app/operator_calls.h"
#include "app/suggestion.h"
#include "auth/words.h"
#include "iam/calls.h"
#include "ops/admission.h"
#include "ops/operation.h"
#include "table/access.h"

namespace partita::app {

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
  std::vector<std::string> names;
  std::vector<std::string_view> whole;
  for (const std::string& known : actions) {
    if (!lowered(known).starts_with(service)) continue;
    names.push_back(lowered(known).substr(service.size()));
    whole.push_back(known);
  }
  const size_t compared = names.empty() ? 0 : service.size();
  if (names.empty()) {
    for (const std::string& known : actions) names.push_back(lowered(known));
    whole.assign(actions.begin(), actions.end());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view found = closest(std::string_view(low).substr(compared), candidates);
  if (found.empty()) return {};
  const auto at = static_cast<size_t>(std::ranges::find(candidates, found) - candidates.begin());
  return " Did you mean '" + std::string(whole[at]) + "'?";
}

}  // namespace

std::vector<std::string> known_actions() {
  std::vector<std::string> actions = {"iam:TagPolicy"};  // of CreatePolicy with tags, beside its own
  for (const ops::Operation& operation : ops::operations()) add_actions_of(operation, actions);
  for (const iam::Call& call : iam::calls()) {
    actions.push_back((call.api == iam::Api::kSts ? "sts:" : "iam:") + std::string(call.name));
  }
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
  return Error(ErrorKind::kInvalid,
               "No request has the action " + std::string(action) + "." + suggested(action, actions));
}

}  // namespace partita::app
