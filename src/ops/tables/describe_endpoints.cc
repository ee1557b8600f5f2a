#include "api/account.h"
#include "ops/json_codec.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

// An SDK that asks is led back to where it asked.
struct DescribeEndpoints {
  using Execution = ControlExecutionOf<DescribeEndpoints>;
  using Reply = api::DescribeEndpointsReply;
  using Request = api::Empty;

  static Result<Request> decode(const wire::Members& /*in*/) { return Request{}; }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& /*request*/) {
    constexpr int64_t kCacheMinutes = 1'440;  // as in DynamoDB's replies
    co_return Reply{std::string(context.host), kCacheMinutes};
  }

  static std::string encode(const Context& /*context*/, const Reply& endpoint) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("Endpoints");
    json.begin_object();
    json.member("Address", endpoint.address);
    json.member("CachePeriodInMinutes", endpoint.cache_minutes);
    json.end_object();
    json.end_array();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec describe_endpoints = json_codec<DescribeEndpoints>(wire::shapes::kDescribeEndpoints);

}  // namespace partita::ops
