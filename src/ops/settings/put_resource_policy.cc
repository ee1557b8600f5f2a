#include "base/log.h"
#include "model/fault.h"
#include "ops/json_codec.h"
#include "ops/policy_document.h"
#include "ops/tables/table_request.h"
#include "table/control/policy.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

void warn(std::string_view arn, std::string_view warning) {
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) log(LogLevel::kWarn, {"The policy of ", arn, ": ", warning});
}

struct PutResourcePolicy {
  using Execution = ControlExecutionOf<PutResourcePolicy>;
  using Reply = api::PolicyRevision;
  using Request = api::PutPolicyRequest;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    request.resource.arn = in.text(wire::Field::kResourceArn);
    request.policy = in.text(wire::Field::kPolicy);
    request.expected = decode_text(in, wire::Field::kExpectedRevisionId);
    request.may_lock_out = in.flag(wire::Field::kConfirmRemoveSelfResourceAccess);
    return request;
  }

  static Subject subject(Request& request) { return {.resource = &request.resource, .arn_rules = ArnRules::kPolicies}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    const bool stream = !request.resource.stream.empty();
    PARTITA_CO_TRY(const ReadPolicy read, read_policy(request.policy, stream, context));
    if (read.locks_out && !request.may_lock_out) co_return model::refuse(model::Fault::kPolicyLocksOut);
    auto put = co_await table::put_policy(context.database, request.resource, read.policy, request.expected);
    forget_policies(context, request.resource);
    if (put.ok() && !read.warning.empty()) warn(request.resource.arn, read.warning);
    if (!put.ok()) co_return std::move(put).error();
    co_return Reply{std::move(put).value()};
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) { return revision_reply(reply.revision); }
};

}  // namespace

constinit const JsonCodec put_resource_policy = json_codec<PutResourcePolicy>(wire::shapes::kPutResourcePolicy);

}  // namespace partita::ops
