#include "ops/authorisation.h"

#include <algorithm>
#include <utility>

#include "auth/identities.h"
#include "base/log.h"
#include "base/per_thread.h"
#include "iam/calls.h"
#include "model/fault.h"
#include "ops/condition_context.h"
#include "ops/resource_arn.h"
#include "table/control/policy.h"

namespace partita::ops {

namespace {

using auth::PolicyDecision;
using model::Fault;

constexpr int64_t kLateNs = 1'000'000'000;
constexpr size_t kMostTables = 4096;  // whose policies are kept

struct PoliciesNotLoaded final : ErrorDetail {
  explicit PoliciesNotLoaded(uint32_t id) : table_id(id) {}
  uint32_t table_id;
};

uint64_t next_serial() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1) + 1;
}

const PoliciesNotLoaded* not_loaded_in(const Error& error) {
  return dynamic_cast<const PoliciesNotLoaded*>(error.detail().get());
}

Fault fault_of(PolicyDecision decision) {
  switch (decision) {
    case PolicyDecision::kDeniedByIdentity:
      return Fault::kDeniedByIdentity;
    case PolicyDecision::kDeniedByResource:
      return Fault::kDeniedByResource;
    case PolicyDecision::kDeniedByBoundary:
      return Fault::kDeniedByBoundary;
    case PolicyDecision::kDeniedBySession:
      return Fault::kDeniedBySession;
    case PolicyDecision::kNotInBoundary:
      return Fault::kNotInBoundary;
    case PolicyDecision::kNotInSession:
      return Fault::kNotInSession;
    case PolicyDecision::kNotInIdentity:
    case PolicyDecision::kAllowed:
      break;
  }
  return Fault::kNotInIdentity;
}

// What a thread used last of an Authorisation.
struct Slot {
  uint64_t serial = 0;
  uint32_t table_id = 0;
  uint64_t changes = 0;  // as they were when it came
  std::shared_ptr<const LoadedPolicies> loaded;
};
struct Slots {
  static constexpr size_t kSlots = 64;
  std::array<Slot, kSlots> slots;
};

struct ArnText {
  std::string text;
};

// The ARN of what is accessed, in memory that the thread keeps. What names no table is about everything; AWS says of
// the lists of tables and streams that they are of all tables.
std::string_view resource_of(const Context& context, const table::Access& access) {
  if (!access.other_name.empty()) {
    std::string& arn = PerThread<ArnText>::get().text;
    arn.clear();
    if (context.operation.api == Api::kDax) {
      append_cluster_arn(arn, context, access.other_name);
    } else {
      append_global_table_arn(arn, context, access.other_name);
    }
    return arn;
  }
  const bool streams = context.operation.api == Api::kStreams || !access.stream.empty();
  if (access.name.empty() && !streams && context.operation.name != "ListTables") return "*";
  std::string& arn = PerThread<ArnText>::get().text;
  arn.clear();
  append_table_arn(arn, context, access.name.empty() ? "*" : access.name);
  if (access.index != nullptr) append_index(arn, access.index->name);
  if (!access.index_name.empty()) append_index(arn, access.index_name);
  if (streams) {
    arn.append("/stream/").append(access.stream.empty() ? "*" : access.stream);
  }
  return arn;
}

// What cannot be read allows nobody anything.
std::shared_ptr<const auth::Policy> compiled(const std::string& document) {
  using auth::Policy;
  auto policy = Policy::parse(document, Policy::Use::kResource);
  if (!policy.ok()) {
    static LogThrottle throttle;
    uint64_t unsaid = 0;
    if (throttle.pass(unsaid)) {
      log(LogLevel::kError, {"A resource policy cannot be read, and denies everything: ", policy.error().sentence()});
    }
    policy = Policy::parse(R"({"Statement":{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*"}})",
                           Policy::Use::kResource);
  }
  return std::make_shared<const Policy>(std::move(policy).value());
}

}  // namespace

Error refusal_of(PolicyDecision decision, const auth::Ask& ask) {
  return model::refuse(fault_of(decision),
                       {std::string(ask.who.arn), std::string(ask.action), std::string(ask.resource)});
}

bool Authorisation::is_refusal(const Error& error) {
  if (error.kind() != ErrorKind::kInvalid) return false;
  const Fault fault = model::fault_of(error);
  return fault >= Fault::kDeniedByIdentity && fault <= Fault::kNotInIdentity;
}

bool Authorisation::is_not_loaded(const Error& error) { return not_loaded_in(error) != nullptr; }

uint32_t Authorisation::table_not_loaded(const Error& error) { return not_loaded_in(error)->table_id; }

Authorisation::Authorisation(Enforcement enforcement) : enforcement_(enforcement), serial_(next_serial()) {}

