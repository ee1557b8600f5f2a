#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"
#include "wire/json_writer.h"

namespace partita::ops {

namespace {

// Lists global tables of version 2017.11.29. There are none.
struct ListGlobalTables {
  using Execution = ControlExecutionOf<ListGlobalTables>;
  using Request = api::Empty;
  using Reply = api::Empty;

  static constexpr wire::Member kMembers[] = {
      wire::Member::unread("ExclusiveStartGlobalTableName", &kGlobalTableName),
      wire::Member::unread("Limit", &wire::shapes::kPositiveInteger),
      wire::Member::unread("RegionName", &wire::shapes::kText),
  };
  static constexpr wire::Shape kShape{
      .kind = wire::ShapeKind::kStructure, .name = "ListGlobalTablesInput", .members = kMembers};

  static Result<Request> decode(const wire::Members& /*in*/) { return Request{}; }

  static Subject subject(Request& /*request*/) { return {}; }

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& /*request*/) {
    co_return api::Empty{};
  }

  static std::string encode(const Context& /*context*/, const api::Empty& /*done*/) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("GlobalTables");
    json.end_array();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec list_global_tables = json_codec<ListGlobalTables>(ListGlobalTables::kShape);

}  // namespace partita::ops
