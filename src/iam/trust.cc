#include "iam/trust.h"

#include <array>
#include <optional>
#include <utility>

#include "auth/policy.h"
#include "base/function_ref.h"
#include "iam/parameters.h"
#include "model/fault.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::iam {

namespace {

using auth::Account;
using auth::Principal;
using auth::PrincipalKind;
using model::Fault;
using wire::JsonValue;

constexpr size_t kMostTrust = 2'048;
constexpr std::array kWhoAsks{PrincipalKind::kUser, PrincipalKind::kRole};

// A policy written again, with other names of its principals.
class Renamer {
 public:
  // Another name, or nothing to leave it.
  using Rename = FunctionRef<std::optional<std::string>(std::string_view name)>;
  explicit Renamer(Rename rename) : rename_(rename) {}

  // The text itself, if every name is left. Precondition: Policy::parse() takes it.
  std::string rewrite(const std::string& text) {
    const auto document = wire::JsonDocument::parse(text);
    if (!document.ok()) return text;
    const auto write_member = [this](std::string_view name, const JsonValue& value) {
      if (name == "Statement") return write_each(value, &Renamer::write_statement);
      write_json(json_, value);
    };
    write_members(document->root(), write_member);
    return renamed_ ? std::move(json_).take() : text;
  }

 private:
  template <class Write>
  void write_members(const JsonValue& object, Write write) {
    json_.begin_object();
    for (const auto& [name, value] : object.members()) {
      json_.key(name);
      write(name, value);
    }
    json_.end_object();
  }
  // One, or a list of them.
  void write_each(const JsonValue& value, void (Renamer::*write)(const JsonValue&)) {
    if (!value.is(JsonValue::Kind::kArray)) return (this->*write)(value);
    json_.begin_array();
    for (const JsonValue one : value.elements()) (this->*write)(one);
    json_.end_array();
  }
  void write_statement(const JsonValue& statement) {
    const auto write_member = [this](std::string_view name, const JsonValue& value) {
      const bool of_kinds = value.is(JsonValue::Kind::kObject);
      if (of_kinds && (name == "Principal" || name == "NotPrincipal")) return write_principal(value);
      write_json(json_, value);
    };
    write_members(statement, write_member);
  }
  void write_principal(const JsonValue& principal) {
    const auto write_member = [this](std::string_view kind, const JsonValue& names) {
      if (kind == "AWS") return write_each(names, &Renamer::write_name);
      write_json(json_, names);
    };
    write_members(principal, write_member);
  }
  void write_name(const JsonValue& name) {
    const std::string_view text = name.as_string();
    const auto other = rename_(text);
    renamed_ |= other.has_value();
    json_.string(other ? std::string_view(*other) : text);
  }

  const Rename rename_;
  wire::JsonWriter json_;
  bool renamed_ = false;
};

template <class Is>
const Principal* find(const Account& account, Is is) {
  for (const PrincipalKind kind : kWhoAsks) {
    for (const auto& [name, one] : account.of(kind)) {
      if (is(*one)) return one.get();
    }
  }
  return nullptr;
}

const Principal* find_id(const Account& account, std::string_view id) {
  return find(account, [&](const Principal& one) { return one.id == id; });
}

// Whether nobody else than somebody of the account can be meant.
bool names_somebody(std::string_view name) {
  static const std::string begin = "arn:aws:iam::" + std::string(auth::kAccountId) + ":";
  if (name.starts_with(begin)) return name.substr(begin.size()) != "root";
  return auth::is_unique_id(name);
}

}  // namespace

std::optional<std::string> kept_name(const Account& account, std::string_view name) {
  if (!names_somebody(name)) return std::string(name);
  const Principal* const found = find(account, [&](const Principal& one) { return one.arn == name || one.id == name; });
  return found == nullptr ? std::nullopt : std::optional(found->id);
}

Result<std::string> trust_in(const Request& request, std::string_view parameter) {
  PARTITA_TRY(const std::string document,
              document_in(request, parameter, auth::Policy::Use::kTrust, "ACLSizePerRole", kMostTrust));
  std::string unknown;
  const auto id_of = [&](std::string_view name) -> std::optional<std::string> {
    std::optional<std::string> kept = kept_name(request.account, name);
    if (!kept) unknown = name;
    return kept == name ? std::nullopt : kept;
  };
  std::string kept = Renamer(id_of).rewrite(document);
  if (unknown.empty()) return kept;
  return model::refuse(Fault::kIamMalformedPolicy, {"Invalid principal in policy: \"AWS\":\"" + unknown + "\""});
}

std::string shown_policy(const Account& account, const std::string& kept) {
  const auto arn_of = [&](std::string_view name) -> std::optional<std::string> {
    const Principal* const found = auth::is_unique_id(name) ? find_id(account, name) : nullptr;
    return found == nullptr ? std::nullopt : std::optional(found->arn);
  };
  return Renamer(arn_of).rewrite(kept);
}

}  // namespace partita::iam
