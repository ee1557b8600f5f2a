#include "ops/dax/cluster_request.h"

#include "model/fault.h"
#include "ops/request.h"
#include "ops/resource_arn.h"

namespace partita::ops {

using model::Fault;
using model::refuse;
using wire::Field;

const std::string kAllClusters = "*";

std::string lower_name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string decode_lower_name(const wire::Members& in, Field field) { return lower_name(in.text(field)); }

std::optional<std::string> decode_sent_text(const wire::Members& in, Field field) {
  return in.has(field) ? std::optional<std::string>(in.text(field)) : std::nullopt;
}

api::PageRequest decode_page(const wire::Members& in) {
  return {in.integer(Field::kMaxResults), std::string(in.text(Field::kNextToken))};
}

std::vector<api::Tag> decode_cluster_tags(const wire::Members& in) {
  std::vector<api::Tag> tags;
  if (!in.has(Field::kTags)) return tags;
  const wire::Shape& shape = in.element_shape(Field::kTags);
  for (const wire::JsonValue element : in[Field::kTags].elements()) {
    const wire::Members tag(element, shape);
    tags.push_back({decode_sent_text(tag, Field::kKey), decode_sent_text(tag, Field::kValue)});
  }
  return tags;
}

api::ResizeClusterRequest decode_resize(const wire::Members& in) {
  api::ResizeClusterRequest request;
  request.name = decode_lower_name(in, Field::kClusterName);
  request.nodes = in.integer(Field::kNewReplicationFactor).value_or(0);
  request.zones = texts(in[Field::kAvailabilityZones]);
  request.removed = texts(in[Field::kNodeIdsToRemove]);
  return request;
}

api::SubnetGroupRequest decode_subnet_group(const wire::Members& in) {
  api::SubnetGroupRequest request;
  request.name = decode_lower_name(in, Field::kSubnetGroupName);
  request.description = decode_sent_text(in, Field::kDescription);
  if (in.has(Field::kSubnetIds)) request.subnets = texts(in[Field::kSubnetIds]);
  return request;
}

Result<api::ClusterTagsRequest> decode_cluster_arn(const wire::Members& in) {
  constexpr std::string_view kCache = "cache/";
  api::ClusterTagsRequest request;
  request.arn = in.text(Field::kResourceName);
  const auto parts = arn_parts(request.arn);
  const bool sound = parts && parts->partition == kPartition && parts->service == "dax" &&
                     parts->relative_id.starts_with(kCache) && parts->relative_id.size() > kCache.size();
  if (!sound) return refuse(Fault::kClusterArn, {request.arn});
  request.name = lower_name(parts->relative_id.substr(kCache.size()));
  return request;
}

Result<void> check_cluster_arn(const Context& context, const api::ClusterTagsRequest& request) {
  const auto parts = arn_parts(request.arn);
  if (parts->region == context.caller.region && parts->account == context.caller.account_id) return {};
  return refuse(Fault::kClusterNotFound, {request.arn});
}

}  // namespace partita::ops
