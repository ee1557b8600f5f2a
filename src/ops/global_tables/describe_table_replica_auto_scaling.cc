#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"
#include "table/control/tables.h"

namespace partita::ops {

namespace {

// The answer is the same whether the table has no replicas or does not exist.
struct DescribeTableReplicaAutoScaling : NeverReplies {
  using Execution = ControlExecutionOf<DescribeTableReplicaAutoScaling>;
  using Request = api::NamedTable;

  static constexpr wire::Shape kShape{.kind = wire::ShapeKind::kStructure,
                                      .name = "DescribeTableReplicaAutoScalingInput",
                                      .members = wire::shapes::kNamedTableMembers};

  static Result<Request> decode(const wire::Members& in) {
    return Request{std::string(in.text(wire::Field::kTableName))};
  }

  static Subject subject(Request& request) { return {.table = &request.name}; }

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    std::vector<std::string> args{request.name};
    co_return model::refuse(model::Fault::kTableWithoutReplicas, std::move(args));
  }
};

}  // namespace

constinit const JsonCodec describe_table_replica_auto_scaling =
    json_codec<DescribeTableReplicaAutoScaling>(DescribeTableReplicaAutoScaling::kShape);

}  // namespace partita::ops
