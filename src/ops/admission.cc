#include "ops/admission.h"

#include <utility>

#include "auth/authenticate.h"
#include "base/check.h"
#include "base/retry_after.h"
#include "model/fault.h"
#include "model/fault_detail.h"
#include "ops/footprint.h"
#include "ops/resource_arn.h"
#include "table/open/database.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

std::string_view statement_action(table::Verb verb) {
  switch (verb) {
    case table::Verb::kPut:
      return "dynamodb:PartiQLInsert";
    case table::Verb::kUpdate:
      return "dynamodb:PartiQLUpdate";
    case table::Verb::kDelete:
      return "dynamodb:PartiQLDelete";
    default:
      return "dynamodb:PartiQLSelect";
  }
}

Error rate_exceeded(uint32_t wait_ms) {
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(model::Fault::kRateExceeded), {},
               std::make_shared<const RetryAfter>(wait_ms));
}

// As Service::hot_keys() tells it. Empty for a Scan, which touches all keys.
std::string watched_key(const table::Access& access) {
  const std::vector<const model::AttributeValue*> values = access.leading_keys();
  if (values.empty()) return {};
  const model::KeySchema& schema = access.index == nullptr ? access.table->keys : access.index->keys;
  wire::JsonWriter json;
  json.begin_object();
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == nullptr) return {};
    json.key(schema.partition[i].name);
    json.write_value(*values[i]);
  }
  json.end_object();
  std::string key = access.index == nullptr ? std::string() : access.index->name;
  key.push_back('\0');
  return key + std::move(json).take();
}

// The rows of global indexes are in partitions of their own.
model::HalfUnits units_of_key(const table::Access& access, const api::ConsumedCapacity& consumed) {
  model::HalfUnits units = consumed.total().total();
  if (access.index != nullptr) return units;
  for (const auto& [name, of_index] : consumed.global_indexes) units -= of_index.total();
  return units;
}

model::Fault fault_of(const throttle::Shortage& shortage) {
  using model::Fault;
  const bool index = shortage.index != nullptr;
  switch (shortage.limit) {
    case model::ThroughputLimit::kProvisioned:
      return index ? Fault::kIndexThroughputExceeded : Fault::kThroughputExceeded;
    case model::ThroughputLimit::kKeyRange:
      if (index && shortage.write) return Fault::kIndexOnDemandExceeded;
      if (!shortage.provisioned) return Fault::kOnDemandExceeded;
      return index ? Fault::kIndexThroughputExceeded : Fault::kThroughputExceeded;
    case model::ThroughputLimit::kMaxOnDemand:
      return Fault::kMaxOnDemandExceeded;
    case model::ThroughputLimit::kAccount:
      return Fault::kAccountThroughputExceeded;
  }
  PARTITA_CHECK(false);
}

Error throttled(const Context& context, const table::TableInfo& table, const throttle::Shortage& shortage) {
  std::string arn;
  append_table_arn(arn, context, table.name);
  if (shortage.index != nullptr) append_index(arn, shortage.index->name);
  const int64_t wait_ms = shortage.wait_ns / kNsPerMs + 1;
  auto detail = std::make_shared<const model::ThrottledDetail>(
      static_cast<uint32_t>(wait_ms),
      model::ThrottledDetail::Reason{shortage.limit, shortage.index != nullptr, shortage.write, std::move(arn)});
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(fault_of(shortage)), {}, std::move(detail));
}

int64_t capacity_ns_of(const Context& context) {
  return context.began_ns != 0 ? context.began_ns : context.database.clock().monotonic_ns();
}

}  // namespace

