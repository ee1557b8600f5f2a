#include "ops/json_codec.h"
#include "ops/policy_document.h"
#include "ops/tables/table_request.h"
#include "table/control/policy.h"

namespace partita::ops {

namespace {

struct DeleteResourcePolicy {
  using Execution = ControlExecutionOf<DeleteResourcePolicy>;
  using Reply = std::optional<std::string>;
  struct Request {
    api::Resource resource;
    std::optional<std::string> expected;
  };

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}},
                   decode_text(in, wire::Field::kExpectedRevisionId)};
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kPolicies}; }

  static Task<Result<std::optional<std::string>>> run(const Context& context, const Request& request) {
    auto dropped = co_await table::drop_policy(context.database, request.resource, request.expected);
    forget_policies(context, request.resource);
    co_return dropped;
  }

  static std::string encode(const Context& /*context*/, const std::optional<std::string>& revision) {
    return revision_reply(revision);
  }
};

}  // namespace

constinit const JsonCodec delete_resource_policy =
    json_codec<DeleteResourcePolicy>(wire::shapes::kDeleteResourcePolicy);

}  // namespace partita::ops
