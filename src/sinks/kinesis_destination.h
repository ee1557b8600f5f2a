// Kinesis streams as destinations of changes: docs/change-sinks.md.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sinks/change_destination.h"
#include "sinks/change_json.h"
#include "sinks/kinesis_client.h"
#include "sinks/sink_store.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

// What `partita serve` was told of Kinesis.
struct KinesisDefaults {
  std::string endpoint = {};          // a URL; empty: none
  std::string credentials_file = {};  // empty: none
};

// find_change_destination(), whose sinks of "kinesis:///STREAM" use these.
FindChangeDestination find_with_kinesis(KinesisDefaults defaults);

// The changes of an item have one partition key, so they are in one shard. If a record of a request fails, it is sent
// again with all later ones of its item, in their order; those of other items are not.
class KinesisDestination final : public ChangeDestination {
 public:
  // Of a PutRecords request, in AWS's reference of its API: records, and bytes of their data and partition keys.
  static constexpr size_t kMostRecords = 500;
  static constexpr size_t kMostBytes = size_t{5} << 20;
  // Until 2025 the most that a record could have. Larger ones have a request of their own, for the server may refuse
  // it.
  static constexpr size_t kLargeRecord = size_t{1} << 20;

  // Takes "region" and "precision" out of the settings' options. Error: kInvalid (reason 0), with one sentence.
  static Result<std::unique_ptr<ChangeDestination>> make(ChangeSettings settings, std::stop_token hurry);

  Result<void> prepare() override;
  Result<ChangesSent> send(size_t slice, std::span<const Change> changes, std::string& state) override;
  Result<ChangesSent> resend(size_t slice, std::span<const Change> changes) override;
  Limits limits() const override { return {.changes = 2 * kMostRecords, .bytes = size_t{2} << 20}; }
  std::string target() const override { return "stream " + place_.stream; }

 private:
  // Changes of a slice that the stream has, or never takes, behind one that it does not have yet. A reason: why not.
  using Ahead = std::map<storage::Position, std::optional<std::string>>;
  struct Slice {
    std::optional<KinesisClient> client;
    Ahead ahead;
    // Records that were refused alone, with the reasons. They are rejected once another one is taken: until then, the
    // stream may refuse whatever it is sent.
    std::map<storage::Position, std::string> suspects;
    bool blames_at_once = false;
  };
  struct Record {
    size_t change = 0;
    std::string_view item;  // Change::key
    std::string data;
    std::string partition_key;
    size_t bytes() const { return data.size() + partition_key.size(); }
  };
  // Why no more is sent now; empty: nothing is wrong.
  struct Trouble {
    std::string sentence = {};
    bool passes = true;  // it is about single records: others are taken
  };

  KinesisDestination(ChangeSettings settings, KinesisPlace place, TimePrecision precision, std::stop_token hurry);

  Result<KinesisClient*> client_of(std::optional<KinesisClient>& of);
  Result<ChangesSent> deliver(Slice& slice, size_t number, std::span<const Change> changes);
  // The next records that are not ahead, from `from` on, which it moves.
  std::vector<Record> next_records(Slice& slice, size_t number, std::span<const Change> changes, size_t& from) const;
  Result<Trouble> put(Slice& slice, std::span<const Change> changes, std::span<const Record> records);
  Result<Trouble> put_less(Slice& slice, std::span<const Change> changes, std::span<const Record> records,
                           const net::HttpReply& refusal);
  Result<Trouble> take_reply(Slice& slice, std::span<const Change> changes, std::span<const Record> records,
                             const net::HttpReply& reply);
  std::string request_of(std::span<const Record> records) const;
  std::string question() const;

  const ChangeSettings settings_;
  const KinesisPlace place_;
  const TimePrecision precision_;
  const std::stop_token hurry_;
  std::optional<KinesisClient> first_;  // of prepare()
  std::array<Slice, table::kSinkSlices> slices_;
};

}  // namespace partita::sinks
