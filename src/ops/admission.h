// The one choke point of all requests: each request enters here, each of its accesses comes by before it runs, and
// again with its cost once it was carried out. What decides over requests (authorisation, rates, capacity) is asked
// here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/authorisation.h"
#include "ops/operation.h"
#include "ops/table_meters.h"
#include "table/catalog/access.h"
#include "throttle/request_rates.h"

namespace partita::ops {

// The action of IAM that an access by this operation needs: the operation's own, or in a transaction and in PartiQL
// that of the part.
std::string_view action_of(const Operation& operation, table::Verb verb);

// Callable from any thread.
class Admission {
 public:
  // `space`: the namespace whose tables they are, or empty.
  Admission(Enforcement enforcement, std::shared_ptr<throttle::RequestRates> rates, std::shared_ptr<TableMeters> meters,
            std::string space)
      : rates_(std::move(rates)), meters_(std::move(meters)), space_(std::move(space)), authorisation_(enforcement) {}

  // Who calls. A call whose signature is wrong counts against the rate that all such calls share. Faults: what is wrong
  // with the signature; kRateExceeded.
  Result<const auth::Caller*> identify(const Call& call);
  // The call counts against the rate of its caller, unless it came over the administration socket or from this process.
  // Fault: kRateExceeded.
  Result<void> enter(const Call& call, const auth::Caller& caller);

  // `footprint`: null where nobody asks.
  void admit(const Operation& operation, const table::Access& access, RequestFootprint* footprint);
  void charge(const Context& context, const table::Access& access, const api::ConsumedCapacity& consumed);

  Authorisation& authorisation() { return authorisation_; }
  const Authorisation& authorisation() const { return authorisation_; }

 private:
  const std::shared_ptr<throttle::RequestRates> rates_;
  const std::shared_ptr<TableMeters> meters_;
  const std::string space_;
  Authorisation authorisation_;
};

// The AccessChecker of one request.
class RequestAuthorizer final : public table::AccessChecker {
 public:
  explicit RequestAuthorizer(const Context& context, api::CapacityDetail capacity = api::CapacityDetail::kNone)
      : context_(context), capacity_(capacity) {}
  Result<void> admit(const table::Access& access) override;
  void charge(const table::Access& access, const api::ConsumedCapacity& consumed) override;

  // Whether the access is allowed as one of another action; for requests that do several things at once.
  Result<void> check(const table::Access& access, std::string_view action);

  // What a request that was not admitted is told of an error: nothing of a table, or of the index of it that the
  // request names (empty: none), whether that is there or not, if nothing may be done with that name by `verb`. Called
  // for each name in their order, it has the first of them refused, whatever part of the request failed. The tables of
  // an error that Authorisation::is_not_loaded() knows are remembered for hear().
  Error worded(Error error, std::string_view name_or_arn, std::string_view index, table::Verb verb);

  // Learns the policies of all the tables that the error and worded() named, for this request.
  Task<Result<void>> load(const Error& error);

 private:
  // `depends`: as Authorisation::check() says it; unchanged where nothing is judged.
  Result<void> check(const table::Access& access, std::string_view action, bool& depends);
  Result<void> check_name(const table::Access& access, bool counts);
  void note_allowed() const {
    if (context_.allowed != nullptr) *context_.allowed = true;
  }

  // The last access that was allowed whatever the item is.
  struct Allowed {
    uint32_t table_id = 0;  // 0: there is none
    uint64_t revision = 0;  // of the table's description
    const table::IndexInfo* index = nullptr;
    table::Verb verb = table::Verb::kGet;
    bool operator==(const Allowed&) const = default;
  };
  static Allowed allowed_of(const table::Access& access);

  const Context& context_;
  const api::CapacityDetail capacity_;
  PolicySnapshot policies_;
  std::vector<uint32_t> named_;  // ids of tables that are to be heard of
  auth::Effort effort_;
  Allowed allowed_;
  bool admitted_ = false;
  bool named_refused_ = false;  // by a name of the request, so that the others do not matter
};

}  // namespace partita::ops
