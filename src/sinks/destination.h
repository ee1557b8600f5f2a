// The other end of a sink: what the runner (sink_carrier.h) needs of a search engine, or of anything else that keeps
// the newest state of each item by its version.
//
// A new kind of destination is one file, which derives from Destination, and one row in destination_list.inc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/key.h"
#include "model/value.h"

namespace partita::sinks {

// How an item becomes a document. kTemplate: each attribute is a field, by the rules of an index template. kFlat: the
// whole item is in one field, which takes everything.
enum class DocumentMode : uint8_t { kTemplate, kFlat };

// What a destination knows of its sink. Paths are those of files that each server that carries the sink has.
struct DestinationSettings {
  std::string url;                  // scheme://host[:port][/path], without a user
  std::string index;                // its name at the other end; empty: made from `table` and `sink`
  std::string table;                // name of the table
  std::string sink;                 // name of the sink, unique within the table
  std::string id;                   // lower-case letters and digits; no other sink has it, of this store or of another
  model::KeySchema keys;            // of the table
  std::string credentials_file;     // empty: none. Read for each connection
  std::string authority_file;       // PEM; empty: the system's authorities
  std::vector<std::string> fields;  // top-level attributes that are sent; empty: all
  DocumentMode mode = DocumentMode::kTemplate;
};

// A fill: from 1, each has an index of its own. Higher ones are newer.
using Generation = uint64_t;

// One item as it is to be at the other end.
struct Delivery {
  std::string key;                    // the item's stored key: model::take_row_place(), then model::take_key_values()
  uint64_t version = 0;               // at least 1, below 2^63. Higher ones are newer
  const model::Item* item = nullptr;  // all attributes; null: there is no such item, which is to be deleted. Not owned
};

enum class Fate : uint8_t {
  kDone,      // the other end has this or a newer version; or it is to be deleted and absent
  kRejected,  // it will never take this item as it is
  kLater,     // it is overloaded: the same again after a while
};

struct Outcome {
  Fate fate = Fate::kDone;
  std::string reason;     // of kRejected and kLater: a sentence
  bool conflict = false;  // of kDone: it had a newer version
};

// Used by one thread at a time; its calls block. Errors of all calls: kUnavailable with a sentence (nothing is known,
// try again later), kInvalid (reason 0) with a sentence: no use to try again before the operator has changed something.
class Destination {
 public:
  virtual ~Destination() = default;

  // Makes the index of this fill if it is absent.
  virtual Result<void> prepare(Generation generation) = 0;

  // Sends items to the index of that fill, of which no two have the same key. Returns one outcome each, in order. Items
  // that the other end refuses because of the request as a whole (its size, one bad id) are sent again in smaller ones,
  // down to single items, which are then kRejected.
  virtual Result<std::vector<Outcome>> send(Generation generation, std::span<const Delivery> deliveries) = 0;

  // After a complete fill: the index that users name is this one from now on; those of older fills of this sink are
  // deleted. Idempotent.
  virtual Result<void> publish(Generation generation) = 0;

  // False: the index of that fill is gone, so the table has to be sent anew.
  virtual Result<bool> is_intact(Generation generation) = 0;

  // Whether the other end has each of these items as they are; versions are not compared. One element each.
  virtual Result<std::vector<bool>> compare(Generation generation, std::span<const Delivery> deliveries) = 0;

  // The number of documents in that index, all writes so far included.
  virtual Result<uint64_t> count(Generation generation) = 0;

  // The mark of that fill: a short text that the other end keeps beside its documents, where users do not see it. The
  // runner notices by it that the store is older than the other end, as after the restore of a backup. nullopt: there
  // is none. A destination that cannot keep one leaves these out. False, and nothing is written: it has a mark of a
  // higher version, by a server that carries the sink or did until now.
  virtual Result<std::optional<std::string>> read_mark(Generation /*generation*/) {
    return std::optional<std::string>();
  }
  virtual Result<bool> write_mark(Generation /*generation*/, std::string_view /*mark*/, uint64_t /*version*/) {
    return true;
  }

  // Deletes all indexes and names of this sink. Idempotent.
  virtual Result<void> remove() = 0;

  // The identity of the item at the other end, unique within the table: of at most 512 bytes, printable.
  virtual std::string document_id(std::string_view key) const = 0;

  // The name that users give to the index.
  virtual std::string target() const = 0;
};

// Does no I/O. Once `hurry` is requested, calls in progress end soon. Error: kInvalid (reason 0), with a sentence that
// names the setting at fault.
using DestinationFactory =
    std::function<Result<std::unique_ptr<Destination>>(const DestinationSettings& settings, std::stop_token hurry)>;

// The factory of the URL's scheme, as "opensearch+https". Error: kInvalid (reason 0), with a sentence that names the
// schemes that are known.
Result<DestinationFactory> find_destination(std::string_view url);

}  // namespace partita::sinks
