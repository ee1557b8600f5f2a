#include <vector>

#include "model/fault.h"
#include "ops/global_tables/global_tables.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using model::Fault;
using wire::Field;

// Adding a replica is refused like CreateGlobalTable, whether or not the global table exists.
struct UpdateGlobalTable : NeverReplies {
  using Execution = ControlExecutionOf<UpdateGlobalTable>;
  using Request = api::UpdateGlobalTableRequest;

  static constexpr wire::Member kActionMembers[] = {
      wire::Member::unread("RegionName", &wire::shapes::kText, wire::Absence::kNull)};
  static constexpr wire::Shape kCreate{
      .kind = wire::ShapeKind::kStructure, .name = "CreateReplicaAction", .members = kActionMembers};
  static constexpr wire::Shape kDelete{
      .kind = wire::ShapeKind::kStructure, .name = "DeleteReplicaAction", .members = kActionMembers};
  static constexpr wire::Member kUpdateMembers[] = {{"Create", &kCreate}, {"Delete", &kDelete}};
  static constexpr wire::Shape kUpdate{
      .kind = wire::ShapeKind::kStructure, .name = "ReplicaUpdate", .members = kUpdateMembers};
  static constexpr wire::Shape kUpdates{.kind = wire::ShapeKind::kList, .element = &kUpdate};
  static constexpr wire::Member kMembers[] = {
      {"GlobalTableName", &kGlobalTableName, wire::Absence::kNull},
      {"ReplicaUpdates", &kUpdates, wire::Absence::kNull},
  };
  static constexpr wire::Shape kShape{
      .kind = wire::ShapeKind::kStructure, .name = "UpdateGlobalTableInput", .members = kMembers};

  static Result<Request> decode(const wire::Members& in) {
    Request request{.name = std::string(in.text(Field::kGlobalTableName)), .updates = {}};
    for (const wire::JsonValue entry : in[Field::kReplicaUpdates].elements()) {
      const wire::Members update(entry, kUpdate);
      request.updates.push_back({update.has(Field::kCreate), update.has(Field::kDelete)});
    }
    return request;
  }

  static Subject subject(Request& request) { return {.global_table = &request.name}; }

  static Task<Result<api::Empty>> run(const Context& /*context*/, const Request& request) {
    if (request.updates.empty()) co_return model::refuse(Fault::kReplicaUpdateMissing);
    bool creates = false;
    for (const Request::ReplicaUpdate& change : request.updates) {
      if (change.creates && change.deletes) co_return model::refuse(Fault::kReplicaUpdateAmbiguous);
      if (!change.creates && !change.deletes) co_return model::refuse(Fault::kReplicaUpdateMissing);
      creates |= change.creates;
    }
    if (creates) co_return model::refuse(Fault::kGlobalTablesOfOldVersion);
    std::vector<std::string> args{request.name};
    co_return model::refuse(Fault::kGlobalTableNotFound, std::move(args));
  }
};

}  // namespace

constinit const JsonCodec update_global_table = json_codec<UpdateGlobalTable>(UpdateGlobalTable::kShape);

}  // namespace partita::ops
