#include "ops/json_codec.h"
#include "ops/policy_document.h"
#include "table/control/policy.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct GetResourcePolicy {
  using Execution = ControlExecutionOf<GetResourcePolicy>;
  using Reply = api::GetPolicyReply;
  using Request = api::NamedResource;

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}};
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kPolicies}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY(const table::StoredPolicy stored, co_await table::get_policy(context.database, request.resource));
    co_return Reply{shown(context, stored.policy->document), std::to_string(stored.revision)};
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    json.member("Policy", reply.policy);
    json.member("RevisionId", reply.revision);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec get_resource_policy = json_codec<GetResourcePolicy>(wire::shapes::kGetResourcePolicy);

}  // namespace partita::ops
