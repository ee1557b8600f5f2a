#include "ops/service.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/yield_budget.h"
#include "model/fault.h"
#include "ops/account_call.h"
#include "ops/admission.h"
#include "ops/call_codec.h"
#include "ops/footprint.h"
#include "ops/json_codec.h"
#include "ops/metric_counts.h"
#include "ops/monitoring_call.h"
#include "ops/operation.h"
#include "ops/request_counts.h"
#include "ops/table_meters.h"
#include "throttle/capacity_ledger.h"
#include "wire/error_body.h"
#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;

// AWS leaves out the name of a service that it knows.
std::string_view unknown_name(std::string_view target) {
  const size_t dot = target.find('.');
  const std::string_view service = target.substr(0, dot);
  const bool known = std::ranges::any_of(operations(), [&](const Operation& operation) {
    return target_of(operation).starts_with(std::string(service) + '.');
  });
  return known && dot != std::string_view::npos ? target.substr(dot + 1) : target;
}

Result<const Operation*> route(const Call& call) {
  if (call.target.empty()) return refuse(Fault::kNoOperation);
  const Operation* operation = find_target(call.target);
  if (operation == nullptr) return refuse(Fault::kUnknownOperation, {std::string(unknown_name(call.target))});
  return operation;
}

// What can be said of a call before its body is looked into.
struct Begun {
  wire::JsonDocument document;
  const Operation* operation;
  const auth::Caller* caller;
};

// AWS looks at the JSON first; of an empty body it asks first who sent it.
Result<Begun> begin(Admission& admission, const Call& call) {
  auto document = wire::JsonDocument::parse(call.body);
  if (!document.ok() && !call.body.empty()) return std::move(document).error();
  PARTITA_TRY(const Operation* operation, route(call));
  auto known = admission.identify(call);
  if (!known.ok()) {
    if (document.ok() && call.footprint != nullptr) note_names(document->root(), *call.footprint);
    return std::move(known).error();
  }
  const auth::Caller* const caller = *known;
  const auth::SignedFor needed = json_service(operation->api).signed_for;
  if (caller->signed_for != needed && caller->signed_for != auth::SignedFor::kAny) {
    return refuse(Fault::kInvalidSignature, {auth::wrong_service(needed)});
  }
  if (!document.ok()) return std::move(document).error();
  return Begun{std::move(document).value(), operation, caller};
}

}  // namespace

struct Service::Parts {
  const Enforcement enforcement;
  const std::shared_ptr<throttle::RequestRates> rates;
  const std::shared_ptr<throttle::CapacityLimits> capacity;
  const std::shared_ptr<TableMeters> meters;
  const std::shared_ptr<InsightCounters> insights;  // null: of a namespace
  iam::Directory* const directory;
  const std::string space;
  const Clock& clock;
  Admission admission{enforcement, rates, capacity, meters, insights, space};
  RequestCounts counts{};
  std::unique_ptr<throttle::CapacityLedger> ledger{};  // null: this server has the store for itself
};

namespace {

Error without_database() { return Error(ErrorKind::kUnavailable, "a rollback did not end."); }

}  // namespace

Service::Service(table::Database& database, Enforcement enforcement, uint64_t requests_per_second,
                 iam::Directory* directory, throttle::CapacityModes capacity)
    : database_(&database),
      parts_(new Parts{enforcement,
                       std::make_shared<throttle::RequestRates>(requests_per_second, database.clock()),
                       std::make_shared<throttle::CapacityLimits>(std::move(capacity)),
                       std::make_shared<TableMeters>(),
                       std::make_shared<InsightCounters>(),
                       directory,
                       {},
                       database.clock()}) {}
Service::Service(table::Database& database, const Service& elder, std::string space)
    : database_(&database),
      parts_(new Parts{elder.parts_->enforcement, elder.parts_->rates, elder.parts_->capacity, elder.parts_->meters,
                       nullptr, nullptr, std::move(space), database.clock()}) {
  set_dax_address(elder.parts_->admission.dax_address());
}
Service::~Service() = default;

void Service::set_dax_address(clusters::DaxAddress address) { parts_->admission.set_dax_address(std::move(address)); }

void Service::resume(table::Database& database) {
  database_ = &database;
  if (parts_->insights != nullptr) parts_->insights->follow_other(database.catalog());
  parts_->admission.authorisation().forget_all();
  drain_lock_.open();
}

void Service::resume_without() {
  database_ = nullptr;
  drain_lock_.open();
}

void Service::share_capacity() {
  parts_->ledger = std::make_unique<throttle::CapacityLedger>(*database_, parts_->capacity, parts_->space);
}

// Beside the parsed text there are at one moment: what it was decoded to, the records, and the batch that is written.
size_t Service::memory_of(const Call& call) {
  constexpr size_t kCopies = 3;
  return wire::JsonDocument::memory_of(call.body) + kCopies * call.body.size();
}

Result<const auth::Caller*> Service::caller_of(const Call& call) { return parts_->admission.identify(call); }

