// Records of a stream as JSON: those of GetRecords, and those of an event that Lambda gives a function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/json_writer.h"

namespace partita::wire {

// One change. The three items are encoded by model::encode_item(); empty: there is none.
struct StreamRecord {
  std::string_view event;  // INSERT, MODIFY or REMOVE
  bool by_service = false;
  int64_t at_ms = 0;
  std::string_view sequence_number;  // as long as those of all others of the writer
  std::string_view keys = {};
  std::string_view new_image = {};
  std::string_view old_image = {};
};

// Writes records of one shard. What is the same in all of them is written once and copied. `json` outlives it.
class StreamRecordWriter {
 public:
  // `shard` names the shard among all of all streams: an eventID is made of it and the sequence number.
  StreamRecordWriter(JsonWriter& json, std::string_view shard, std::string_view region, std::string_view view_type);

  // Each record gets this eventSourceARN, and its userIdentity is spelled as Lambda does.
  void write_for_lambda(std::string_view source_arn);

  // An object. Error: kCorrupt; the text so far must then be discarded.
  Result<void> write(const StreamRecord& record);

 private:
  Result<void> write_image(std::string_view name, std::string_view stored, int64_t& bytes);
  std::string_view event(const StreamRecord& record);
  std::string_view created(int64_t at_ms);
  std::string_view place(std::string_view sequence_number, int64_t bytes);

  JsonWriter& json_;
  std::string name_;  // of a record: its shard and the sequence number
  const size_t shard_bytes_;
  const std::string region_;
  const std::string view_;
  std::string source_;  // a member, or empty
  std::string event_;
  std::string text_;
};

}  // namespace partita::wire
