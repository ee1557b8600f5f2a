#include "ops/resource_arn.h"

#include <array>

#include "model/fault.h"
#include "wire/name_rules.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kTable = "table/";

// "table/NAME", "table/NAME/stream/LABEL", "table/NAME/index/INDEX": the parts between slashes.
struct Path {
  std::string_view table;
  std::string_view kind;
  std::string_view rest;
};

std::optional<Path> path_in(std::string_view relative_id) {
  const auto behind = in_table(relative_id);
  if (!behind) return std::nullopt;
  relative_id = *behind;
  Path path;
  path.table = relative_id.substr(0, relative_id.find('/'));
  if (path.table.empty()) return std::nullopt;
  if (path.table.size() == relative_id.size()) return path;
  relative_id.remove_prefix(path.table.size() + 1);
  path.kind = relative_id.substr(0, relative_id.find('/'));
  if (path.kind.size() >= relative_id.size()) return std::nullopt;
  path.rest = relative_id.substr(path.kind.size() + 1);
  return path.rest.empty() ? std::nullopt : std::optional(path);
}

}  // namespace

void append_table_arn(std::string& out, const Context& context, std::string_view table) {
  constexpr size_t kConstantBytes = 40;
  out.reserve(out.size() + kConstantBytes + context.caller.region.size() + context.caller.account_id.size() +
              table.size());
  out.append("arn:")
      .append(kPartition)
      .append(":dynamodb:")
      .append(context.caller.region)
      .append(":")
      .append(context.caller.account_id);
  out.append(":").append(kTable).append(table);
}

void append_index(std::string& table_arn, std::string_view index) { table_arn.append("/index/").append(index); }

void append_global_table_arn(std::string& out, const Context& context, std::string_view global_table) {
  out.append("arn:").append(kPartition).append(":dynamodb::").append(context.caller.account_id);
  out.append(":global-table/").append(global_table);
}

void append_cluster_arn(std::string& out, const Context& context, std::string_view cluster) {
  out.append("arn:").append(kPartition).append(":dax:").append(context.caller.region).append(":");
  out.append(context.caller.account_id).append(":cache/").append(cluster);
}

std::optional<std::string_view> in_table(std::string_view relative_id) {
  if (!relative_id.starts_with(kTable)) return std::nullopt;
  return relative_id.substr(kTable.size());
}

std::optional<ArnParts> arn_parts(std::string_view arn) {
  std::array<std::string_view, 5> parts;
  for (std::string_view& part : parts) {
    const size_t colon = arn.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    part = arn.substr(0, colon);
    arn.remove_prefix(colon + 1);
  }
  if (parts[0] != "arn") return std::nullopt;
  return ArnParts{parts[1], parts[2], parts[3], parts[4], arn};
}

Result<api::Resource> resource_of(std::string_view arn, ArnRules rules, const Context& context) {
  const std::vector<std::string> named{std::string(arn)};
  if (!arn.starts_with("arn:")) return refuse(Fault::kArnWithoutPrefix, named);
  const std::optional<ArnParts> parts = arn_parts(arn);
  const bool tags = rules == ArnRules::kTags;
  if (tags && parts && parts->service != "dynamodb") return refuse(Fault::kTagsOfAnotherService);
  const std::optional<Path> path = parts ? path_in(parts->relative_id) : std::nullopt;
  if (!path || parts->service != "dynamodb") return refuse(Fault::kArnOfNothing, named);
  if (path->kind == "index") return refuse(Fault::kArnOfIndex, named);
  if (!path->kind.empty() && path->kind != "stream") return refuse(Fault::kArnOfNothing, named);
  if (parts->account != context.caller.account_id) {
    return refuse(tags ? Fault::kTagsOfAnotherAccount : Fault::kPolicyOfAnotherAccount);
  }
  if (parts->region != context.caller.region || parts->partition != kPartition) {
    return refuse(tags ? Fault::kTagsOfAnotherRegion : Fault::kArnOfAnotherRegion, named);
  }
  return api::Resource{named[0], std::string(path->table), std::string(path->rest)};
}

Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context) {
  if (!name_or_arn.starts_with("arn:")) return std::string(name_or_arn);
  const auto wrong = [&](Fault fault) { return refuse(fault, {std::string(name_or_arn)}); };
  const std::optional<ArnParts> parts = arn_parts(name_or_arn);
  if (!parts || parts->service != "dynamodb") return wrong(Fault::kArnInvalid);
  if (parts->partition != kPartition) return wrong(Fault::kArnPartition);
  if (parts->region != context.caller.region) return wrong(Fault::kArnRegion);
  const auto name = in_table(parts->relative_id);
  if (!name || name->contains('/')) return wrong(Fault::kArnResourceType);
  if (!wire::is_table_name(*name)) return wrong(Fault::kArnInvalid);
  if (parts->account != context.caller.account_id) {
    if (context.operation.kind == Kind::kControl) return refuse(Fault::kTableOfAnotherAccount);
    return refuse(Fault::kArnOfAnotherAccount, {context.caller.access_key_id, std::string(name_or_arn)});
  }
  return std::string(*name);
}

}  // namespace partita::ops
