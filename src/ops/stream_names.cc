#include "ops/stream_names.h"

#include "model/fault.h"
#include "ops/resource_arn.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kStream = "/stream/";

}  // namespace

std::string table_arn(const Context& context, std::string_view table) {
  std::string arn;
  append_table_arn(arn, context, table);
  return arn;
}

std::string stream_arn(const Context& context, const api::StreamName& stream) {
  return table_arn(context, stream.table) + std::string(kStream) + stream.label;
}

Result<api::StreamName> stream_of(std::string_view arn, const Context& context) {
  const size_t label = arn.find(kStream);
  if (!arn.starts_with("arn:") || label == std::string_view::npos) return refuse(Fault::kStreamArnInvalid);
  auto table = table_name_of(arn.substr(0, label), context);
  if (!table.ok()) {
    switch (model::fault_of(table.error())) {
      case Fault::kArnRegion:
      case Fault::kArnPartition:
        return refuse(Fault::kStreamNotFound, {std::string(arn)});
      case Fault::kTableOfAnotherAccount:
        return std::move(table).error();
      default:
        return refuse(Fault::kStreamArnInvalid);
    }
  }
  return api::StreamName{std::move(table).value(), std::string(arn.substr(label + kStream.size()))};
}

Error worded_for_stream(Error error, std::string_view arn) {
  const bool missing = error.kind() == ErrorKind::kInvalid && model::fault_of(error) == Fault::kStreamNotFound;
  return missing ? refuse(Fault::kStreamNotFound, {std::string(arn)}) : error;
}

Result<size_t> stream_limit(std::optional<int64_t> limit, size_t most) {
  if (!limit) return most;
  if (*limit > static_cast<int64_t>(most)) return refuse(Fault::kStreamLimit, {std::to_string(most)});
  return static_cast<size_t>(*limit);
}

}  // namespace partita::ops
