// CreateTable, UpdateTable and DeleteTable. Each returns the description for its reply; TableInfo::settle applies the
// pending parts of an update when they are due.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/catalog/table_context.h"
#include "table/rows/schema.h"

namespace partita::table {

struct ResourcePolicy;

enum class KeyRole : uint8_t { kHash, kRange };

struct KeyPart {
  std::string name;
  KeyRole role = KeyRole::kHash;
};

struct WarmRequest {
  std::optional<int64_t> read_units;
  std::optional<int64_t> write_units;

  bool empty() const { return !read_units && !write_units; }
};

// SSESpecification; its words as they were sent, empty when they were not.
struct EncryptionRequest {
  std::optional<bool> enabled;
  std::string type;
  std::string key;
};

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
  struct Element {
    std::string name;
    bool hash = false;  // else INLINE_FILTER
  };
  std::string attribute;
  int64_t dimensions = 0;
  Distance distance = Distance::kCosine;
  std::vector<Element> search;
};

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

struct TableRequest {
  std::string name;
  std::string region;  // for faults that name it
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
};

// The returned table is kCreating; for later calls it is kActive. `policy` may be null. Faults: those
// under "Tables" in model/faults.inc, kTableExists.
Task<Result<Table>> create_table(TableContext& context, const TableRequest& request,
                                 const ResourcePolicy* policy = nullptr);

// Waits for short transitions of the table. Fault: kTableNotFound.
Task<Result<Table>> describe_table(TableContext& context, std::string name);

// What a request names that names a table and no more.
struct NamedTable {
  std::string name;
};

// ListTables: up to `limit` names, which is 1 or more, behind `after`, in byte order.
struct ListRequest {
  std::string after;
  size_t limit = 0;
};
struct NamePage {
  std::vector<std::string> names;
  std::string last;  // where the next page goes on; empty: there is none
};
Task<Result<NamePage>> list_tables(TableContext& context, const ListRequest& request);

// The returned table is kDeleting; for later calls it does not exist. Its rows are erased in the background. Waits
// while the table is kUpdating. Faults: kTableNotFound, kTableBusy, kTableProtected, kIndexesAtWork, kStreamAtWork.
Task<Result<Table>> delete_table(TableContext& context, std::string name);

// Changes to one global index, or to one vector index, which never changes. DynamoDB takes one of the three.
struct IndexUpdate {
  std::optional<IndexRequest> create;
  std::optional<std::string> changed;  // the index whose settings change
  std::optional<Units> throughput;
  OnDemandLimits on_demand;
  std::optional<WarmRequest> warm;
  std::optional<std::string> dropped;

  // The index that it is about. There is one after check_update().
  const std::string& name() const;
};

struct TableUpdate {
  std::string name;
  std::string region;  // for faults that name it
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

  // Those of both kinds.
  std::vector<const IndexUpdate*> all_indexes() const;
  // Whether it makes or drops an index.
  bool makes_or_drops_index() const;
};

// Some changes make the table or an index kUpdating for a moment; a new index is filled in the background. Waits while
// the table is already kUpdating. Faults: those under "Tables" in model/faults.inc, kTableNotFound.
Task<Result<Table>> update_table(TableContext& context, const TableUpdate& update);

}  // namespace partita::table
