// Reads requests from standard input, one JSON object a line, as policy_property_test.py writes them, and says of each
// what the policies in it decide; for a policy that is malformed, that. With a number it measures: each line is decided
// so often, and the nanoseconds of one decision are printed instead.
#include <simdjson.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "auth/policy.h"

namespace partita::auth {
namespace {

namespace dom = simdjson::dom;

class Given final : public ConditionContext {
 public:
  explicit Given(const dom::object& context) {
    for (const auto& [key, values] : context) {
      const auto name = key_name(key);
      if (!name || name->key == ConditionKey::kUnknown || name->key == ConditionKey::kNever) continue;
      auto& all = values_[{name->key, name->tag}];
      const dom::array list = values.get_array().value();
      for (const dom::element value : list) all.push_back(value.get_string().value());
    }
  }
  std::optional<std::span<const std::string_view>> values(const KeyName& name) override {
    const auto found = values_.find({name.key, name.tag});
    if (found == values_.end()) return std::nullopt;
    return std::span<const std::string_view>(found->second);
  }

 private:
  std::map<std::pair<ConditionKey, std::string>, std::vector<std::string_view>> values_;
};

std::string_view word_of(PolicyDecision decision) {
  switch (decision) {
    case PolicyDecision::kAllowed:
      return "allowed";
    case PolicyDecision::kDeniedByIdentity:
      return "denied by identity";
    case PolicyDecision::kDeniedByResource:
      return "denied by resource";
    case PolicyDecision::kDeniedByBoundary:
      return "denied by boundary";
    case PolicyDecision::kDeniedBySession:
      return "denied by session";
    case PolicyDecision::kNotInBoundary:
      return "not in boundary";
    case PolicyDecision::kNotInSession:
      return "not in session";
    case PolicyDecision::kNotInIdentity:
      return "not in identity";
  }
  return "";
}

// The policies of one line.
struct Read {
  std::vector<std::unique_ptr<Policy>> all;
  std::vector<const Policy*> identity;
  std::vector<const Policy*> resource;
  const Policy* boundary = nullptr;
  const Policy* session = nullptr;
  std::string malformed;
};

Read read_policies(const dom::object& line) {
  Read read;
  const auto add = [&](const dom::element& document, Policy::Use use) -> const Policy* {
    std::string_view text;
    if (document.get(text) != simdjson::SUCCESS) return nullptr;
    auto policy = Policy::parse(text, use);
    if (!policy.ok()) {
      read.malformed = policy.error().sentence();
      return nullptr;
    }
    read.all.push_back(std::make_unique<Policy>(std::move(policy).value()));
    return read.all.back().get();
  };
  const auto add_all = [&](std::string_view name, Policy::Use use, std::vector<const Policy*>& into) {
    const dom::array list = line[name].get_array().value();
    for (const dom::element document : list) {
      if (const Policy* const policy = add(document, use)) into.push_back(policy);
    }
  };
  add_all("identity", Policy::Use::kIdentity, read.identity);
  add_all("resource", Policy::Use::kResource, read.resource);
  read.boundary = add(line["boundary"].value(), Policy::Use::kIdentity);
  read.session = add(line["session"].value(), Policy::Use::kIdentity);
  return read;
}

void answer(const dom::object& line, int times) {
  const Read read = read_policies(line);
  if (!read.malformed.empty()) {
    std::cout << "malformed: " << read.malformed << "\n";
    return;
  }
  Given given(line["context"].get_object().value());
  const auto text = [&](std::string_view name) { return line[name].get_string().value(); };
  const Ask ask{
      text("action"), text("on"), {text("arn"), text("role"), text("account"), read.boundary != nullptr}, given};
  const Policies policies{read.identity, read.boundary, read.session, read.resource};
  if (times == 0) {
    std::cout << word_of(decide(policies, ask)) << "\n";
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  size_t allowed = 0;
  for (int i = 0; i < times; ++i) allowed += decide(policies, ask) == PolicyDecision::kAllowed ? 1 : 0;
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  std::cout << took.count() / times << " ns, allowed " << allowed << "\n";
}

}  // namespace
}  // namespace partita::auth

int main(int count, char** words) {
  const int times = count > 1 ? std::atoi(words[1]) : 0;
  for (std::string line; std::getline(std::cin, line);) {
    simdjson::dom::parser parser;
    const simdjson::dom::element element = parser.parse(line).value();
    partita::auth::answer(element.get_object().value(), times);
  }
  return 0;
}
