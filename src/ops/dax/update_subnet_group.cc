#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct UpdateSubnetGroup {
  using Execution = ControlExecutionOf<UpdateSubnetGroup>;
  using Request = api::SubnetGroupRequest;
  using Reply = clusters::SubnetGroup;

  static Result<Request> decode(const wire::Members& in) { return decode_subnet_group(in); }

  static Subject subject(Request& request) { return {.other = &request.name}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::update_subnet_group(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) { return encode_subnet_group(context, reply); }
};

}  // namespace

constinit const JsonCodec update_subnet_group = json_codec<UpdateSubnetGroup>(wire::shapes::kUpdateSubnetGroup);

}  // namespace partita::ops
