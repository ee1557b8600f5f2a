#include "ops/policy_document.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <vector>

#include "auth/account.h"
#include "auth/policy.h"
#include "iam/trust.h"
#include "model/fault.h"
#include "ops/admission.h"
#include "ops/request.h"
#include "ops/resource_arn.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;
using wire::JsonWriter;
using JsonKind = JsonValue::Kind;

constexpr size_t kMaxPolicyBytes = 20'480;  // "Resource-based policies" in DynamoDB's developer guide; spaces count
constexpr std::string_view kBadPolicy = "One or more parameter values were invalid: Invalid policy document: ";
constexpr std::string_view kOldestVersion = "2008-10-17";
constexpr std::string_view kNewestVersion = "2012-10-17";

constexpr std::array<std::string_view, 3> kPolicyMembers{"Version", "Id", "Statement"};
constexpr std::array<std::string_view, 9> kStatementMembers{
    "Sid", "Effect", "Principal", "NotPrincipal", "Action", "NotAction", "Resource", "NotResource", "Condition"};
constexpr std::array<std::string_view, 4> kPrincipalKinds{"AWS", "Service", "Federated", "CanonicalUser"};
// "Authorization with resource-based policies" in the developer guide.
constexpr std::array<std::string_view, 4> kStreamActions{"DescribeStream", "GetRecords", "GetShardIterator",
                                                         "ListStreams"};
constexpr std::array<std::string_view, 3> kPolicyActions{"DeleteResourcePolicy", "GetResourcePolicy",
                                                         "PutResourcePolicy"};

bool same_letters(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(one, other, {}, lower, lower);
}

// As IAM matches: '*' is any text, '?' any one character; letters of either case are the same.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || same_letters(pattern.substr(p, 1), text.substr(t, 1)))) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// A string, or a list of strings.
std::optional<std::vector<std::string>> strings_in(const JsonValue& value) {
  if (value.is(JsonKind::kString)) return std::vector{std::string(value.as_string())};
  if (!value.is(JsonKind::kArray)) return std::nullopt;
  for (const JsonValue element : value.elements()) {
    if (!element.is(JsonKind::kString)) return std::nullopt;
  }
  return texts(value);
}

void write_strings(JsonWriter& json, const std::vector<std::string>& strings) {
  if (strings.size() == 1) return json.string(strings.front());
  json.begin_array();
  for (const std::string& one : strings) json.string(one);
  json.end_array();
}

void write_as_it_is(JsonWriter& json, const JsonValue& value);

void write_members(JsonWriter& json, const JsonValue& object, void (*write)(JsonWriter&, const JsonValue&)) {
  json.begin_object();
  for (const auto& [name, member] : object.members()) {
    json.key(name);
    write(json, member);
  }
  json.end_object();
}

void write_as_it_is(JsonWriter& json, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::kNull:
      return json.null();
    case JsonKind::kBoolean:
      return json.boolean(value.as_boolean());
    case JsonKind::kInteger:
      return json.number(value.as_integer());
    case JsonKind::kDecimal:
      return json.number(value.as_double());
    case JsonKind::kString:
      return json.string(value.as_string());
    case JsonKind::kArray:
      json.begin_array();
      for (const JsonValue element : value.elements()) write_as_it_is(json, element);
      return json.end_array();
    case JsonKind::kObject:
      return write_members(json, value, write_as_it_is);
  }
}

// A list of one value becomes that value, as it does in Action and Resource.
void write_condition(JsonWriter& json, const JsonValue& condition) {
  write_members(json, condition, [](JsonWriter& to, const JsonValue& keys) {
    if (!keys.is(JsonKind::kObject)) return write_as_it_is(to, keys);
    write_members(to, keys, [](JsonWriter& out, const JsonValue& values) {
      const bool one = values.is(JsonKind::kArray) && values.size() == 1;
      write_as_it_is(out, one ? *values.elements().begin() : values);
    });
  });
}

// Of the server's users. Null for callers who are taken at their word.
std::shared_ptr<const auth::Account> account_of(const Context& context) {
  return context.caller.keys == nullptr ? nullptr : context.caller.keys->account();
}

