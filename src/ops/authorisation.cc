#include "ops/authorisation.h"

#include <utility>

#include "auth/identities.h"
#include "base/log.h"
#include "base/per_thread.h"
#include "model/fault.h"
#include "ops/circumstances.h"
#include "table/policy.h"

namespace partita::ops {

namespace {

using auth::Decision;
using model::Fault;

constexpr int64_t kLateNs = 1'000'000'000;
constexpr size_t kMostTables = 4096;  // whose policies are kept

struct Unheard final : ErrorDetail {
  explicit Unheard(uint32_t id) : table_id(id) {}
  uint32_t table_id;
};

const Unheard* unheard_in(const Error& error) { return dynamic_cast<const Unheard*>(error.detail().get()); }

Fault fault_of(Decision decision) {
  switch (decision) {
    case Decision::kDeniedByIdentity:
      return Fault::kDeniedByIdentity;
    case Decision::kDeniedByResource:
      return Fault::kDeniedByResource;
    case Decision::kDeniedByBoundary:
      return Fault::kDeniedByBoundary;
    case Decision::kDeniedBySession:
      return Fault::kDeniedBySession;
    case Decision::kNotInBoundary:
      return Fault::kNotInBoundary;
    case Decision::kNotInSession:
      return Fault::kNotInSession;
    case Decision::kNotInIdentity:
    case Decision::kAllowed:
      break;
  }
  return Fault::kNotInIdentity;
}

struct ArnText {
  std::string text;
};

// The ARN of what is accessed, in memory that the thread keeps. What names no table is about all of them.
std::string_view resource_of(const Context& context, const table::Access& access) {
  std::string& arn = PerThread<ArnText>::get().text;
  arn = "arn:aws:dynamodb:";
  arn.append(context.caller.region).append(":").append(context.caller.account_id).append(":table/");
  arn += access.name.empty() ? "*" : access.name;
  if (access.index != nullptr) arn.append("/index/").append(access.index->name);
  if (context.operation.api == Api::kStreams || !access.stream.empty()) {
    arn.append("/stream/").append(access.stream.empty() ? "*" : access.stream);
  }
  return arn;
}

// What can not be read allows nobody anything.
std::shared_ptr<const auth::Policy> compiled(const std::string& document) {
  using auth::Policy;
  auto policy = Policy::parse(document, Policy::Use::kResource);
  if (!policy.ok()) {
    static LogThrottle throttle;
    uint64_t unsaid = 0;
    if (throttle.pass(unsaid)) {
      log(LogLevel::kError, {"A resource policy can not be read, and denies everything: ", policy.error().sentence()});
    }
    policy = Policy::parse(R"({"Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}})",
                           Policy::Use::kResource);
  }
  return std::make_shared<const Policy>(std::move(policy).value());
}

}  // namespace

Error refusal_of(Decision decision, const auth::Ask& ask) {
  return model::refuse(fault_of(decision),
                       {std::string(ask.who.arn), std::string(ask.action), std::string(ask.resource)});
}

bool Authorisation::is_refusal(const Error& error) {
  if (error.kind() != ErrorKind::kInvalid) return false;
  const Fault fault = model::fault_of(error);
  return fault >= Fault::kDeniedByIdentity && fault <= Fault::kNotInIdentity;
}

bool Authorisation::is_unheard(const Error& error) { return unheard_in(error) != nullptr; }

bool Authorisation::find(const Context& context, const table::TableInfo& owner, std::string_view stream,
                         PolicyRef& policy) {
  const int64_t now_ns = context.database.clock().monotonic_ns();
  const std::lock_guard lock(mutex_);
  const auto heard = tables_.find(owner.id);
  if (heard == tables_.end() || now_ns - heard->second.at_ns > kLateNs) return false;
  if (heard->second.by_stream.empty()) return true;
  const auto found = heard->second.by_stream.find(std::string(stream));
  if (found != heard->second.by_stream.end()) policy = found->second;
  return true;
}

Task<Result<void>> Authorisation::hear(table::Database& database, const Error& error) {
  const uint32_t table_id = unheard_in(error)->table_id;
  while (true) {
    const uint64_t before = changes_.load();
    auto read = co_await table::policies_of(database, table_id);
    PARTITA_CO_TRY(const std::vector<table::PolicyOf> policies, std::move(read));
    Heard heard;
    for (const table::PolicyOf& one : policies) heard.by_stream.emplace(one.stream, compiled(one.document));
    heard.at_ns = database.clock().monotonic_ns();
    const std::lock_guard lock(mutex_);
    if (changes_.load() != before) continue;
    if (tables_.size() >= kMostTables) tables_.clear();
    tables_.insert_or_assign(table_id, std::move(heard));
    co_return Result<void>();
  }
}

void Authorisation::forget() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  tables_.clear();
}

Result<void> Authorisation::refuse(Decision decision, const auth::Ask& ask) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (enforcement_ == Enforcement::kRefuse) return refusal_of(decision, ask);
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) {
    log(LogLevel::kWarn, {"Not enforced, as ", std::to_string(refused()), " times so far: ", ask.who.arn,
                          " is not allowed ", ask.action, " on ", ask.resource, "."});
  }
  return {};
}

Result<void> Authorisation::check(const Context& context, const table::Access& access, table::CapacityDetail capacity,
                                  std::string_view action, bool& depends) {
  const auth::Identity& identity = *context.caller.identity;
  table::Table found;
  const table::TableInfo* owner = access.table;
  if (owner == nullptr && !access.name.empty()) {
    found = context.database.catalog().find(access.name);
    owner = found.get();
  }
  PolicyRef of_resource;
  if (owner != nullptr && !find(context, *owner, access.stream, of_resource)) {
    return Error(ErrorKind::kConflict, 0, {"the policies of a table are not known"},
                 std::make_shared<const Unheard>(owner->id));
  }
  AccessCircumstances circumstances(context, access, owner, capacity);
  const auth::Policy* const resource = of_resource.get();
  const auth::Policies policies{.identity = identity.policies,
                                .boundary = identity.boundary,
                                .resource = std::span(&resource, resource == nullptr ? 0 : 1)};
  const auth::Ask ask{
      action, resource_of(context, access), {identity.arn, {}, context.caller.account_id}, circumstances};
  const Decision decision = auth::decide(policies, ask);
  depends = circumstances.depends_on_item();
  return decision == Decision::kAllowed ? Result<void>() : refuse(decision, ask);
}

}  // namespace partita::ops
