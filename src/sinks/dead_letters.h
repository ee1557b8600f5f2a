// The items that the other end of a sink rejected, as items of an ordinary table: "sink" (TABLE/SINK) and "id" (the
// document's) are the keys; "key" has the key attributes of the item, and "reason", "time" and "version" tell the rest.
// Of changes: change_letters.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "model/value.h"
#include "storage/engine.h"
#include "table/catalog/table_context.h"
#include "table/rows/sink_rows.h"

namespace partita::sinks {

struct DeadLetter {
  std::string id;
  model::Item key;
  std::string reason;
  uint64_t version = 0;  // of a document; 0: none
  model::Item more;      // further attributes, of which none has the name of one above
};

// Errors of all: those of the engine, and what is wrong with the table of dead letters (kInvalid, reason 0).
Task<Result<void>> put_dead_letter(table::TableContext& context, const table::Sink& sink, DeadLetter letter);
Task<Result<void>> erase_dead_letter(table::TableContext& context, const table::Sink& sink, std::string id);
// Some letters of the sink with ids after `after`, in their order; `more` has all attributes.
Task<Result<std::vector<DeadLetter>>> read_dead_letters(table::TableContext& context, const table::Sink& sink,
                                                        std::string after);
// The rows of those of the sink's letters that are there, by these ids.
Task<Result<std::vector<std::optional<storage::Record>>>> find_dead_letter_rows(table::TableContext& context,
                                                                                const table::Sink& sink,
                                                                                std::vector<std::string> ids);
// Whether the sink has letters of these ids, which are distinct; one element each. A table that cannot have any has
// none.
Task<Result<std::vector<bool>>> have_dead_letters(table::TableContext& context, const table::Sink& sink,
                                                  std::vector<std::string> ids);
// How many items the table has.
Task<Result<uint64_t>> count_dead_letters(table::TableContext& context, const table::Sink& sink);

}  // namespace partita::sinks
