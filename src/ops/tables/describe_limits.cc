#include "api/account.h"
#include "model/limits.h"
#include "ops/json_codec.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct DescribeLimits {
  using Execution = ControlExecutionOf<DescribeLimits>;
  using Reply = api::DescribeLimitsReply;
  using Request = api::Empty;

  static Result<Request> decode(const wire::Members& /*in*/) { return Request{}; }

  static Subject subject(Request& /*request*/) { return {}; }

  // The quotas of a new account: "Service, account, and table quotas" in DynamoDB's developer guide.
  static Task<Result<Reply>> run(const Context& /*context*/, const Request& /*request*/) {
    constexpr int64_t kOfAccount = 80'000;
    co_return Reply{kOfAccount, kOfAccount, model::kMaxTableUnits, model::kMaxTableUnits};
  }

  static std::string encode(const Context& /*context*/, const Reply& limits) {
    wire::JsonWriter json;
    json.begin_object();
    json.member("AccountMaxReadCapacityUnits", limits.account_read_units);
    json.member("AccountMaxWriteCapacityUnits", limits.account_write_units);
    json.member("TableMaxReadCapacityUnits", limits.table_read_units);
    json.member("TableMaxWriteCapacityUnits", limits.table_write_units);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_limits = json_codec<DescribeLimits>(wire::shapes::kDescribeLimits);

}  // namespace partita::ops
