// Requests on the settings of a table: TTL, Contributor Insights, tags and resource policies. See reads.h for what
// holds for all requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/tables.h"

namespace partita::api {

// What an ARN names: a table, or one of its streams.
struct Resource {
  std::string arn;
  std::string name;    // of the table
  std::string stream;  // the stream's label; empty: the table itself
};

// ListTagsOfResource and GetResourcePolicy.
struct NamedResource {
  Resource resource;
};

struct TagRequest {
  Resource resource;
  std::vector<Tag> tags;
};

struct UntagRequest {
  Resource resource;
  std::vector<std::string> tag_names;
};

struct ListTagsReply {
  std::map<std::string, std::string> tags;
};

struct PutPolicyRequest {
  Resource resource;
  std::string policy;                   // as it was sent
  std::optional<std::string> expected;  // ExpectedRevisionId
  bool may_lock_out = false;            // ConfirmRemoveSelfResourceAccess
};

struct DeletePolicyRequest {
  Resource resource;
  std::optional<std::string> expected;  // ExpectedRevisionId
};

struct GetPolicyReply {
  std::string policy;
  std::string revision;
};

// Of PutResourcePolicy and DeleteResourcePolicy.
struct PolicyRevision {
  std::optional<std::string> revision;  // absent: there never was a policy
};

struct UpdateTimeToLiveRequest {
  std::string name;
  bool enable = false;
  std::string attribute;
};

struct DescribeTimeToLiveReply {
  std::optional<std::string> attribute;  // absent: TTL is off
};

struct UpdateInsightsRequest {
  std::string name;                  // of the table
  std::optional<std::string> index;  // absent: the table itself
  bool enable = false;
  bool throttled_only = false;  // the mode THROTTLED_KEYS
};

struct DescribeInsightsRequest {
  std::string name;                  // of the table
  std::optional<std::string> index;  // absent: the table itself
};

enum class InsightsStatus : uint8_t { kEnabling, kEnabled, kDisabling, kDisabled, kFailed };

// As of a moment.
struct InsightsState {
  std::string table;
  std::string index;  // empty: the table itself
  InsightsStatus status = InsightsStatus::kDisabled;
  bool configured = false;         // Contributor Insights were enabled or disabled at least once
  bool throttled_only = false;     // the mode THROTTLED_KEYS
  int64_t changed_ms = 0;          // the last change, in milliseconds since 1970
  bool failed = false;             // for lack of room for the rules; while kFailed, and while kDisabling after it
  std::vector<std::string> rules;  // of CloudWatch, as DynamoDB names them; while kEnabled
};

struct ListInsightsRequest {
  std::string name;   // of the table; empty: all tables
  std::string after;  // where the previous page ended; empty: from the start
  size_t limit = 0;   // 1 or more
};

struct ListInsightsReply {
  std::vector<InsightsState> states;
  std::string last;  // where the next page starts; empty: there is none
};

enum class KinesisStatus : uint8_t { kEnabling, kActive, kDisabling, kDisabled, kEnableFailed, kUpdating };

struct EnableKinesisRequest {
  std::string name;  // of the table
  std::string stream_arn;
  std::string precision;  // "MILLISECOND" or "MICROSECOND"; empty: not given
};

struct DisableKinesisRequest {
  std::string name;  // of the table
  std::string stream_arn;
  bool configured = false;  // it has a configuration, which is refused
};

struct UpdateKinesisRequest {
  std::string name;  // of the table
  std::string stream_arn;
  std::string precision;  // as above
};

// As of a moment.
struct KinesisState {
  std::string stream_arn;
  KinesisStatus status = KinesisStatus::kDisabled;
  std::string description;  // empty: there is nothing to say
  std::string precision;    // empty: never set
};

struct KinesisChanged {
  std::string name;  // of the table
  KinesisState state;
};

struct DescribeKinesisReply {
  std::string name;                   // of the table
  std::vector<KinesisState> streams;  // the newest first
};

}  // namespace partita::api
