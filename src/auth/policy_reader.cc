#include <simdjson.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "auth/dax_action.h"
#include "auth/policy.h"
#include "auth/text_util.h"

namespace partita::auth {

namespace {

namespace dom = simdjson::dom;

constexpr size_t kMostBytes = 64 << 10;  // ours; IAM takes 6,144 characters, DynamoDB 20 KB
constexpr std::string_view kOldestVersion = "2008-10-17";
constexpr std::string_view kNewestVersion = "2012-10-17";

Error wrong(std::string sentence, std::string_view word = {}) {
  return Error(ErrorKind::kInvalid, 0, {std::move(sentence), std::string(word)});
}

// The name itself, if the object has several members of the same.
template <size_t kCount>
Result<void> check_members(const dom::object& object, const std::array<std::string_view, kCount>& known,
                           std::string_view where) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : object) {
    if (std::ranges::find(known, name) == known.end()) {
      return wrong("A " + std::string(where) + " has no member " + std::string(name) + ".", name);
    }
    if (!seen.insert(name).second) {
      return wrong("A " + std::string(where) + " has two members " + std::string(name) + ".", name);
    }
  }
  return {};
}

std::optional<dom::element> member(const dom::object& object, std::string_view name) {
  dom::element found;
  if (object.at_key(name).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

std::optional<std::string> text_of(const dom::element& value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

// As it stands in the policy, but for floats.
std::optional<std::string> scalar_of(const dom::element& value) {
  if (auto text = text_of(value)) return text;
  if (bool flag = false; value.get(flag) == simdjson::SUCCESS) return flag ? "true" : "false";
  if (value.is_int64() || value.is_uint64() || value.is_double()) return simdjson::to_string(value);
  return std::nullopt;
}

// One, or a list of at least one.
template <class Take>
std::optional<std::vector<std::string>> one_or_more(const dom::element& value, Take take) {
  std::vector<std::string> all;
  if (dom::array list; value.get(list) == simdjson::SUCCESS) {
    for (const dom::element element : list) {
      auto one = take(element);
      if (!one) return std::nullopt;
      all.push_back(std::move(*one));
    }
  } else {
    auto one = take(value);
    if (!one) return std::nullopt;
    all.push_back(std::move(*one));
  }
  return all.empty() ? std::nullopt : std::optional(std::move(all));
}

bool is_account(std::string_view text) {
  return text.size() == 12 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "arn:aws:iam::123456789012:root" as its twelve digits, and every other name as it is.
std::string principal_name(std::string name) {
  constexpr std::string_view kBefore = ":iam::";
  constexpr std::string_view kRoot = ":root";
  const size_t at = name.find(kBefore);
  if (name.starts_with("arn:") && at != std::string::npos && name.ends_with(kRoot)) {
    std::string account = name.substr(at + kBefore.size(), name.size() - kRoot.size() - at - kBefore.size());
    if (is_account(account)) return account;
  }
  return name;
}

bool is_action(std::string_view action) {
  if (action == "*") return true;
  const size_t colon = action.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == action.size()) return false;
  const auto of_service = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return std::ranges::all_of(action.substr(0, colon), of_service);
}

// A star at the end stands for all the parts that are left.
bool is_resource(std::string_view resource) {
  if (resource == "*") return true;
  constexpr int kColons = 5;
  return resource.starts_with("arn:") && (resource.ends_with('*') || std::ranges::count(resource, ':') >= kColons);
}

}  // namespace

class PolicyReader {
 public:
  explicit PolicyReader(Policy::Use use) { policy_.use_ = use; }

  Result<Policy> read(const dom::element& root) {
    static constexpr std::array<std::string_view, 3> kMembers{"Version", "Id", "Statement"};
    dom::object document;
    if (root.get(document) != simdjson::SUCCESS) return wrong("A policy is a JSON object.");
    PARTITA_TRY_VOID(check_members(document, kMembers, "policy"));
    if (const auto version = member(document, "Version")) {
      const auto text = text_of(*version);
      if (text != kOldestVersion && text != kNewestVersion) {
        return wrong("The Version of a policy is 2012-10-17 or 2008-10-17.", text.value_or(""));
      }
      variables_ = text == kNewestVersion;
    }
    if (const auto id = member(document, "Id"); id && !text_of(*id))
      return wrong("The Id of a policy is a text.", "Id");
    const auto statement = member(document, "Statement");
    if (!statement) return wrong("A policy needs a Statement.");
    if (dom::array list; statement->get(list) == simdjson::SUCCESS) {
      if (list.size() == 0) return wrong("A policy needs a Statement.", "Statement");
      for (const dom::element one : list) PARTITA_TRY_VOID(read_statement(one));
    } else {
      PARTITA_TRY_VOID(read_statement(*statement));
    }
    policy_.index_.finish();
    for (const ActionOfDax& one : actions_of_dax_) warn(one);
    return std::move(policy_);
  }

 private:
  Result<void> read_statement(const dom::element& value) {
    static constexpr std::array<std::string_view, 9> kMembers{
        "Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"};
    dom::object object;
    if (value.get(object) != simdjson::SUCCESS) return wrong("A statement is a JSON object.", "Statement");
    PARTITA_TRY_VOID(check_members(object, kMembers, "statement"));
    Policy::Statement statement;
    PARTITA_TRY_VOID(read_sid(object));
    const auto effect = member(object, "Effect");
    const auto word = effect ? text_of(*effect) : std::nullopt;
    if (word != "Allow" && word != "Deny") {
      return wrong("The Effect of a statement is Allow or Deny.", word.value_or("Effect"));
    }
    statement.allows = word == "Allow";
    PARTITA_TRY_VOID(read_principals(object, statement));
    PARTITA_TRY_VOID(read_actions(object, statement));
    PARTITA_TRY_VOID(read_resources(object, statement));
    if (const auto condition = member(object, "Condition")) {
      PARTITA_TRY_VOID(read_conditions(*condition, statement));
    }
    policy_.add(std::move(statement));
    return {};
  }

  Result<void> read_sid(const dom::object& object) {
    const auto sid = member(object, "Sid");
    if (!sid) return {};
    const auto text = text_of(*sid);
    if (!text) return wrong("The Sid of a statement is a text.", "Sid");
    const bool plain = std::ranges::all_of(
        *text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
    if (policy_.use_ == Policy::Use::kIdentity && !plain) {
      return wrong("A Sid has letters and digits, and no other characters.", *text);
    }
    if (!text->empty() && !sids_.insert(*text).second)
      return wrong("Two statements have the Sid " + *text + ".", *text);
    return {};
  }

  // Whichever of "X" and "NotX" is there; `inverse` says which.
  static Result<dom::element> choose(const dom::object& object, const std::string& name, bool& inverse) {
    const auto direct = member(object, name);
    const auto opposite = member(object, "Not" + name);
    if (direct && opposite) return wrong("A statement has " + name + " or Not" + name + ", not both.", "Not" + name);
    if (!direct && !opposite) return wrong("A statement needs " + name + " or Not" + name + ".");
    inverse = opposite.has_value();
    return inverse ? *opposite : *direct;
  }

  Result<void> read_principals(const dom::object& object, Policy::Statement& statement) const {
    static constexpr std::array<std::string_view, 4> kKinds{"AWS", "Service", "Federated", "CanonicalUser"};
    const bool any = member(object, "Principal") || member(object, "NotPrincipal");
    if (policy_.use_ == Policy::Use::kIdentity) {
      if (any) return wrong("A policy of an identity names no Principal.", "Principal");
      return {};
    }
    PARTITA_TRY(const dom::element value, choose(object, "Principal", statement.not_principals));
    if (statement.not_principals && statement.allows) {
      return wrong("NotPrincipal is not supported with the Effect Allow.", "NotPrincipal");
    }
    if (text_of(value) == "*") {
      statement.principals.emplace_back("*");
      return {};
    }
    dom::object kinds;
    if (value.get(kinds) != simdjson::SUCCESS || kinds.size() == 0) {
      return wrong("A Principal is \"*\" or an object with AWS.", "Principal");
    }
    PARTITA_TRY_VOID(check_members(kinds, kKinds, "principal"));
    for (const auto& [kind, names] : kinds) {
      auto all = one_or_more(names, text_of);
      if (!all) return wrong("A Principal's " + std::string(kind) + " is a text or a list of texts.", kind);
      if (kind != "AWS") continue;  // of these nobody comes here
      for (std::string& name : *all) {
        if (name != "*" && !is_account(name) && !name.starts_with("arn:") && !is_unique_id(name)) {
          return wrong("Invalid principal in policy: " + name + ".", name);
        }
        statement.principals.push_back(principal_name(std::move(name)));
      }
    }
    return {};
  }

  Result<void> read_actions(const dom::object& object, Policy::Statement& statement) {
    PARTITA_TRY(const dom::element value, choose(object, "Action", statement.not_actions));
    const auto all = one_or_more(value, text_of);
    if (!all) return wrong("An Action is a text or a list of texts.", "Action");
    for (const std::string& action : *all) {
      if (!is_action(action)) return wrong("Actions/Conditions must be prefaced by a vendor: " + action + ".", action);
      const std::string_view instead = action_instead(action);
      const auto is_same = [&](const ActionOfDax& one) {
        return one.instead == instead && one.allows == statement.allows;
      };
      if (!instead.empty() && !statement.not_actions && std::ranges::none_of(actions_of_dax_, is_same)) {
        actions_of_dax_.push_back({statement_number(), action, instead, statement.allows});
      }
      statement.actions.push_back(*Pattern::read(action, {true, false, true}));
    }
    return {};
  }

  Result<void> read_resources(const dom::object& object, Policy::Statement& statement) const {
    if (policy_.use_ == Policy::Use::kTrust) {
      const bool any = member(object, "Resource") || member(object, "NotResource");
      if (any) return wrong("Has prohibited field Resource.", "Resource");
      return {};
    }
    PARTITA_TRY(const dom::element value, choose(object, "Resource", statement.not_resources));
    const auto all = one_or_more(value, text_of);
    if (!all) return wrong("A Resource is a text or a list of texts.", "Resource");
    for (const std::string& resource : *all) {
      if (!is_resource(resource)) {
        return wrong("Resource " + resource + " must be in ARN format or \"*\".", resource);
      }
      auto pattern = Pattern::read(resource, {true, variables_, false});
      if (!pattern) return wrong("The variable in " + resource + " is not one.", resource);
      statement.resources.push_back(std::move(*pattern));
    }
    return {};
  }

  Result<void> read_conditions(const dom::element& value, Policy::Statement& statement) {
    dom::object operators;
    if (value.get(operators) != simdjson::SUCCESS) return wrong("A Condition is a JSON object.", "Condition");
    std::set<std::string_view> seen;
    for (const auto& [op, of_operator] : operators) {
      if (!seen.insert(op).second) return wrong("A Condition has two members " + std::string(op) + ".", op);
      dom::object keys;
      if (of_operator.get(keys) != simdjson::SUCCESS) {
        return wrong("The operator " + std::string(op) + " of a Condition is an object of keys.", op);
      }
      std::set<std::string_view> of_keys;
      for (const auto& [key, values] : keys) {
        if (!of_keys.insert(key).second) return wrong("An operator has two members " + std::string(key) + ".", key);
        PARTITA_TRY_VOID(check_key(key));
        const auto all = one_or_more(values, scalar_of);
        if (!all) return wrong("The values of " + std::string(key) + " are texts, numbers or true or false.", key);
        PARTITA_TRY(PolicyCondition condition, PolicyCondition::read(op, key, *all, variables_));
        statement.of_items |= tells_items_apart(condition.key());
        if (condition.key() == ConditionKey::kNever) warn(key, condition, statement);
        statement.conditions.push_back(std::move(condition));
      }
    }
    return {};
  }

  // A key that were merely absent would let pass whatever ForAllValues, IfExists or a Deny were to hold back.
  static Result<void> check_key(std::string_view key) {
    const auto name = key_name(key);
    if (!name) return wrong("Actions/Conditions must be prefaced by a vendor: " + std::string(key) + ".", key);
    if (name->key != ConditionKey::kUnknown) return {};
    return Error(
        ErrorKind::kInvalid, Policy::kUnknownKey,
        {"The condition key " + std::string(key) + " is not known: AWS documents no such key. Check its spelling.",
         std::string(key)});
  }

  // Of the one that is read.
  std::string statement_number() const { return "Statement " + std::to_string(policy_.statements() + 1); }

  void warn(std::string_view key, const PolicyCondition& condition, const Policy::Statement& statement) {
    const bool holds = condition.holds_when_absent();
    if (holds != statement.allows) return;  // it does what it says
    const std::string does = holds ? " is not restricted by " : " denies nothing: it asks for ";
    policy_.warnings_.push_back(statement_number() + does + std::string(key) +
                                ", which no request to this server has.");
  }

  struct ActionOfDax {
    std::string statement;
    std::string action;
    std::string_view instead;
    bool allows;
  };

  // Policies of AWS's name the action of DynamoDB beside it.
  void warn(const ActionOfDax& one) {
    class NoRequest final : public ConditionContext {
     public:
      std::optional<std::span<const std::string_view>> values(const KeyName&) override { return std::nullopt; }
    } none;
    const bool has_both = std::ranges::any_of(policy_.statements_, [&](const Policy::Statement& statement) {
      const auto names_it = [&](const Pattern& action) { return action.matches(one.instead, none); };
      return statement.allows == one.allows &&
             std::ranges::any_of(statement.actions, names_it) != statement.not_actions;
    });
    if (has_both) return;
    const std::string what = ", which no request to this server has: items over DAX need ";
    policy_.warnings_.push_back(one.statement + " names " + one.action + what + std::string(one.instead) +
                                " on the table.");
  }

  Policy policy_;
  bool variables_ = false;
  std::vector<ActionOfDax> actions_of_dax_;  // the first of each
  std::set<std::string> sids_;
};

Result<Policy> Policy::parse(std::string_view text, Use use) {
  if (text.size() > kMostBytes) return wrong("A policy has at most 65,536 bytes.");
  dom::parser parser;
  dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS)
    return wrong("The policy is not valid JSON.");
  return PolicyReader(use).read(root);
}

}  // namespace partita::auth