// Whether it is the ARN of an account's root, of one user or role, or of one session, as AWS takes them.
bool names_principal(const ArnParts& arn) {
  if (arn.account.size() != 12) return false;
  const std::string_view id = arn.relative_id;
  if (arn.service == "iam" && id == "root") return true;
  const bool of_iam = arn.service == "iam" && (id.starts_with("user/") || id.starts_with("role/"));
  const bool of_sts = arn.service == "sts" && (id.starts_with("assumed-role/") || id.starts_with("federated-user/"));
  return (of_iam || of_sts) && !id.ends_with('/') && id.find_first_of("*?${}") == std::string_view::npos;
}

// Checks a policy and writes it in the one form that it is kept in.
class Reader {
 public:
  Reader(std::string_view text, bool of_stream, const Context& context)
      : text_(text), of_stream_(of_stream), context_(context), account_(account_of(context)) {}

  Result<ReadPolicy> read(const JsonValue& root) {
    if (root.is(JsonKind::kArray)) return refuse(Fault::kPolicyNotJson);
    if (!root.is(JsonKind::kObject)) return refuse(Fault::kPolicyNotPolicy);
    if (root.size() == 0) return syntax_at_end();
    PARTITA_TRY_VOID(check_members(root, kPolicyMembers));
    const JsonValue version = root.get("Version");
    const bool known = version.is(JsonKind::kString) &&
                       (version.as_string() == kOldestVersion || version.as_string() == kNewestVersion);
    if (version.present() && !known) return syntax(version);
    ReadPolicy read;
    read.policy.versioned = version.present();
    json_.begin_object();
    json_.member("Version", version.present() ? version.as_string() : kOldestVersion);
    PARTITA_TRY_VOID(copy_text(root, "Id"));
    PARTITA_TRY_VOID(statements(root.get("Statement")));
    json_.end_object();
    read.policy.document = std::move(json_).take();
    read.locks_out = locks_out_;
    // Conditions and variables, which are enforced as they are read there.
    const auto policy = auth::Policy::parse(read.policy.document, auth::Policy::Use::kResource);
    if (!policy.ok() && policy.error().reason() == auth::Policy::kUnknownKey) {
      return refuse(Fault::kConstraints,
                    {std::string(kBadPolicy) + "The condition key " + policy.error().args().back() + " is not known"});
    }
    if (!policy.ok()) return syntax_behind(policy.error().args().back());
    if (!policy->warnings().empty()) read.warning = policy->warnings().front();
    return read;
  }

 private:
  // DynamoDB names the place right behind what it did not expect.
  Error syntax_at(size_t place) const {
    const std::string_view before = text_.substr(0, place);
    const size_t line = before.rfind('\n');
    const size_t column = line == std::string_view::npos ? place + 1 : place - line;
    const auto lines = 1 + std::ranges::count(before, '\n');
    return refuse(Fault::kPolicySyntax, {std::to_string(lines), std::to_string(column)});
  }
  Error syntax_at_end() const { return syntax_at(text_.size()); }
  // Where a text is found again that is written without escapes; else at the end.
  Error syntax_behind(std::string_view word) const {
    const std::string quoted = "\"" + std::string(word) + "\"";
    const size_t found = text_.find(quoted);
    return found == std::string_view::npos ? syntax_at_end() : syntax_at(found + quoted.size());
  }
  Error syntax(const JsonValue& value) const {
    return value.is(JsonKind::kString) ? syntax_behind(value.as_string()) : syntax_at_end();
  }

  template <size_t kCount>
  Result<void> check_members(const JsonValue& object, const std::array<std::string_view, kCount>& known) const {
    for (const auto& [name, value] : object.members()) {
      if (std::ranges::find(known, name) == known.end()) return syntax_behind(name);
    }
    return {};
  }

  Result<void> copy_text(const JsonValue& object, std::string_view name) {
    const JsonValue value = object.get(name);
    if (!value.present()) return {};
    if (!value.is(JsonKind::kString)) return syntax(value);
    json_.member(name, value.as_string());
    return {};
  }

