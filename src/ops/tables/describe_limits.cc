#include "model/limits.h"
#include "ops/json_codec.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct DescribeLimits {
  using Execution = ControlExecutionOf<DescribeLimits>;
  using Reply = Nothing;
  using Request = Nothing;

  static Result<Request> decode(const wire::Members& /*in*/) { return Request{}; }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Nothing>> run(const Context& /*context*/, const Request& /*request*/) { co_return Nothing{}; }

  // The quotas of a new account: "Service, account, and table quotas" in DynamoDB's developer guide.
  static std::string encode(const Context& /*context*/, const Nothing& /*done*/) {
    constexpr int64_t kOfAccount = 80'000;
    wire::JsonWriter json;
    json.begin_object();
    json.key("AccountMaxReadCapacityUnits");
    json.number(kOfAccount);
    json.key("AccountMaxWriteCapacityUnits");
    json.number(kOfAccount);
    json.key("TableMaxReadCapacityUnits");
    json.number(model::kMaxTableUnits);
    json.key("TableMaxWriteCapacityUnits");
    json.number(model::kMaxTableUnits);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_limits = json_codec<DescribeLimits>(wire::shapes::kDescribeLimits);

}  // namespace partita::ops
