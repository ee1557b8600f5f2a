// CreateTable, UpdateTable, DeleteTable, DescribeTable and ListTables. See reads.h for what holds for all requests.
// The reply of the first four is a description of the table, which codecs read from table::TableInfo (decision 030).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/key.h"

namespace partita::api {

enum class ProjectionKind : uint8_t { kAll, kKeysOnly, kInclude };
enum class BillingMode : uint8_t { kProvisioned, kPayPerRequest };
enum class KeyRole : uint8_t { kHash, kRange };
// How the distance of two vectors is measured. For the first two, less is nearer; for kDotProduct, more is.
enum class Distance : uint8_t { kCosine, kEuclidean, kDotProduct };

// An element of KeySchema.
struct KeyPart {
  std::string name;
  KeyRole role = KeyRole::kHash;
};

// ProvisionedThroughput, in units per second.
struct Units {
  int64_t read = 0;
  int64_t write = 0;
  bool operator==(const Units&) const = default;
};

// OnDemandThroughput, in units per second. -1 removes a limit.
struct OnDemandLimits {
  std::optional<int64_t> max_read_units;
  std::optional<int64_t> max_write_units;

  bool empty() const { return !max_read_units && !max_write_units; }
};

// WarmThroughput, in units per second.
struct WarmRequest {
  std::optional<int64_t> read_units;
  std::optional<int64_t> write_units;

  bool empty() const { return !read_units && !write_units; }
};

// SSESpecification. Texts are as they were sent, empty if they were not.
struct EncryptionRequest {
  std::optional<bool> enabled;
  std::string type;
  std::string key;
};

// StreamSpecification.
struct StreamRequest {
  bool enabled = false;
  std::string view_type;
};

struct Tag {
  std::optional<std::string> key;
  std::optional<std::string> value;
};

// What only a vector index has.
struct VectorRequest {
  // An element of SearchSchema.
  struct Element {
    std::string name;
    bool hash = false;  // else INLINE_FILTER
  };
  std::string attribute;
  int64_t dimensions = 0;
  Distance distance = Distance::kCosine;
  std::vector<Element> search;
};

// An index to create.
struct IndexRequest {
  std::string name;
  bool global = true;
  std::vector<KeyPart> keys;
  std::optional<ProjectionKind> projection;
  std::optional<std::vector<std::string>> projected;  // NonKeyAttributes
  std::optional<Units> throughput;
  OnDemandLimits on_demand;
  std::optional<WarmRequest> warm;
  std::optional<VectorRequest> vector;
};

struct CreateTableRequest {
  std::string name;
  std::string region;  // of the caller, for faults that name it
  std::vector<model::KeyElement> definitions;
  std::vector<KeyPart> keys;
  std::optional<std::vector<IndexRequest>> local_indexes;
  std::optional<std::vector<IndexRequest>> global_indexes;
  std::optional<std::vector<IndexRequest>> vector_indexes;
  std::optional<BillingMode> billing_mode;
  std::optional<Units> throughput;
  OnDemandLimits on_demand;
  WarmRequest warm;
  bool deletion_protection = false;
  std::string table_class;
  std::optional<EncryptionRequest> encryption;
  std::optional<StreamRequest> stream;
  std::vector<Tag> tags;
  std::optional<std::string> policy;  // ResourcePolicy, as it was sent
};

// A change of one global index, or of one vector index, which can only be created and deleted. DynamoDB accepts exactly
// one of `create`, `changed` and `dropped`.
struct IndexUpdate {
  std::optional<IndexRequest> create;
  std::optional<std::string> changed;  // the index whose settings change
  std::optional<Units> throughput;
  OnDemandLimits on_demand;
  std::optional<WarmRequest> warm;
  std::optional<std::string> dropped;

  // The name of the index. Precondition: one of the three is there, which `table` checks first.
  const std::string& name() const;
};

struct UpdateTableRequest {
  std::string name;
  std::string region;  // of the caller, for faults that name it
  std::vector<model::KeyElement> definitions;
  std::optional<BillingMode> billing_mode;
  std::optional<Units> throughput;
  OnDemandLimits on_demand;
  WarmRequest warm;
  bool names_throughput = false;  // OnDemandThroughput or WarmThroughput is there, if only as an empty structure
  std::optional<bool> deletion_protection;
  std::optional<std::string> table_class;
  std::optional<EncryptionRequest> encryption;
  std::optional<StreamRequest> stream;
  std::optional<std::string> replication_mode;
  std::optional<std::vector<IndexUpdate>> indexes;
  std::optional<std::vector<IndexUpdate>> vector_indexes;

  // Those of both kinds. The pointers are valid as long as the request is not changed.
  std::vector<const IndexUpdate*> all_indexes() const;
  bool makes_or_drops_index() const;
};

// The request of an operation that only names a table: DescribeTable, DeleteTable and others.
struct NamedTable {
  std::string name;
};

// Up to `limit` names, which is 1 or more, after `after`, in byte order.
struct ListTablesRequest {
  std::string after;
  size_t limit = 0;
};

struct ListTablesReply {
  std::vector<std::string> names;
  std::string last;  // where the next page starts; empty: there is none
};

}  // namespace partita::api
