// The one place where requests are limited. Each request passes here once at its start, each of its accesses before it
// runs, and again with its consumed capacity afterwards. Authorisation, request rates, the capacity of tables, and
// metrics of tables are asked here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clusters/dax_address.h"
#include "ops/authorisation.h"
#include "ops/call.h"
#include "ops/insight_counters.h"
#include "ops/operation.h"
#include "ops/table_meters.h"
#include "table/catalog/access.h"
#include "throttle/capacity_limits.h"
#include "throttle/request_rates.h"
#include "throttle/reservations.h"

namespace partita::ops {

// The IAM action that an access by this operation needs: the operation's own, or in a transaction and in PartiQL that
// of the part. Static storage.
std::string_view action_of(const Operation& operation, table::Verb verb);

// Callable from any thread.
class Admission {
 public:
  // `space`: the namespace of the tables; empty: none.
  // `insights`: null if nothing is counted for Contributor Insights.
  Admission(Enforcement enforcement, std::shared_ptr<throttle::RequestRates> rates,
            std::shared_ptr<throttle::CapacityLimits> capacity, std::shared_ptr<TableMeters> meters,
            std::shared_ptr<InsightCounters> insights, std::string space)
      : rates_(std::move(rates)),
        capacity_(std::move(capacity)),
        meters_(std::move(meters)),
        insights_(std::move(insights)),
        space_(std::move(space)),
        authorisation_(enforcement) {}

  // The caller, which the call holds. Calls whose signature was refused share one rate limit. Faults: the refusal of
  // the signature, kRateExceeded.
  Result<const auth::Caller*> identify(const Call& call);
  // Counts the call against the rate limit of its caller. Calls over the administration socket or from this process are
  // not limited. Fault: kRateExceeded.
  Result<void> enter(const Call& call, const auth::Caller& caller);

  // An access was allowed: the request counts in the metrics of its table from now on. `footprint`: null if the request
  // is not measured.
  void admit(const Operation& operation, const table::Access& access, RequestFootprint* footprint);
  // An access was carried out, or refused at a cost: its capacity counts for its table, and for its key if the keys of
  // the table are watched. `capacity`: of the request.
  void charge(const Context& context, const table::Access& access, const api::ConsumedCapacity& consumed,
              const throttle::Reservations& capacity);
  // The same if the keys of the table are not watched. False: nothing was done.
  bool charge_unwatched(const table::TableInfo& table, const api::ConsumedCapacity& consumed) {
    return meters_->charge_unwatched(table, consumed);
  }
  // An access was refused for lack of capacity of the table (`index` null) or of the index that it reads.
  void count_throttle(const Context& context, const table::Access& access, const table::IndexInfo* index);

  // For the capacity of one request, which this outlives.
  throttle::Reservations reservations() { return {*capacity_, space_}; }

  // Where clients reach the DAX protocol of the server, which calls of its control API tell. Set it before the first
  // call.
  void set_dax_address(clusters::DaxAddress address) { dax_address_ = std::move(address); }
  const clusters::DaxAddress& dax_address() const { return dax_address_; }

  Authorisation& authorisation() { return authorisation_; }
  const Authorisation& authorisation() const { return authorisation_; }

 private:
  const std::shared_ptr<throttle::RequestRates> rates_;
  const std::shared_ptr<throttle::CapacityLimits> capacity_;
  const std::shared_ptr<TableMeters> meters_;
  const std::shared_ptr<InsightCounters> insights_;
  const std::string space_;
  clusters::DaxAddress dax_address_;
  Authorisation authorisation_;
};

// The AccessChecker of one request. For one thread at a time. The context outlives it.
class RequestAuthorizer final : public table::AccessChecker {
 public:
  explicit RequestAuthorizer(const Context& context, api::CapacityDetail capacity = api::CapacityDetail::kNone)
      : context_(context),
        capacity_(capacity),
        limited_(context.source != nullptr && !context.source->administrates()),
        reservations_(context.admission.reservations()) {}
  Result<void> admit(const table::Access& access) override;
  // Requests of this process and of the administration socket are not limited, as in Admission::enter(). The errors of
  // both carry a model::ThrottledDetail: kThroughputExceeded and the faults after it.
  Result<void> reserve(const table::Access& access, model::HalfUnits least) override;
  Result<void> admit_and_reserve(const table::Access& access, model::HalfUnits least) override;
  Result<void> check_indexes(const table::IndexChange& change) override;
  void charge(const table::Access& access, const api::ConsumedCapacity& consumed) override;
  bool charge_usual(const table::TableInfo& table, const api::ConsumedCapacity& consumed) override;
  // Items that the request returns, for metrics.
  void returned(uint64_t items) const;