Authorisation::PoliciesRef Authorisation::fresh(uint32_t table_id, int64_t now_ns) {
  const MutexLock lock(mutex_);
  const auto found = tables_.find(table_id);
  if (found == tables_.end() || now_ns - found->second->at_ns > kLateNs) return nullptr;
  return found->second;
}

// Each thread keeps what it used last, so that threads rarely meet.
const LoadedPolicies* Authorisation::known(uint32_t table_id, int64_t now_ns) {
  auto& slots = PerThread<Slots>::get().slots;
  Slot& slot = slots[table_id % slots.size()];
  const uint64_t changes = changes_of(table_id).load(std::memory_order_acquire);
  const bool same = slot.serial == serial_ && slot.table_id == table_id && slot.changes == changes;
  if (!same || now_ns - slot.loaded->at_ns > kLateNs) {
    PoliciesRef loaded = fresh(table_id, now_ns);
    if (loaded == nullptr) return nullptr;
    slot = {serial_, table_id, changes, std::move(loaded)};
  }
  return slot.loaded.get();
}

Task<Result<Authorisation::PoliciesRef>> Authorisation::load(table::Database& database, uint32_t table_id) {
  const int64_t now_ns = database.clock().monotonic_ns();
  if (PoliciesRef loaded = fresh(table_id, now_ns)) co_return loaded;
  const uint64_t before = changes_of(table_id).load(std::memory_order_acquire);
  auto read = co_await table::policies_of(database, table_id);
  PARTITA_CO_TRY(const std::vector<table::PolicyOf> policies, std::move(read));
  auto made = std::make_shared<LoadedPolicies>();
  for (const table::PolicyOf& one : policies) made->by_stream.emplace(one.stream, compiled(one.document));
  made->at_ns = now_ns;
  PoliciesRef loaded = std::move(made);
  const MutexLock lock(mutex_);
  // What changed meanwhile may not be in it: the request that waits began before that, all others hear anew.
  if (changes_of(table_id).load(std::memory_order_acquire) == before) {
    if (tables_.size() >= kMostTables) tables_.clear();
    tables_.insert_or_assign(table_id, loaded);
  }
  co_return loaded;
}

void Authorisation::forget(uint32_t table_id) {
  const MutexLock lock(mutex_);
  changes_of(table_id).fetch_add(1, std::memory_order_release);
  tables_.erase(table_id);
}

void Authorisation::forget_all() {
  const MutexLock lock(mutex_);
  for (std::atomic<uint64_t>& changes : changes_) changes.fetch_add(1, std::memory_order_release);
  tables_.clear();
}

Result<void> Authorisation::refuse(PolicyDecision decision, const auth::Ask& ask, bool counts) {
  if (counts) refused_.fetch_add(1, std::memory_order_relaxed);
  if (enforcement_ == Enforcement::kRefuse) return refusal_of(decision, ask);
  if (!counts) return {};
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) {
    log(LogLevel::kWarn, {"Not enforced, as ", std::to_string(refused()), " times so far: ", ask.who.arn,
                          " is not allowed ", ask.action, " on ", ask.resource, "."});
  }
  return {};
}

namespace {

auth::PrincipalNames names_of(const Context& context) {
  const auth::Identity& who = *context.caller.identity;
  return {who.arn, who.role, context.caller.account_id, who.boundary != nullptr, unique_id_of(who)};
}

// What is told of a decision against the caller: what he would be told of a table of that name that is not there, if
// he may nothing with one.
PolicyDecision told_of(PolicyDecision decision, const Context& context, const table::Access& access,
                       const CheckOptions& check_options, auth::Policies policies, const auth::Ask& ask) {
  const CheckOptions of_name{check_options.capacity, check_options.policies, check_options.effort, true};
  AccessConditionContext condition_context(context, access, nullptr, of_name);
  policies.resource = {};
  const PolicyDecision of_nothing = auth::decide(policies, {ask.action, ask.resource, ask.who, condition_context});
  return of_nothing == PolicyDecision::kAllowed ? decision : of_nothing;
}

}  // namespace

Result<void> Authorisation::check(const Context& context, std::string_view action, const iam::Subject& subject) {
  if (context.caller.identity == nullptr) return {};
  const auth::Identity& identity = *context.caller.identity;
  const std::string_view resource = subject.resource;
  const auth::Policy* const trust = subject.trust;
  SubjectConditionContext condition_context(context, subject);
  const auth::Policies policies{.identity = identity.policies,
                                .boundary = identity.boundary,
                                .session = identity.session,
                                .resource = std::span(&trust, trust == nullptr ? 0 : 1)};
  const auth::Ask ask{action, resource, names_of(context), condition_context};
  const PolicyDecision decision = auth::decide(policies, ask);
  const bool trusted = trust == nullptr || trust->judge(ask).allowed;
  if (decision == PolicyDecision::kAllowed && trusted) return {};
  refused_.fetch_add(1, std::memory_order_relaxed);
  const auth::Ask told{action, subject.named.empty() ? resource : subject.named, ask.who, condition_context};
  if (trust == nullptr) return refusal_of(decision, told);
  return model::refuse(Fault::kStsNotAuthorized, {identity.arn, std::string(action), std::string(resource)});
}

