#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct DescribeGlobalTable : NamesGlobalTable {
  using Execution = ControlExecutionOf<DescribeGlobalTable>;

  static constexpr wire::Shape kShape{
      .kind = wire::ShapeKind::kStructure, .name = "DescribeGlobalTableInput", .members = kNamedGlobalTableMembers};

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    std::vector<std::string> args{request.name};
    co_return model::refuse(model::Fault::kGlobalTableNotDescribed, std::move(args));
  }
};

}  // namespace

constinit const JsonCodec describe_global_table = json_codec<DescribeGlobalTable>(DescribeGlobalTable::kShape);

}  // namespace partita::ops