std::string_view action_of(const Operation& operation, table::Verb verb) {
  if (operation.action == kActionsOfStatements) return statement_action(verb);
  if (!operation.action.empty()) return operation.action;
  switch (verb) {
    case table::Verb::kGet:
      return "dynamodb:GetItem";
    case table::Verb::kPut:
      return "dynamodb:PutItem";
    case table::Verb::kUpdate:
      return "dynamodb:UpdateItem";
    case table::Verb::kDelete:
      return "dynamodb:DeleteItem";
    case table::Verb::kCheck:
      return "dynamodb:ConditionCheckItem";
    case table::Verb::kQuery:
      return "dynamodb:Query";
    case table::Verb::kScan:
      return "dynamodb:Scan";
    case table::Verb::kSearch:
      return "dynamodb:SearchVectors";
    case table::Verb::kControl:
      break;
  }
  PARTITA_CHECK(false);  // an operation on tables has its own
}

Result<const auth::Caller*> Admission::identify(const Call& call) {
  auto caller = caller_of(call);
  uint32_t wait_ms = 0;
  if (!caller.ok() && !rates_->admit_refused(wait_ms)) return rate_exceeded(wait_ms);
  return caller;
}

// An administrator of a server that others keep busy is not counted among them.
Result<void> Admission::enter(const Call& call, const auth::Caller& caller) {
  uint32_t wait_ms = 0;
  if (call.source == nullptr || call.source->administrates() || rates_->admit(caller, wait_ms)) return {};
  return rate_exceeded(wait_ms);
}

void Admission::admit(const Operation& operation, const table::Access& access, RequestFootprint* footprint) {
  if (footprint != nullptr && access.table != nullptr) meters_->touch(space_, *access.table, operation, *footprint);
}

void Admission::charge(const Context& context, const table::Access& access, const api::ConsumedCapacity& consumed,
                       const throttle::Reservations& capacity) {
  if (!meters_->charge(space_, *access.table, consumed)) [[likely]]
    return;
  // Contributor Insights do not include requests of PartiQL.
  if (insights_ != nullptr && context.operation.action != kActionsOfStatements) {
    insights_->count(access, consumed, capacity.index_keys());
  }
  if (!access.table->meters->watched_by(table::KeyWatch::kHotKeys)) return;
  const std::string key = watched_key(access);
  if (key.empty()) return;
  meters_->count_key(*access.table, key, units_of_key(access, consumed), context.database.clock().monotonic_ns());
}

void Admission::count_throttle(const Context& context, const table::Access& access, const table::IndexInfo* index) {
  if (insights_ == nullptr || context.operation.action == kActionsOfStatements) return;
  insights_->count_throttle(access, index);
}

Result<void> RequestAuthorizer::check(const table::Access& access, std::string_view action) {
  bool depends = true;
  return check(access, action, depends);
}

Result<void> RequestAuthorizer::check(const table::Access& access, std::string_view action, bool& depends) {
  if (context_.caller.identity == nullptr) return {};
  return context_.admission.authorisation().check(context_, access, {capacity_, policies_, effort_}, action, depends);
}

Result<void> RequestAuthorizer::check_name(const table::Access& access, std::string_view action, bool counts) {
  if (context_.caller.identity == nullptr) return {};
  bool depends = true;
  const CheckOptions check_options{capacity_, policies_, effort_, true, counts};
  return context_.admission.authorisation().check(context_, access, check_options, action, depends);
}

RequestAuthorizer::Allowed RequestAuthorizer::allowed_of(const table::Access& access) {
  if (access.table == nullptr) return {};
  return {access.table->id, access.table->revision, access.index, access.verb};
}

Result<void> RequestAuthorizer::check_policies(const table::Access& access) {
  const Allowed now = allowed_of(access);
  if (now.table_id != 0 && now == allowed_) return {};
  bool depends = true;
  PARTITA_TRY_VOID(check(access, action_of(context_.operation, access.verb), depends));
  if (!depends) allowed_ = now;
  return {};
}

Result<void> RequestAuthorizer::admit(const table::Access& access) {
  if (context_.caller.identity != nullptr) PARTITA_TRY_VOID(check_policies(access));
  note_admitted(access);
  return {};
}

