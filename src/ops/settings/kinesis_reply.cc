#include "ops/settings/kinesis_reply.h"

#include "base/check.h"
#include "wire/json_writer.h"

namespace partita::ops {

std::string kinesis_precision(const wire::Members& in, wire::Field configuration) {
  return std::string(in.in(configuration).text(wire::Field::kApproximateCreationDateTimePrecision));
}

std::string_view kinesis_status_name(api::KinesisStatus status) {
  switch (status) {
    case api::KinesisStatus::kEnabling:
      return "ENABLING";
    case api::KinesisStatus::kActive:
      return "ACTIVE";
    case api::KinesisStatus::kDisabling:
      return "DISABLING";
    case api::KinesisStatus::kDisabled:
      return "DISABLED";
    case api::KinesisStatus::kEnableFailed:
      return "ENABLE_FAILED";
    case api::KinesisStatus::kUpdating:
      return "UPDATING";
  }
  PARTITA_CHECK(false);
}

std::string write_kinesis_changed(const api::KinesisChanged& changed, std::string_view configuration) {
  wire::JsonWriter json;
  json.begin_object();
  json.member("DestinationStatus", kinesis_status_name(changed.state.status));
  if (!configuration.empty()) {
    json.begin_object(configuration);
    if (!changed.state.precision.empty()) {
      json.member("ApproximateCreationDateTimePrecision", changed.state.precision);
    }
    json.end_object();
  }
  json.member("StreamArn", changed.state.stream_arn);
  json.member("TableName", changed.name);
  json.end_object();
  return std::move(json).take();
}

}  // namespace partita::ops
