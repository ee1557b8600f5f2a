#include "clusters/groups.h"
#include "ops/dax/cluster_reply.h"
#include "ops/dax/cluster_request.h"
#include "ops/json_codec.h"
#include "ops/request.h"

namespace partita::ops {

namespace {

using wire::Field;

struct DescribeSubnetGroups {
  using Execution = ControlExecutionOf<DescribeSubnetGroups>;
  using Request = api::NamedPageRequest;
  using Reply = clusters::PageOf<clusters::SubnetGroup>;

  static Result<Request> decode(const wire::Members& in) {
    Request request{texts(in[Field::kSubnetGroupNames]), decode_page(in)};
    for (std::string& name : request.names) name = lower_name(name);
    return request;
  }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<Reply>> run(const Context& context, const Request& request) {
    return clusters::list_subnet_groups(context.database, request);
  }

  static std::string encode(const Context& context, const Reply& reply) {
    return encode_page("SubnetGroups", reply, [&](wire::JsonWriter& json, const clusters::SubnetGroup& one) {
      write_subnet_group(json, context, one);
    });
  }
};

}  // namespace

constinit const JsonCodec describe_subnet_groups =
    json_codec<DescribeSubnetGroups>(wire::shapes::kDescribeSubnetGroups);

}  // namespace partita::ops
