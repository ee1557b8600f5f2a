#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DeleteSubnetGroup {
  using Execution = ControlExecutionOf<DeleteSubnetGroup>;
  using Request = std::string;
  using Reply = std::string;

  static Result<Request> decode(const wire::Members& in) { return decode_lower_name(in, Field::kSubnetGroupName); }

  static Subject subject(Request& request) { return {.other = &request}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    PARTITA_CO_TRY_VOID(co_await clusters::delete_subnet_group(context.database, request));
    co_return request;
  }

  static std::string encode(const Context& /*context*/, const Reply& reply) {
    return encode_deletion("Subnet group " + reply + " has been deleted.");
  }
};

}  // namespace

constinit const JsonCodec delete_subnet_group = json_codec<DeleteSubnetGroup>(wire::shapes::kDeleteSubnetGroup);

}  // namespace partita::ops
