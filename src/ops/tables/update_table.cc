#include "ops/json_codec.h"
#include "ops/tables/table_reply.h"
#include "ops/tables/table_request.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::JsonValue;
using wire::Members;

api::IndexUpdate decode_index_update(const Members& entry) {
  api::IndexUpdate update;
  if (entry.has(Field::kCreate)) update.create = decode_index(entry.in(Field::kCreate), true);
  if (entry.has(Field::kUpdate)) {
    const Members change = entry.in(Field::kUpdate);
    update.changed = change.text(Field::kIndexName);
    update.throughput = decode_throughput(change);
    update.on_demand = decode_on_demand(change);
    update.warm = decode_warm(change);
  }
  if (entry.has(Field::kDelete)) update.dropped = entry.in(Field::kDelete).text(Field::kIndexName);
  return update;
}

api::IndexUpdate decode_vector_update(const Members& entry) {
  api::IndexUpdate update;
  if (entry.has(Field::kCreate)) update.create = decode_vector_index(entry.in(Field::kCreate));
  if (entry.has(Field::kDelete)) update.dropped = entry.in(Field::kDelete).text(Field::kIndexName);
  return update;
}

template <class Decode>
std::optional<std::vector<api::IndexUpdate>> decode_updates(const Members& in, Field list, Decode decode_one) {
  if (!in.has(list)) return std::nullopt;
  std::vector<api::IndexUpdate> updates;
  const wire::Shape& shape = in.element_shape(list);
  for (const JsonValue entry : in[list].elements()) updates.push_back(decode_one(Members(entry, shape)));
  return updates;
}

struct UpdateTable : TableChange<api::UpdateTableRequest, table::update_table> {
  using Execution = ControlExecutionOf<UpdateTable>;

  static Subject subject(Request& request) { return {.table = &request.name, .region = &request.region}; }

  static Result<Request> decode(const Members& in) {
    PARTITA_TRY_VOID(refuse_named(in, {Field::kReplicaUpdates, Field::kMultiRegionConsistency,
                                       Field::kGlobalTableWitnessUpdates, Field::kDisassociationProtectionEnabled}));
    auto request = decode_table<Request>(in);
    request.names_throughput = in.has(Field::kWarmThroughput) || in.has(Field::kOnDemandThroughput);
    if (in.has(Field::kDeletionProtectionEnabled)) {
      request.deletion_protection = in.flag(Field::kDeletionProtectionEnabled);
    }
    PARTITA_TRY(request.table_class, decode_table_class(in));
    request.replication_mode = decode_text(in, Field::kGlobalTableSettingsReplicationMode);
    request.indexes = decode_updates(in, Field::kGlobalSecondaryIndexUpdates, decode_index_update);
    request.vector_indexes = decode_updates(in, Field::kVectorIndexUpdates, decode_vector_update);
    return request;
  }
};

}  // namespace

constinit const JsonCodec update_table = json_codec<UpdateTable>(wire::shapes::kUpdateTable);

}  // namespace partita::ops
