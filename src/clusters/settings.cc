#include "clusters/settings.h"

#include <optional>
#include <vector>

#include "clusters/rows.h"
#include "clusters/store.h"

namespace partita::clusters {

Task<Result<api::CacheTimes>> cache_times(table::TableContext& context) {
  api::CacheTimes found;
  PARTITA_CO_TRY(const std::optional<Cluster> cluster, co_await read_cluster(context));
  if (!cluster || cluster->deleted_ms != 0) co_return found;
  const std::vector<storage::Key> keys{parameter_group_key(cluster->nodes.front().parameter_group)};
  PARTITA_CO_TRY(const std::vector<std::optional<storage::Record>> rows, co_await context.engine().read(keys));
  if (!rows[0]) co_return found;
  PARTITA_CO_TRY(const ParameterGroup group, parameter_group_from(rows[0]->value));
  found.item_ttl_ms = group.record_ttl_ms;
  found.query_ttl_ms = group.query_ttl_ms;
  co_return found;
}

}  // namespace partita::clusters