  // Whether policies allow the access under another action, for requests that need several. Faults: those of
  // Authorisation::check().
  Result<void> check(const table::Access& access, std::string_view action);

  // Whether policies allow an action on what the access names, for some item at least. `counts`: whether a refusal is
  // counted. Faults and errors: those of Authorisation::check().
  Result<void> check_name(const table::Access& access, std::string_view action, bool counts);

  // The error that the caller may see instead of `error`. If no policy allows `verb` on the table of that name or ARN,
  // or on its index (empty: none), this is the refusal, whether or not the table exists; else it is `error`. Call it
  // for each name of the request in order, so that the first refused name decides, whichever part failed. If
  // Authorisation::is_not_loaded(error), it returns the error and notes the table for load().
  Error worded(Error error, std::string_view name_or_arn, std::string_view index, table::Verb verb);

  // Loads the policies of the table of `error` and of those that worded() noted, for this request. Precondition:
  // Authorisation::is_not_loaded(error).
  Task<Result<void>> load(const Error& error);

  // The request will be bound again: what it has reserved and not used is given back.
  void give_back() { reservations_.give_back(); }

 private:
  // `depends`: set as by Authorisation::check(); unchanged if the caller has no identity.
  Result<void> check(const table::Access& access, std::string_view action, bool& depends);
  // What admit() and reserve() do when the caller has an identity and when there is no capacity; charge(), when not all
  // of the cost was reserved. Out of line, since most requests need none of them.
  Result<void> check_policies(const table::Access& access);
  Result<void> refused(const table::Access& access, throttle::TableCapacity::Taken taken);
  void settle(const table::Access& access, const api::ConsumedCapacity& consumed);
  [[gnu::always_inline]] Result<void> take_capacity(const table::Access& access, model::HalfUnits least) {
    if (!limited_) return {};
    const throttle::TableCapacity::Taken taken = reservations_.take(access, least, capacity_ns());
    if (taken.wait_ns != 0) [[unlikely]]
      return refused(access, taken);
    return {};
  }
  // The time of buckets, which is that of the request's beginning.
  int64_t capacity_ns() const;
  void note_allowed() const {
    if (context_.allowed != nullptr) *context_.allowed = true;
  }
  void note_admitted(const table::Access& access) {
    note_allowed();
    admitted_ = true;
    context_.admission.admit(context_.operation, access, context_.footprint);
  }

  // The last access that was allowed for all items of its table or index. Accesses equal to it are not checked again.
  struct Allowed {
    uint32_t table_id = 0;  // 0: no such access yet
    uint64_t revision = 0;  // of the table's description
    const table::IndexInfo* index = nullptr;
    table::Verb verb = table::Verb::kGet;
    bool operator==(const Allowed&) const = default;
  };
  static Allowed allowed_of(const table::Access& access);

  const Context& context_;
  const api::CapacityDetail capacity_;
  const bool limited_;  // by capacity
  throttle::Reservations reservations_;
  PolicySnapshot policies_;
  std::vector<uint32_t> named_;  // ids of tables whose policies load() will load
  auth::Effort effort_;
  Allowed allowed_;
  bool admitted_ = false;
  bool named_refused_ = false;  // worded() has refused a name: it decides
};

}  // namespace partita::ops