Result<void> Service::permit(const Call& call, const auth::Caller& caller, std::string_view action,
                             std::string_view table) {
  PARTITA_TRY_VOID(parts_->admission.enter(call, caller));
  if (caller.identity == nullptr) return {};
  if (database_ == nullptr) return without_database();
  // Stands for an operation that is about no table.
  static const Operation& stand_in = *find_operation("DescribeLimits");
  const Context context{*database_, parts_->admission, caller, stand_in, call.host, call.body, call.source};
  table::Access access;
  access.verb = table::Verb::kControl;
  access.name = table;
  const PolicySnapshot policies;
  auth::Effort effort;
  bool depends = false;
  return parts_->admission.authorisation().check(context, access, {api::CapacityDetail::kNone, policies, effort},
                                                 action, depends);
}

const Admission& Service::admission() const { return parts_->admission; }

namespace {

// A POST as curl makes it when nothing else is said, without a signature and a word of what it is about; curl calls its
// body a form.
bool says_nothing(const Call& call) {
  const auto* const refused = std::get_if<auth::Refused>(&call.caller);
  if (refused == nullptr || refused->why != auth::Refusal::kMissingToken) return false;
  return call.posted &&
         (call.content_type.empty() || (auth::is_form(call.content_type) && !call.body.contains("Action=")));
}

void note_names(Execution& execution, RequestFootprint& footprint) {
  auto note = [&](const std::string& name, std::string_view /*index*/, table::Verb /*verb*/) { footprint.name(name); };
  execution.visit_names(note);
}

}  // namespace

Task<Reply> Service::call(const Call& call) { return this->call(call, nullptr); }

Task<Result<void>> Service::run(const Operation& operation, const auth::Caller& caller, Execution& execution) {
  DrainLock::SharedGuard guard(drain_lock_);
  co_await guard;
  if (database_ == nullptr) co_return without_database();
  const Context context{*database_, parts_->admission, caller, operation, {}, {}, nullptr, iterators_from_ms_};
  co_return co_await execution.run(context);
}

