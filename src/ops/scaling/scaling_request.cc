#include "ops/scaling/scaling_request.h"

#include <optional>

#include "model/fault.h"
#include "ops/request.h"
#include "table/rows/scaling_rows.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;

constexpr std::string_view kDynamoDbNamespace = "dynamodb";

struct Dimension {
  bool index;
  bool write;
};

// Absent: of another service.
std::optional<Dimension> dimension_named(std::string_view text) {
  for (const bool index : {false, true}) {
    for (const bool write : {false, true}) {
      const api::ScaledUnits sample{index ? "table/T/index/I" : "table/T", write};
      if (api::dimension_of(sample) == text) return Dimension{index, write};
    }
  }
  return std::nullopt;
}

bool fits_dimension(const std::string& resource, const Dimension& dimension) {
  const auto named = table::scaled_resource(resource);
  return named && named->index.empty() != dimension.index;
}

}  // namespace

Result<api::ScaledUnits> decode_scaled_units(const wire::Members& in) {
  const std::string_view service = in.text(Field::kServiceNamespace);
  if (service != kDynamoDbNamespace) return refuse(Fault::kScalingOtherService, {std::string(service)});
  const auto dimension = dimension_named(in.text(Field::kScalableDimension));
  std::string resource(in.text(Field::kResourceId));
  if (!dimension || !fits_dimension(resource, *dimension)) return refuse(Fault::kScalingUnsupported);
  return api::ScaledUnits{std::move(resource), dimension->write};
}

Result<api::ScalingFilter> decode_scaling_filter(const wire::Members& in, Field resource, Field names) {
  api::ScalingFilter filter;
  if (resource == Field::kResourceIds) {
    filter.resources = texts(in[resource]);
  } else if (in.has(resource)) {
    filter.resources.emplace_back(in.text(resource));
  }
  if (names != wire::kNoField) filter.names = texts(in[names]);
  filter.nothing = in.text(Field::kServiceNamespace) != kDynamoDbNamespace;
  filter.limit = static_cast<size_t>(in.integer(Field::kMaxResults).value_or(static_cast<int64_t>(filter.limit)));
  filter.after = in.text(Field::kNextToken);
  if (!in.has(Field::kScalableDimension)) return filter;
  if (filter.resources.empty()) return refuse(Fault::kScalingDimensionAlone, {std::string(wire::name_of(resource))});
  const auto dimension = dimension_named(in.text(Field::kScalableDimension));
  for (const std::string& one : filter.resources) {
    if (!filter.nothing && (!dimension || !fits_dimension(one, *dimension))) return refuse(Fault::kScalingUnsupported);
  }
  if (dimension) {
    filter.index = dimension->index;
    filter.write = dimension->write;
  }
  return filter;
}

api::CapacityBounds decode_capacity_bounds(const wire::Members& in) {
  return {in.integer(Field::kMinCapacity), in.integer(Field::kMaxCapacity)};
}

std::map<std::string, std::string> decode_target_tags(const wire::Members& in) {
  std::map<std::string, std::string> tags;
  for (const auto& [key, value] : wire::distinct_members(in[Field::kTags])) {
    tags.emplace(key, std::string(value.as_string()));
  }
  return tags;
}

}  // namespace partita::ops
