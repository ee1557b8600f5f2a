// The other end of a sink that takes every change of a table, with the images of the item before and after it: a
// function, a Kinesis stream, a Kafka topic, files. (destination.h: those that keep the newest state of each item.)
//
// The changes of a table are divided into table::kSinkSlices slices by the partition key, for the sink's whole life. A
// slice is delivered in order, at least once: after a crash, what was not stored as delivered is sent again.
//
// A new kind is one file, which derives from ChangeDestination, and one row in change_destination_list.inc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/key.h"
#include "storage/engine.h"
#include "table/rows/stream_record.h"

namespace partita::sinks {

struct ChangeSettings {
  std::string url;     // scheme://..., without a user
  std::string table;   // name of the table
  std::string sink;    // name of the sink, unique within the table
  std::string id;      // lower-case letters and digits; no other sink of any store has it
  std::string region;  // of the server's ARNs
  std::string arn;     // of the table
  model::KeySchema keys;
  std::string credentials_file;  // empty: none. Read for each connection
  std::string authority_file;    // PEM; empty: the system's authorities
  // The options of the kind, by their names in `partita sink create --set NAME=VALUE`. The factory refuses those that
  // it does not know, and values that it does not take.
  std::map<std::string, std::string, std::less<>> options;
};

// A change of one item. Views live as long as the call that they are given to.
struct Change {
  storage::Position position{};  // in its slice
  std::string_view key;          // the item's stored key
  table::ItemRecord record;      // both images, encoded by model::encode_item()
};

// A change that the other end never takes. It becomes a dead letter.
struct Rejection {
  size_t index = 0;  // in the changes that were given
  std::string reason;
};

struct ChangesSent {
  size_t done = 0;                    // so many from the front need not be sent again; rejected ones are among them
  std::vector<Rejection> rejections;  // with indexes below `done`, ascending
  std::string trouble;                // why not all are done; empty: nothing is wrong
  int64_t wait_ms = 0;  // at least so long before the rest is sent again, unless more changes were asked for
  // It waits for further changes, or for `wait_ms`: a window. Then `trouble` is only shown, and makes no wait longer.
  bool wants_more = false;
};

// send() is called by one thread at a time for each slice, for different slices at the same time. All calls block.
// Errors of all calls: kUnavailable with a sentence (nothing is known, the same changes are sent again after a pause
// that grows), kInvalid (reason 0) with a sentence: no use to try again before the operator has changed something.
class ChangeDestination {
 public:
  virtual ~ChangeDestination() = default;

  // Once, before the first change of this server. Idempotent.
  virtual Result<void> prepare() = 0;

  // Sends changes of a slice from the front: those after what is stored as delivered, at least one, as many as
  // limits() allow. `state`: a text of the slice that is stored together with what is delivered; empty at first. The
  // destination may change it, to at most 64 KiB, also if nothing is done. `changes` are none if due_ms() has passed.
  virtual Result<ChangesSent> send(size_t slice, std::span<const Change> changes, std::string& state) = 0;

  // The time at which send() is called though no change waits, for a slice with that text; nullopt: never.
  virtual std::optional<int64_t> due_ms(std::string_view /*state*/) const { return std::nullopt; }

  // Sends changes again that were rejected before: an operator asks for it. They are older than what is delivered, and
  // there may be gaps between them. Between calls of send() of the slice. Nothing is stored but which ones are done.
  virtual Result<ChangesSent> resend(size_t slice, std::span<const Change> changes) {
    std::string none;
    return send(slice, changes, none);
  }

  // Finishes what is open, such as a file, before the sink is paused, deleted or handed on; also after `hurry`.
  virtual Result<void> finish() { return {}; }

  // The most that one call of send() is given.
  struct Limits {
    size_t changes = 1'000;
    size_t bytes = size_t{4} << 20;  // of the records; a single one may be larger
  };
  virtual Limits limits() const { return {}; }

  // What the sink's description shows as the other end: "topic things", "https://...".
  virtual std::string target() const = 0;
};

// Does no I/O. Once `hurry` is requested, calls in progress end soon. Error: kInvalid (reason 0), with a sentence that
// names the setting at fault.
using ChangeDestinationFactory =
    std::function<Result<std::unique_ptr<ChangeDestination>>(const ChangeSettings& settings, std::stop_token hurry)>;

// What a destination uses. kMachine: files or ports of the server's machine, so only its administrator makes such
// sinks.
enum class Reach : uint8_t { kNetwork, kMachine };

struct ChangeDestinationKind {
  ChangeDestinationFactory make;
  Reach reach = Reach::kNetwork;
};
// The kind of the URL's scheme; nullopt if it is of no such kind.
std::optional<ChangeDestinationKind> find_change_destination(std::string_view url);

}  // namespace partita::sinks