  Result<void> statements(const JsonValue& value) {
    if (!value.present()) return refuse(Fault::kPolicyFieldMissing, {"Statement"});
    json_.begin_array("Statement");
    if (value.is(JsonKind::kObject)) {
      PARTITA_TRY_VOID(statement(value));
    } else {
      if (!value.is(JsonKind::kArray)) return syntax(value);
      if (value.size() == 0) return refuse(Fault::kPolicyEmpty);
      for (const JsonValue one : value.elements()) {
        if (!one.is(JsonKind::kObject)) return syntax(one);
        PARTITA_TRY_VOID(statement(one));
      }
    }
    json_.end_array();
    return {};
  }

  Result<void> statement(const JsonValue& one) {
    PARTITA_TRY_VOID(check_members(one, kStatementMembers));
    const JsonValue effect = one.get("Effect");
    if (!effect.present()) return refuse(Fault::kPolicyFieldMissing, {"Effect"});
    const bool allow = effect.is(JsonKind::kString) && same_letters(effect.as_string(), "Allow");
    const bool deny = effect.is(JsonKind::kString) && same_letters(effect.as_string(), "Deny");
    if (!allow && !deny) return syntax(effect);
    const JsonValue condition = one.get("Condition");
    if (condition.present() && !condition.is(JsonKind::kObject)) return syntax(condition);
    json_.begin_object();
    PARTITA_TRY_VOID(copy_text(one, "Sid"));
    if (const JsonValue sid = one.get("Sid"); sid.present() && !sids_.emplace(sid.as_string()).second) {
      return refuse(Fault::kPolicySidTwice);
    }
    json_.member("Effect", allow ? "Allow" : "Deny");
    PARTITA_TRY(const bool everyone, principal(one));
    if (allow && everyone && !condition.present()) return refuse(Fault::kPolicyUnbounded);
    PARTITA_TRY_VOID(check_resources(one));
    PARTITA_TRY(const bool puts_policy, actions(one));
    PARTITA_TRY_VOID(resources(one));
    if (condition.present()) {
      json_.key("Condition");
      write_condition(json_, condition);
    }
    json_.end_object();
    locks_out_ |= deny && puts_policy && names_caller_ && !condition.present();
    return {};
  }

  // Whichever of "X" and "NotX" is there.
  static Result<std::string_view> choose(const JsonValue& one, std::string_view name, std::string_view opposite) {
    if (one.get(name).present()) return name;
    if (one.get(opposite).present()) return opposite;
    return refuse(Fault::kPolicyFieldMissing, {std::string(name)});
  }

  // True: it means everyone.
  Result<bool> principal(const JsonValue& one) {
    PARTITA_TRY(const std::string_view name, choose(one, "Principal", "NotPrincipal"));
    const JsonValue value = one.get(name);
    const bool inverse = name == "NotPrincipal";
    names_caller_ = false;
    json_.key(name);
    if (value.is(JsonKind::kString) && value.as_string() == "*") {
      names_caller_ = !inverse;
      json_.string("*");
      return !inverse;
    }
    if (!value.is(JsonKind::kObject) || value.size() == 0) return syntax(value);
    PARTITA_TRY_VOID(check_members(value, kPrincipalKinds));
    bool everyone = false;
    json_.begin_object();
    for (const std::string_view kind : kPrincipalKinds) {
      const JsonValue of_kind = value.get(kind);
      if (!of_kind.present()) continue;
      auto names = strings_in(of_kind);
      if (!names || names->empty()) return syntax(of_kind);
      if (kind == "AWS") {
        PARTITA_TRY(everyone, complete(*names));
      }
      json_.key(kind);
      write_strings(json_, *names);
    }
    json_.end_object();
    names_caller_ = names_caller_ && !inverse;
    return everyone && !inverse;
  }

  // Accounts become their root's ARNs, users and roles their ids, and every name stands once. True: one of them is
  // everyone.
  Result<bool> complete(std::vector<std::string>& names) {
    std::vector<std::string> once;
    bool everyone = false;
    for (std::string& name : names) {
      const bool account = name.size() == 12 && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
      if (account) name = "arn:aws:iam::" + name + ":root";
      const auto parts = arn_parts(name);
      const bool by_id = account_ != nullptr && auth::is_unique_id(name);
      if (name != "*" && !by_id && !(parts && names_principal(*parts))) return refuse(Fault::kPolicyPrincipal);
      everyone |= name == "*";
      names_caller_ |=
          name == "*" || (parts && parts->account == context_.caller.account_id && parts->relative_id == "root");
      if (account_ != nullptr) {
        const auto kept = iam::kept_name(*account_, name);
        if (!kept) return refuse(Fault::kPolicyPrincipal);
        name = *kept;
      }
      if (std::ranges::find(once, name) == once.end()) once.push_back(name);
    }
    names = std::move(once);
    return everyone;
  }

