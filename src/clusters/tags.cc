#include "clusters/checks.h"
#include "clusters/cluster_calls.h"
#include "clusters/store.h"
#include "model/fault.h"

namespace partita::clusters {

namespace {

using model::Fault;
using model::refuse;

Result<Cluster*> taggable_cluster(State& state, const std::string& name) {
  PARTITA_TRY(Cluster* const cluster, named_cluster(state.cluster, name));
  const ClusterStatus status = status_of(*cluster, state.now_ms);
  if (status != ClusterStatus::kDeleting) return cluster;
  return refuse(Fault::kClusterState, {name, std::string(word_of(status))});
}

}  // namespace

Task<Result<TagPage>> tags_of_cluster(table::TableContext& context, const api::ClusterTagsRequest& request) {
  PARTITA_CO_TRY(std::optional<Cluster> found, co_await read_cluster(context));
  PARTITA_CO_TRY(Cluster* const cluster, named_cluster(found, request.name));
  using Tag = std::pair<std::string, std::string>;
  std::vector<Tag> all(cluster->tags.begin(), cluster->tags.end());
  const api::PageRequest from{.most = {}, .after = request.after};
  auto page = page_of(
      std::move(all), from, "tags:", [](const Tag& one) { return one.first; },
      [](const Tag& one, std::string_view key) { return one.first > key; });
  if (!page.ok()) co_return std::move(page).error();
  co_return TagPage{std::move(page).value()};
}

Task<Result<Tags>> tag_cluster(table::TableContext& context, const api::ClusterTagsRequest& request) {
  PARTITA_CO_TRY_VOID(check_tags(request.tags));
  StateChange change = [&request](State& state) -> Result<void> {
    PARTITA_TRY(Cluster* const cluster, taggable_cluster(state, request.name));
    for (const api::Tag& tag : request.tags) cluster->tags.insert_or_assign(*tag.key, tag.value.value_or(""));
    if (cluster->tags.size() > kMostTags) return refuse(Fault::kClusterTagQuota, {std::to_string(kMostTags)});
    return {};
  };
  StateNames names;
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return std::move(state.cluster->tags);
}

Task<Result<Tags>> untag_cluster(table::TableContext& context, const api::ClusterTagsRequest& request) {
  StateChange change = [&request](State& state) -> Result<void> {
    PARTITA_TRY(Cluster* const cluster, taggable_cluster(state, request.name));
    for (const std::string& key : request.dropped) {
      if (!cluster->tags.contains(key)) return refuse(Fault::kClusterNoTag, {key});
    }
    for (const std::string& key : request.dropped) cluster->tags.erase(key);
    return {};
  };
  StateNames names;
  PARTITA_CO_TRY(State state, co_await change_state(context, std::move(names), std::move(change)));
  co_return std::move(state.cluster->tags);
}

}  // namespace partita::clusters
