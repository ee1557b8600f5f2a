// The rows of a database that are not of a table: rows of table id 0, distinguished by a letter.
// docs/formats/catalogue.md.
//
// Rows that cannot be derived from others are stored twice: the second copies have the id kSecondCopyId, after all
// items, so that no block of a file holds both. Readers read the first; a salvage reads the second where the first is
// lost.
#pragma once

#include <string>

#include "storage/engine.h"

namespace partita::table {

enum class SystemRow : char {
  kTable = 'T',         // then the table's name
  kNextId = 'N',        // the id of the next table
  kRevision = 'R',      // grows with every change of the catalogue
  kCount = 'C',         // then a table id: its counts, see counts.h
  kJob = 'J',           // then a job's kind, table and index, see job_row.h
  kExpiry = 'E',        // then a table id, a run, a moment and an item's key, see expiry_rows.h
  kPolicy = 'P',        // then a table id and a stream's label or nothing: a resource policy, see policy.h
  kAccount = 'A',       // then nothing, or the name of a user, a role, ...: see account_rows.h
  kToken = 'I',         // then a ClientRequestToken
  kStream = 'M',        // then a table's name, a zero and a stream's label, see stream_rows.h
  kScaling = 'U',       // then a resource, a zero and R or W: a scalable target, see scaling_rows.h
  kScalingLog = 'G',    // then a kind and more: activities and minutes of auto scaling, see scaling_rows.h
  kTrimmed = 'V',       // then a table id and an index id: the trim position of a vector index's log, see vector_log.h
  kMetrics = 'H',       // then a table's name, a zero, an hour and a server: its metrics (src/metrics)
  kAlarm = 'L',         // then an alarm's name
  kAlarmHistory = 'X',  // then an alarm's name, a zero, a time and a number
  kAlarmNotices = 'O',  // then an alarm's name: requests to the hook that are not delivered yet
  kInsights = 'K',      // then the ids of a table and an index, a kind, a minute and a server: keys (src/metrics)
  kLedger = 'Q',        // then B and buckets or nothing: how servers share capacity (src/throttle/ledger_rows.h)
  kCluster = 'Z',       // then a kind and more: the cluster of DAX, its groups and events (src/clusters)
  kNames = 'F',         // then an id: the names of an attribute list, see attribute_lists.h
  kSink = 'B',          // then a table id and a number: a sink, see sink_rows.h
  kSeed = 'D',          // the progress and owner of an unfinished --seed, see seed_mark.h
  kCopy = 'Y',          // the progress of an incomplete copy, see copy_store.h
  kProbe = 'W',         // written to test whether the store accepts writes, see readiness.h
  kOldTally = 'S',      // counters of the first version; erased when found
};

// The first byte of the rows of kCluster, before an item.
inline constexpr uint8_t kClusterFormat = 1;

// Those of kTable are read-mostly: every write compares one.
storage::Key system_key(SystemRow kind, std::string_view rest = {});
// A key that was read from a store, as those name it who use it: of these rows or of items, whose place may be a part.
storage::Key key_of_row(std::string_view bytes);
// All rows of that kind.
storage::Range system_rows(SystemRow kind);

// Whether a row is of the servers of one store alone, so that no copy of a database may have it: their probes, their
// shares of capacity, and the requests that they have to send. `key`: in its database.
bool is_of_servers(std::string_view key);

inline constexpr uint32_t kSecondCopyId = 0xffff'fffe;
// Of the row of a key of system_key().
storage::Key second_copy(const storage::Key& key);
storage::Range second_copies();
// Of rows that are kept twice, whose kinds second_copies.cc lists: in the transaction of `changes`, both.
void put_twice(storage::Key key, std::string value, storage::Changes& changes);
void erase_twice(storage::Key key, storage::Changes& changes);

}  // namespace partita::table
