#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DeleteParameterGroup {
  using Execution = ControlExecutionOf<DeleteParameterGroup>;
  using Request = std::string;
  using Reply = std::string;

  static Result<Request> decode(const wire::Members& in) { return std::string(in.text(Field::kParameterGroupName)); }

  static Subject subject(Request& request) { return {.other = &request}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await clusters::delete_parameter_group(context.database, request));
    co_return request;
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    return encode_deletion("Parameter group " + reply + " has been deleted.");
  }
};

}  // namespace

constinit const JsonCodec delete_parameter_group =
    json_codec<DeleteParameterGroup>(wire::shapes::kDeleteParameterGroup);

}  // namespace partita::ops
