#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

struct DescribeGlobalTableSettings : NamesGlobalTable {
  using Execution = ControlExecutionOf<DescribeGlobalTableSettings>;

  static constexpr wire::Shape kShape{.kind = wire::ShapeKind::kStructure,
                                      .name = "DescribeGlobalTableSettingsInput",
                                      .members = kNamedGlobalTableMembers};

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    std::vector<std::string> args{request.name};
    co_return model::refuse(model::Fault::kGlobalTableNotFound, std::move(args));
  }
};

}  // namespace

constinit const JsonCodec describe_global_table_settings =
    json_codec<DescribeGlobalTableSettings>(DescribeGlobalTableSettings::kShape);

}  // namespace partita::ops
