#include "ops/json_codec.h"
#include "ops/policy_document.h"
#include "table/control/policy.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

struct GetResourcePolicy {
  using Execution = ControlExecutionOf<GetResourcePolicy>;
  using Reply = table::StoredPolicy;
  struct Request {
    api::Resource resource;
  };

  static Result<Request> decode(const wire::Members& in) {
    return Request{{std::string(in.text(wire::Field::kResourceArn)), {}, {}}};
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kPolicies}; }

  static Task<Result<table::StoredPolicy>> run(const Context& context, const Request& request) {
    return table::get_policy(context.database, request.resource);
  }

  static std::string encode(const Context& context, const table::StoredPolicy& stored) {
    wire::JsonWriter json;
    json.begin_object();
    json.key("Policy");
    json.string(shown(context, stored.policy->document));
    json.key("RevisionId");
    json.string(std::to_string(stored.revision));
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec get_resource_policy = json_codec<GetResourcePolicy>(wire::shapes::kGetResourcePolicy);

}  // namespace partita::ops
