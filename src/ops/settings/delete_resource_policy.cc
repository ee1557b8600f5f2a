#include "ops/json_codec.h"
#include "ops/policy_document.h"
#include "ops/tables/table_request.h"
#include "table/control/policy.h"

namespace partita::ops {

namespace {

struct DeleteResourcePolicy {
  using Execution = ControlExecutionOf<DeleteResourcePolicy>;
  using Reply = api::PolicyRevision;
  using Request = api::DeletePolicyRequest;

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}},
                   decode_text(in, wire::Field::kExpectedRevisionId)};
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kPolicies}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    auto dropped = co_await table::drop_policy(context.database, request.resource, request.expected);
    forget_policies(context, request.resource);
    if (!dropped.ok()) co_return std::move(dropped).error();
    co_return Reply{std::move(dropped).value()};
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return revision_reply(reply.revision); }
};

}  // namespace

constinit const JsonCodec delete_resource_policy =
    json_codec<DeleteResourcePolicy>(wire::shapes::kDeleteResourcePolicy);

}  // namespace partita::ops