Error RequestAuthorizer::worded(Error error, std::string_view name_or_arn, std::string_view index, table::Verb verb) {
  if (context_.caller.identity == nullptr) return error;
  const bool not_loaded = Authorisation::is_not_loaded(error);
  const bool refused = Authorisation::is_refusal(error);
  const bool silent = refused && named_refused_;
  if (!not_loaded && (silent || error.kind() != ErrorKind::kInvalid || (admitted_ && !refused))) return error;
  const auto name = table_name_of(name_or_arn, context_);
  if (!name.ok()) return error;
  const table::Table found = context_.database.catalog().find(*name);
  if (not_loaded) {
    if (found != nullptr) named_.push_back(found->id);
    return error;
  }
  table::Access access;
  access.verb = verb;
  access.name = *name;
  access.owner = found.get();
  table::IndexInfo named;
  named.name = index;
  if (!index.empty()) access.index = &named;
  auto checked = check_name(access, action_of(context_.operation, verb), !refused);
  if (checked.ok()) note_allowed();
  if (checked.ok()) return error;
  named_refused_ = Authorisation::is_refusal(checked.error());
  return std::move(checked).error();
}

Task<Result<void>> RequestAuthorizer::load(const Error& error) {
  named_.push_back(Authorisation::table_not_loaded(error));
  for (const uint32_t id : std::exchange(named_, {})) {
    if (policies_.find(id) != nullptr) continue;
    PARTITA_CO_TRY(auto loaded, co_await context_.admission.authorisation().load(context_.database, id));
    policies_.keep(id, std::move(loaded));
  }
  co_return Result<void>();
}

int64_t RequestAuthorizer::capacity_ns() const { return capacity_ns_of(context_); }

Result<void> RequestAuthorizer::reserve(const table::Access& access, model::HalfUnits least) {
  return take_capacity(access, least);
}

Result<void> RequestAuthorizer::admit_and_reserve(const table::Access& access, model::HalfUnits least) {
  if (context_.caller.identity != nullptr) [[unlikely]]
    return AccessChecker::admit_and_reserve(access, least);
  note_admitted(access);
  return take_capacity(access, least);
}

Result<void> RequestAuthorizer::refused(const table::Access& access, throttle::TableCapacity::Taken taken) {
  const auto shortage = reservations_.refused(access, taken);
  if (!shortage) return {};
  context_.admission.count_throttle(context_, access, shortage->index);
  return throttled(context_, *access.table, *shortage);
}

Result<void> RequestAuthorizer::check_indexes(const table::IndexChange& change) {
  if (change.table.meters->watched_by(table::KeyWatch::kInsights)) [[unlikely]]
    reservations_.note_index_keys(change);
  if (!limited_) return {};
  const auto shortage = reservations_.index_shortage(change, capacity_ns());
  if (!shortage) [[likely]]
    return {};
  return throttled(context_, change.table, *shortage);
}

void RequestAuthorizer::returned(uint64_t items) const {
  if (context_.footprint != nullptr) context_.footprint->returned(items);
}

void RequestAuthorizer::charge(const table::Access& access, const api::ConsumedCapacity& consumed) {
  if (limited_ && !reservations_.is_paid(consumed)) [[unlikely]]
    return settle(access, consumed);
  context_.admission.charge(context_, access, consumed, reservations_);
}

bool RequestAuthorizer::charge_usual(const table::TableInfo& table, const api::ConsumedCapacity& consumed) {
  if (limited_ && !reservations_.is_paid(consumed)) return false;
  return context_.admission.charge_unwatched(table, consumed);
}

void RequestAuthorizer::settle(const table::Access& access, const api::ConsumedCapacity& consumed) {
  reservations_.settle(access, consumed, capacity_ns());
  context_.admission.charge(context_, access, consumed, reservations_);
}

}  // namespace partita::ops