Result<void> Authorisation::check(const Context& context, const table::Access& access,
                                  const CheckOptions& check_options, std::string_view action, bool& depends) {
  const auth::Identity& identity = *context.caller.identity;
  const table::TableInfo* const owner = access.table != nullptr ? access.table : access.owner;
  const uint32_t owner_id = owner != nullptr ? owner->id : access.owner_id;
  const auth::Policy* resource = nullptr;
  if (owner_id != 0) {
    const LoadedPolicies* loaded = check_options.policies.find(owner_id);
    if (loaded == nullptr) loaded = known(owner_id, context.database.clock().monotonic_ns());
    if (loaded == nullptr) {
      return Error(ErrorKind::kConflict, 0, {"the policies of a table are not known"},
                   std::make_shared<const PoliciesNotLoaded>(owner_id));
    }
    const auto found = loaded->by_stream.find(access.stream);
    if (found != loaded->by_stream.end()) resource = found->second.get();
  }
  AccessConditionContext condition_context(context, access, owner, check_options);
  const auth::Policies policies{.identity = identity.policies,
                                .boundary = identity.boundary,
                                .session = identity.session,
                                .resource = std::span(&resource, resource == nullptr ? 0 : 1)};
  const auth::Ask ask{action, resource_of(context, access), names_of(context), condition_context};
  const PolicyDecision decision = auth::decide(policies, ask);
  depends = condition_context.depends_on_item();
  if (decision == PolicyDecision::kAllowed) return {};
  return refuse(told_of(decision, context, access, check_options, policies, ask), ask, check_options.counts);
}

namespace {

bool is_denied(PolicyDecision decision) {
  return decision >= PolicyDecision::kDeniedByIdentity && decision <= PolicyDecision::kDeniedBySession;
}

// Of the caller's own policies, about some table.
PolicyDecision decide_on_some(const auth::Identity& who, const auth::Ask& ask_of_all) {
  const auth::Policies policies{.identity = who.policies, .boundary = who.boundary, .session = who.session};
  const PolicyDecision of_all = auth::decide(policies, ask_of_all);
  if (of_all == PolicyDecision::kAllowed || is_denied(of_all)) return of_all;
  const auto may_allow = [&](const auth::Policy* policy) { return policy == nullptr || policy->may_allow(ask_of_all); };
  if (!may_allow(who.boundary)) return PolicyDecision::kNotInBoundary;
  if (!may_allow(who.session)) return PolicyDecision::kNotInSession;
  return std::ranges::any_of(who.policies, may_allow) ? PolicyDecision::kAllowed : PolicyDecision::kNotInIdentity;
}

}  // namespace

Task<Result<void>> Authorisation::check_some_table(const Context& context, std::span<const std::string_view> actions) {
  if (context.caller.identity == nullptr) co_return Result<void>();
  const table::Access access;
  const PolicySnapshot none;
  auth::Effort effort;
  const CheckOptions of_name{api::CapacityDetail::kNone, none, effort, true};
  AccessConditionContext condition_context(context, access, nullptr, of_name);
  std::string all_tables;
  append_table_arn(all_tables, context, "*");
  const auto ask_for = [&](std::string_view action) {
    return auth::Ask{action, all_tables, names_of(context), condition_context};
  };
  std::vector<std::string_view> left;  // what the policy of a table may allow
  for (const std::string_view action : actions) {
    const PolicyDecision own = decide_on_some(*context.caller.identity, ask_for(action));
    if (own == PolicyDecision::kAllowed) co_return Result<void>();
    if (!is_denied(own)) left.push_back(action);
  }
  std::vector<uint32_t> tables;
  if (!left.empty()) {
    PARTITA_CO_TRY(tables, co_await table::tables_with_policies(context.database));
  }
  for (const uint32_t table_id : tables) {
    PARTITA_CO_TRY(const PoliciesRef loaded, co_await load(context.database, table_id));
    const auto found = loaded->by_stream.find("");
    if (found == loaded->by_stream.end()) continue;
    for (const std::string_view action : left) {
      if (found->second->may_allow(ask_for(action))) co_return Result<void>();
    }
  }
  const auth::Ask first = ask_for(actions.front());
  co_return refuse(decide_on_some(*context.caller.identity, first), first, true);
}

}  // namespace partita::ops