namespace {

// A codec that still misses something then would ask for ever.
constexpr int kMostFetches = 100;

// Ends the work of a codec that was not done at once.
Task<Result<void>> go_on(CallCodec& codec, Result<CodecStep> (CallCodec::*work)(const Context&), CodecStep step,
                         const Context& context) {
  YieldBudget budget(YieldBudget::Start::kBegun);
  int fetches = 0;
  while (step != CodecStep::kDone) {
    if (step == CodecStep::kFetch) {
      if (++fetches > kMostFetches) {
        co_return Error(ErrorKind::kUnavailable, "a request needs too many attribute lists.");
      }
      PARTITA_CO_TRY_VOID(co_await codec.fetch(context));
    } else {
      co_await budget.yield();
    }
    PARTITA_CO_TRY(step, (codec.*work)(context));
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<void>> Service::call_by(const Call& call, CallCodec& codec) {
  PARTITA_CO_TRY(const auth::Caller* const caller, parts_->admission.identify(call));
  if (caller->signed_for != auth::SignedFor::kDax && caller->signed_for != auth::SignedFor::kAny) {
    co_return refuse(Fault::kInvalidSignature, {auth::wrong_service(auth::SignedFor::kDax)});
  }
  PARTITA_CO_TRY_VOID(parts_->admission.enter(call, *caller));
  DrainLock::SharedGuard guard(drain_lock_);
  co_await guard;
  if (database_ == nullptr) [[unlikely]]
    co_return without_database();
  const Context context{*database_,  parts_->admission,  *caller,        codec.operation(), call.host,    {},
                        call.source, iterators_from_ms_, call.footprint, nullptr,           call.began_ns};
  PARTITA_CO_TRY(CodecStep step, codec.decode(context));
  if (step != CodecStep::kDone) {
    PARTITA_CO_TRY_VOID(co_await go_on(codec, &CallCodec::decode, step, context));
  }
  Execution& execution = codec.execution();
  Result<void> done = co_await execution.run(context);
  if (done.ok()) {
    auto encoded = codec.encode(context);
    if (!encoded.ok()) {
      done = std::move(encoded).error();
    } else if (*encoded != CodecStep::kDone) {
      done = co_await go_on(codec, &CallCodec::encode, *encoded, context);
    }
  }
  if (!done.ok()) count_reasons(done.error(), execution, context);
  if (call.footprint != nullptr) note_names(execution, *call.footprint);
  co_return done;
}

Result<const auth::Caller*> Service::admit(const Call& call) {
  PARTITA_TRY(const auth::Caller* const caller, parts_->admission.identify(call));
  PARTITA_TRY_VOID(parts_->admission.enter(call, *caller));
  return caller;
}

Task<std::optional<Reply>> Service::refuse_in_empty(const Call& call) {
  bool allowed = false;
  Reply reply = co_await this->call(call, &allowed);
  if (allowed) co_return std::nullopt;
  if (const auto caller = partita::ops::caller_of(call); caller.ok()) {
    if (auto admitted = parts_->admission.enter(call, **caller); !admitted.ok()) {
      co_return refusal(admitted.error());
    }
  }
  co_return reply;
}

Task<Reply> Service::call(const Call& call, bool* allowed) {
  if (call.target.empty() && says_nothing(call)) [[unlikely]]
    co_return unsigned_call();
  if (const cloudwatch::Protocol* const protocol = monitoring_protocol(call)) [[unlikely]] {
    DrainLock::SharedGuard guard(drain_lock_);
    co_await guard;
    if (database_ == nullptr) co_return refusal(without_database());
    const MonitoringSettings settings{!parts_->space.empty(), alarm_actions_};
    co_return co_await answer_monitoring(*database_, parts_->admission, settings, *protocol, call);
  }
  if (call.target.empty() && auth::is_form(call.content_type)) {
    DrainLock::SharedGuard guard(drain_lock_);
    co_await guard;
    if (database_ == nullptr) co_return refusal(without_database());
    co_return co_await answer_form(*database_, parts_->admission, parts_->directory, call);
  }
  if (!speaks_json(call)) co_return not_json();
  auto begun = begin(parts_->admission, call);
  if (!begun.ok()) co_return refusal(begun.error());
  // What is allowed is called again, and counts then.
  if (allowed == nullptr) {
    if (auto admitted = parts_->admission.enter(call, *begun->caller); !admitted.ok()) {
      co_return refusal(admitted.error());
    }
  }
  const Operation& operation = *begun->operation;
  DrainLock::SharedGuard guard(drain_lock_);
  co_await guard;
  if (database_ == nullptr) [[unlikely]]
    co_return refusal(without_database());
  const Context context{*database_,  parts_->admission,  *begun->caller, operation, call.host,    call.body,
                        call.source, iterators_from_ms_, call.footprint, allowed,   call.began_ns};
  Reply reply;
  auto execution = decode(context, std::move(begun->document));
  Result<void> done;
  if (execution.ok()) {
    done = co_await (*execution)->run(context);
  } else {
    done = std::move(execution).error();
  }
  if (done.ok() && (allowed == nullptr || !*allowed)) {
    Result<std::string> body = std::string();
    if (operation.json.encode != nullptr) {
      body = operation.json.encode(**execution, context);
    } else {
      body = co_await operation.json.encode_in_pieces(**execution, context);
    }
    if (body.ok()) {
      reply.body = std::move(body).value();
    } else {
      done = std::move(body).error();
    }
  }
  if (!done.ok()) reply = refusal(done.error(), json_service(operation.api).both_message_members);
  if (!done.ok() && execution.ok()) count_reasons(done.error(), **execution, context);
  if (execution.ok() && call.footprint != nullptr) note_names(**execution, *call.footprint);
  reply.repeatable = operation.kind == Kind::kRead;
  reply.operation = &operation;
  co_return reply;
}

void Service::answered(const Call& call, const Reply& reply, int64_t took_ns) {
  auto exception = reply.error ? static_cast<wire::Exception>(*reply.error) : wire::Exception::kCount;
  if (reply.callers_fault) exception = wire::Exception::kSerialization;
  const Operation* const operation = reply.operation != nullptr ? reply.operation : find_target(call.target);
  parts_->counts.add(operation, exception, static_cast<uint64_t>(took_ns));
  if (call.footprint == nullptr) return;
  call.footprint->took(static_cast<uint64_t>(took_ns), failure_of(exception));
}

metrics::ServerCounts Service::counts() {
  return count_all(*database_, parts_->counts, *parts_->meters, *parts_->capacity, parts_->space);
}

void Service::follow_insights() {
  if (parts_->insights != nullptr) parts_->insights->follow(database_->catalog());
}

std::vector<metrics::InsightMinute> Service::take_insights() {
  return parts_->insights == nullptr ? std::vector<metrics::InsightMinute>() : parts_->insights->take();
}

void Service::refused(int status) { parts_->counts.add_refused(status); }

RequestTotals Service::totals() {
  RequestTotals totals{parts_->counts.totals(), parts_->meters->totals()};
  for (const throttle::ThrottleEvents& events : parts_->capacity->events()) {
    const auto is_same = [&](const TableTotals& one) { return one.table == events.table && one.space == events.space; };
    const auto found = std::ranges::find_if(totals.tables, is_same);
    if (found != totals.tables.end()) found->would_throttle += events.recorded.read + events.recorded.write;
  }
  return totals;
}

throttle::HotKeys::Top Service::hot_keys(const table::TableInfo& table, size_t most) {
  return parts_->meters->hot_keys(parts_->space, table, most, database_->clock().monotonic_ns());
}

throttle::HeatReport Service::heat(const table::TableInfo& table, const table::IndexInfo* index) {
  const int64_t now_ns = database_->clock().monotonic_ns();
  throttle::TableCapacity& capacity = parts_->capacity->of(parts_->space, table, index, now_ns);
  capacity.review(now_ns);
  return capacity.heat();
}

void Service::report(Exposition& out) {
  parts_->counts.report(out);
  parts_->meters->report(out);
  parts_->capacity->report(out, parts_->clock.monotonic_ns());
}

}  // namespace partita::ops
