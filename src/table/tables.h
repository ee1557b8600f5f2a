// Tables as such: CreateTable, UpdateTable, DeleteTable. Each returns the table as it is right after the change.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "table/database.h"
#include "table/schema.h"

namespace partita::table {

enum class KeyRole : uint8_t { kHash, kRange };

struct KeyPart {
  std::string name;
  KeyRole role = KeyRole::kHash;
};

struct ThroughputRequest {
  int64_t read_units = 0;
  int64_t write_units = 0;
};

struct IndexRequest {
  std::string name;
  bool global = true;
  std::vector<KeyPart> keys;
  std::optional<ProjectionKind> projection;
  std::optional<std::vector<std::string>> projected;  // NonKeyAttributes
  std::optional<ThroughputRequest> throughput;
  OnDemandLimits on_demand;
  std::optional<WarmThroughput> warm;
};

struct TableRequest {
  std::string name;
  std::vector<model::KeyElement> definitions;
  std::vector<KeyPart> keys;
  std::optional<std::vector<IndexRequest>> local_indexes;
  std::optional<std::vector<IndexRequest>> global_indexes;
  std::optional<BillingMode> billing_mode;
  std::optional<ThroughputRequest> throughput;
  OnDemandLimits on_demand;
  std::optional<WarmThroughput> warm;
  bool deletion_protection = false;
  std::string table_class;
  std::optional<Encryption> encryption;
  StreamInfo stream;
  std::map<std::string, std::string> tags;
};

// All three wait while the table is in such a moment already, so that whoever creates, changes or deletes a table right
// after another such call is not refused.

// The table is kCreating for a moment. Faults: those under "Tables" in model/faults.inc, kTableExists.
Task<Result<Table>> create_table(Database& database, const TableRequest& request);

// The table is kDeleting until its rows are gone. Faults: kTableNotFound, kTableInUse, kTableProtected.
Task<Result<Table>> delete_table(Database& database, std::string name);

struct IndexUpdate {
  std::optional<IndexRequest> create;
  std::string changed;  // the name of the index whose settings change, or empty
  std::optional<ThroughputRequest> throughput;
  OnDemandLimits on_demand;
  std::optional<WarmThroughput> warm;
  std::string dropped;  // the name of the index to drop, or empty
};

struct TableUpdate {
  std::string name;
  std::vector<model::KeyElement> definitions;
  std::optional<BillingMode> billing_mode;
  std::optional<ThroughputRequest> throughput;
  std::optional<OnDemandLimits> on_demand;
  std::optional<WarmThroughput> warm;
  std::optional<bool> deletion_protection;
  std::optional<std::string> table_class;
  std::optional<Encryption> encryption;
  std::optional<StreamInfo> stream;
  std::vector<IndexUpdate> indexes;

  bool empty() const;
};

// The table is kUpdating for a moment; a new index is filled in the background. Faults: those under "Tables" in
// model/faults.inc, kTableNotFound, kTableInUse.
Task<Result<Table>> update_table(Database& database, const TableUpdate& update);

// What both requests say of an index, checked against the table and the definitions of its key attributes.
Result<IndexInfo> make_index(const IndexRequest& request, const std::vector<model::KeyElement>& definitions,
                             BillingMode billing_mode);

}  // namespace partita::table