  bool is_action(const std::string& action) const {
    constexpr std::string_view kService = "dynamodb:";
    if (action == "*") return true;
    if (!same_letters(std::string_view(action).substr(0, kService.size()), kService)) return false;
    const std::string_view name = std::string_view(action).substr(kService.size());
    if (name.empty() || name.find_first_of("*?") != std::string_view::npos) return !name.empty();
    const auto is_name = [=](std::string_view known) { return same_letters(known, name); };
    const bool streams = std::ranges::any_of(kStreamActions, is_name);
    return of_stream_ ? streams || std::ranges::any_of(kPolicyActions, is_name) : !streams;
  }

  // True: PutResourcePolicy is one of them.
  Result<bool> actions(const JsonValue& one) {
    PARTITA_TRY(const std::string_view name, choose(one, "Action", "NotAction"));
    const auto found = strings_in(one.get(name));
    if (!found || found->empty()) return syntax(one.get(name));
    std::string wrong;
    for (const std::string& action : *found) {
      if (is_action(action)) continue;
      std::string quoted = "\"" + action + "\"";
      wrong = wrong.empty() ? std::move(quoted) : quoted + ", " + wrong;
    }
    if (!wrong.empty()) return refuse(Fault::kPolicyActions, {std::move(wrong)});
    json_.key(name);
    write_strings(json_, *found);
    const bool puts = std::ranges::any_of(
        *found, [](const std::string& action) { return matches(action, "dynamodb:PutResourcePolicy"); });
    return puts == (name == "Action");
  }

  // Measured: a resource of the wrong kind is told before an action is.
  Result<void> check_resources(const JsonValue& one) const {
    const auto name = choose(one, "Resource", "NotResource");
    const auto found = name.ok() ? strings_in(one.get(*name)) : std::nullopt;
    if (!found) return {};  // told behind the actions
    for (const std::string& arn : *found) {
      if (arn == "*") continue;
      const auto parts = arn_parts(arn);
      if (!parts) return syntax_behind(arn);
      const std::string_view id = parts->relative_id;
      const bool fits = id == "*" || (id.starts_with("table/") && id.contains("/stream/") == of_stream_);
      if (!fits) return refuse(Fault::kPolicyResource, {std::string(id), arn});
    }
    return {};
  }

  Result<void> resources(const JsonValue& one) {
    PARTITA_TRY(const std::string_view name, choose(one, "Resource", "NotResource"));
    const auto found = strings_in(one.get(name));
    if (!found || found->empty()) return syntax(one.get(name));
    json_.key(name);
    write_strings(json_, *found);
    return {};
  }

  std::string_view text_;
  bool of_stream_;
  const Context& context_;
  const std::shared_ptr<const auth::Account> account_;  // null: nobody knows who there is
  JsonWriter json_;
  std::set<std::string, std::less<>> sids_;
  bool names_caller_ = false;  // of the statement at hand
  bool locks_out_ = false;
};

}  // namespace

Result<ReadPolicy> read_policy(std::string_view text, bool of_stream, const Context& context) {
  if (text.size() > kMaxPolicyBytes) return refuse(Fault::kPolicyTooLong);
  auto document = wire::JsonDocument::parse(text);
  if (!document.ok() && document.error().kind() == ErrorKind::kInvalid) return refuse(Fault::kPolicyNotJson);
  if (!document.ok()) return std::move(document).error();
  return Reader(text, of_stream, context).read(document->root());
}

std::string shown(const Context& context, const std::string& kept) {
  const auto account = account_of(context);
  return account == nullptr ? kept : iam::shown_policy(*account, kept);
}

void forget_policies(const Context& context, const api::Resource& resource) {
  const table::Table table = context.database.catalog().find(resource.name);
  if (table != nullptr) context.admission.authorisation().forget(table->id);
}

std::string revision_reply(const std::optional<std::string>& revision) {
  JsonWriter json;
  json.begin_object();
  if (revision) {
    json.member("RevisionId", *revision);
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
