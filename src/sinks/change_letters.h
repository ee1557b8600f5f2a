// Changes that the other end of a sink rejected, as dead letters. The id is SLICE-POSITION-ID: the slice, the position
// in its log in hexadecimal, and the sink's id, so letters of a slice are in the order of their changes. Beside "key",
// "reason" and "time" a letter has
//
//   event    "INSERT", "MODIFY" or "REMOVE"
//   written  when the item was written, in milliseconds since 1970
//   expired  true: by the time to live. Otherwise absent
//   images   {"NewImage": ..., "OldImage": ...} as DynamoDB's JSON, a string
//   parts    if `images` does not fit into an item: in how many it is. ID/2 and so on are items with the rest
//   delivered  true: it was sent again, and it and its parts are being removed. Otherwise absent
//
// A letter without `event` tells of an entry of the log that could not be read. Anyone who may write to the table may
// have written a letter, so what is read is checked and bounded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "sinks/change_destination.h"
#include "table/catalog/table_context.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

// The largest images, of empty texts in lists, have 25 parts.
inline constexpr size_t kMostLetterParts = 32;
inline constexpr size_t kLetterPieceBytes = 300'000;  // of `images` in an item

// A letter that can be sent again. Owns its change.
class ChangeLetter {
 public:
  std::string id;
  size_t parts = 1;
  storage::Position position{};
  std::string key;
  std::string keys;
  std::string old_image;
  std::string new_image;
  table::ItemRecord record;  // without views

  // Views of this.
  Change change() const;
  size_t bytes() const { return key.size() + keys.size() + old_image.size() + new_image.size(); }
};

std::string change_letter_id(const table::Sink& sink, size_t slice, const storage::Position& position);

// Errors of all: as for dead letters.
Task<Result<void>> put_change_letter(table::TableContext& context, const table::Sink& sink, size_t slice, Change change,
                                     std::string reason);
// Puts a letter that was rejected again in the place of the one that was read.
Task<Result<void>> replace_change_letter(table::TableContext& context, const table::Sink& sink,
                                         const ChangeLetter& letter, std::string reason);
// Of an entry, or an image, that could not be read. `key`: the item's key attributes, as far as they are known.
Task<Result<void>> put_damage_letter(table::TableContext& context, const table::Sink& sink, size_t slice,
                                     storage::Position position, model::Item key, std::string reason);
Task<Result<void>> erase_change_letter(table::TableContext& context, const table::Sink& sink,
                                       const ChangeLetter& letter);

struct ChangeLetters {
  std::vector<ChangeLetter> letters;
  std::vector<std::string> refused;  // sentences: which letters are none that Partita wrote, and why
  std::string last;                  // the id behind which to read on; empty: there are no more
};
// Some of the slice's letters with ids after `after`, which is empty for the first, of about 16 MiB at most. Removes
// the rest of letters that were delivered. Images are read on `workers`.
Task<Result<ChangeLetters>> read_change_letters(table::TableContext& context, Workers& workers, const table::Sink& sink,
                                                const table::TableInfo& table, size_t slice, std::string after);

}  // namespace partita::sinks
