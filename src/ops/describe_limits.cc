#include "model/limits.h"
#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct DescribeLimits {
  using Request = Nothing;

  static Result<Request> decode(const wire::Members& /*in*/) { return Request{}; }

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

Task<Result<std::string>> describe_limits(const Context& context, wire::JsonDocument document) {
  return serve_control<DescribeLimits>(context, std::move(document));
}

}  // namespace partita::ops
