#include "sinks/change_letters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "model/size.h"
#include "sinks/dead_letters.h"
#include "sinks/sender.h"
#include "table/rows/item_rows.h"
#include "wire/item_reader.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::sinks {

namespace {

using model::AttributeValue;
using model::Item;
using model::Type;
using table::Sink;
using table::TableContext;

constexpr size_t kPartsAtOnce = 8;
constexpr size_t kLettersBytes = size_t{16} << 20;  // of one reading
constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::array<std::string_view, 3> kEventNames = {"INSERT", "MODIFY", "REMOVE"};

std::string slice_prefix(size_t slice) { return std::to_string(slice) + "-"; }
std::string part_id(const std::string& id, size_t part) { return id + "/" + std::to_string(part); }

std::optional<storage::Position> position_in(std::string_view id) {
  storage::Position position;
  id.remove_prefix(std::min(id.find('-'), id.size() - 1) + 1);
  if (id.size() <= 2 * position.bytes.size() || id[2 * position.bytes.size()] != '-') return std::nullopt;
  for (size_t i = 0; i < position.bytes.size(); ++i) {
    const size_t high = kHexDigits.find(id[2 * i]);
    const size_t low = kHexDigits.find(id[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    position.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return position;
}

Result<std::string> images_of(const table::ItemRecord& record) {
  wire::JsonWriter json;
  json.begin_object();
  if (!record.new_image.empty()) {
    json.key("NewImage");
    PARTITA_TRY_VOID(json.write_encoded_item(record.new_image));
  }
  if (!record.old_image.empty()) {
    json.key("OldImage");
    PARTITA_TRY_VOID(json.write_encoded_item(record.old_image));
  }
  json.end_object();
  return std::move(json).take();
}

std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (text.size() > kLetterPieceBytes) {
    pieces.push_back(utf8_prefix(text, kLetterPieceBytes));
    text.remove_prefix(pieces.back().size());
  }
  pieces.push_back(text);
  return pieces;
}

AttributeValue whole_number(size_t number) {
  return AttributeValue::number(model::Number::of(static_cast<int64_t>(number)));
}

const AttributeValue* found_in(const Item& item, std::string_view name, Type type) {
  const AttributeValue* const value = item.find(name);
  return value != nullptr && value->is(type) ? value : nullptr;
}

int64_t number_in(const Item& item, std::string_view name, int64_t otherwise) {
  const AttributeValue* const value = found_in(item, name, Type::kN);
  return value == nullptr ? otherwise : value->as_number().to_int64().value_or(otherwise);
}

Result<std::string> image_in(const wire::JsonValue& images, std::string_view name) {
  const wire::JsonValue image = images.get(name);
  if (!image.present()) return std::string();
  return wire::decode_encoded_item(image);
}

bool is_delivered(const Item& letter) { return found_in(letter, "delivered", Type::kBool) != nullptr; }

// The letter without its images. Error: kInvalid, what is wrong with it.
Result<ChangeLetter> letter_from(const table::TableInfo& table, DeadLetter found) {
  const auto wrong = [](std::string what) { return Error(ErrorKind::kInvalid, std::move(what)); };
  ChangeLetter letter;
  const auto position = position_in(found.id);
  if (!position) return wrong("its id has no position");
  if (!table::check_key(table, found.key).ok()) return wrong("its key is none of the table");
  const AttributeValue* const event = found_in(found.more, "event", Type::kS);
  const auto* const name = event == nullptr ? kEventNames.end() : std::ranges::find(kEventNames, event->as_string());
  if (name == kEventNames.end()) return wrong("its event is not INSERT, MODIFY or REMOVE");
  const int64_t parts = number_in(found.more, "parts", found.more.contains("parts") ? 0 : 1);
  if (parts < 1 || parts > static_cast<int64_t>(kMostLetterParts)) {
    return wrong("its parts are not 1 to " + std::to_string(kMostLetterParts));
  }
  letter.parts = static_cast<size_t>(parts);
  letter.id = std::move(found.id);
  letter.position = *position;
  letter.key = table::item_key(table, found.key).bytes;
  letter.keys = model::encode_item(found.key);
  letter.record.event = static_cast<table::StreamEvent>(name - kEventNames.begin());
  letter.record.at_ms = number_in(found.more, "written", 0);
  letter.record.by_service = found_in(found.more, "expired", Type::kBool) != nullptr;
  return letter;
}

// Whether an image is absent, or an item of the letter's key.
bool is_image(std::string_view image, bool is_there, std::string_view keys) {
  if (image.empty() || !is_there) return image.empty() && !is_there;
  const auto item = model::decode_item(image);
  const auto key = model::decode_item(keys);
  if (!item.ok() || !key.ok() || model::item_size(*item) > model::kMaxItemBytes) return false;
  return std::ranges::all_of(*key, [&](const auto& attribute) {
    const AttributeValue* const value = item->find(attribute.name);
    return value != nullptr && *value == attribute.value;
  });
}

// False: the images are none of the change.
bool take_images(ChangeLetter& letter, std::string_view images) {
  const auto document = wire::JsonDocument::parse(images);
  if (!document.ok() || !document->root().is(wire::JsonValue::Kind::kObject)) return false;
  auto new_image = image_in(document->root(), "NewImage");
  auto old_image = image_in(document->root(), "OldImage");
  if (!new_image.ok() || !old_image.ok()) return false;
  letter.new_image = std::move(*new_image);
  letter.old_image = std::move(*old_image);
  return is_image(letter.new_image, letter.record.event != table::StreamEvent::kRemove, letter.keys) &&
         is_image(letter.old_image, letter.record.event != table::StreamEvent::kInsert, letter.keys);
}

// False: the item has no piece, or a larger one than Partita writes.
bool append_piece(const Item& item, std::string& images) {
  const AttributeValue* const piece = found_in(item, "images", Type::kS);
  if (piece == nullptr || piece->as_string().size() > kLetterPieceBytes) return false;
  images += piece->as_string();
  return true;
}

// Reads the other parts, and takes the images out of all of them. False: they are none of the change.
Task<Result<bool>> complete(TableContext& context, Workers& workers, const Sink& sink, ChangeLetter& letter,
                            const Item& first) {
  std::string images;
  if (!append_piece(first, images)) co_return false;
  for (size_t part = 2; part <= letter.parts; part += kPartsAtOnce) {
    std::vector<std::string> ids;
    const size_t end = std::min(part + kPartsAtOnce, letter.parts + 1);
    for (size_t one = part; one < end; ++one) ids.push_back(part_id(letter.id, one));
    PARTITA_CO_TRY(const auto rows, co_await find_dead_letter_rows(context, sink, std::move(ids)));
    const auto append = [&rows, &images]() -> Result<bool> {
      for (const auto& row : rows) {
        if (!row) return false;
        PARTITA_TRY(const Item item, model::decode_item(row->value));
        if (!append_piece(item, images)) return false;
      }
      return true;
    };
    PARTITA_CO_TRY(const bool appended, co_await on_worker(workers, append));
    if (!appended) co_return false;
  }
  const auto take = [&letter, &images]() -> Result<bool> { return take_images(letter, images); };
  co_return co_await on_worker(workers, take);
}

// Under that id. `parts`: how many it has there.
Task<Result<void>> put_letter(TableContext& context, const Sink& sink, std::string id, Change change,
                              std::string reason, size_t& parts) {
  auto images = images_of(change.record);
  auto key = model::decode_item(change.record.keys);
  std::vector<std::string_view> pieces;
  if (images.ok() && key.ok()) pieces = pieces_of(*images);
  parts = 1;
  if (pieces.empty() || pieces.size() > kMostLetterParts) {
    DeadLetter damaged;
    if (key.ok()) damaged.key = std::move(*key);
    damaged.id = std::move(id);
    damaged.reason = std::move(reason);
    co_return co_await put_dead_letter(context, sink, std::move(damaged));
  }
  parts = pieces.size();
  // The letter last: it is whole once it is there.
  for (size_t part = pieces.size(); part > 0; --part) {
    DeadLetter letter;
    letter.id = part == 1 ? id : part_id(id, part);
    letter.key = *key;
    letter.reason = reason;
    letter.more.set("images", AttributeValue::string(std::string(pieces[part - 1])));
    if (part == 1) {
      letter.more.set("event",
                      AttributeValue::string(std::string(kEventNames[static_cast<size_t>(change.record.event)])));
      letter.more.set("written", AttributeValue::number(model::Number::of(change.record.at_ms)));
      if (change.record.by_service) letter.more.set("expired", AttributeValue::boolean(true));
      if (pieces.size() > 1) letter.more.set("parts", whole_number(pieces.size()));
    }
    PARTITA_CO_TRY_VOID(co_await put_dead_letter(context, sink, std::move(letter)));
  }
  co_return Result<void>();
}

// Erases the parts with numbers from `from` to `to`, the letter itself being the first, and the last one first.
Task<Result<void>> erase_parts(TableContext& context, const Sink& sink, std::string id, size_t from, size_t to) {
  for (size_t part = to; part >= from; --part) {
    std::string one = part == 1 ? id : part_id(id, part);
    PARTITA_CO_TRY_VOID(co_await erase_dead_letter(context, sink, std::move(one)));
  }
  co_return Result<void>();
}

}  // namespace

Change ChangeLetter::change() const {
  Change change;
  change.position = position;
  change.key = key;
  change.record = record;
  change.record.keys = keys;
  change.record.old_image = old_image;
  change.record.new_image = new_image;
  return change;
}

std::string change_letter_id(const Sink& sink, size_t slice, const storage::Position& position) {
  std::string id = slice_prefix(slice);
  for (const uint8_t byte : position.bytes) {
    id += kHexDigits[byte >> 4];
    id += kHexDigits[byte & 15];
  }
  return id + "-" + sink.id;
}

Task<Result<void>> put_change_letter(TableContext& context, const Sink& sink, size_t slice, Change change,
                                     std::string reason) {
  size_t parts = 0;
  std::string id = change_letter_id(sink, slice, change.position);
  co_return co_await put_letter(context, sink, std::move(id), change, std::move(reason), parts);
}

Task<Result<void>> replace_change_letter(TableContext& context, const Sink& sink, const ChangeLetter& letter,
                                         std::string reason) {
  size_t parts = 0;
  PARTITA_CO_TRY_VOID(co_await put_letter(context, sink, letter.id, letter.change(), std::move(reason), parts));
  co_return co_await erase_parts(context, sink, letter.id, parts + 1, letter.parts);
}

Task<Result<void>> put_damage_letter(TableContext& context, const Sink& sink, size_t slice, storage::Position position,
                                     Item key, std::string reason) {
  DeadLetter letter;
  letter.key = std::move(key);
  letter.id = change_letter_id(sink, slice, position);
  letter.reason = std::move(reason);
  co_return co_await put_dead_letter(context, sink, std::move(letter));
}

Task<Result<void>> erase_change_letter(TableContext& context, const Sink& sink, const ChangeLetter& letter) {
  if (letter.parts > 1) {
    DeadLetter delivered;
    delivered.id = letter.id;
    PARTITA_CO_TRY(delivered.key, model::decode_item(letter.keys));
    delivered.reason = "It was delivered.";
    delivered.more.set("delivered", AttributeValue::boolean(true));
    delivered.more.set("parts", whole_number(letter.parts));
    PARTITA_CO_TRY_VOID(co_await put_dead_letter(context, sink, std::move(delivered)));
  }
  co_return co_await erase_parts(context, sink, letter.id, 1, letter.parts);
}

Task<Result<ChangeLetters>> read_change_letters(TableContext& context, Workers& workers, const Sink& sink,
                                                const table::TableInfo& table, size_t slice, std::string after) {
  ChangeLetters all;
  size_t bytes = 0;
  const std::string prefix = slice_prefix(slice);
  if (after.empty()) after = prefix;
  PARTITA_CO_TRY(std::vector<DeadLetter> found, co_await read_dead_letters(context, sink, std::move(after)));
  for (DeadLetter& one : found) {
    if (!one.id.starts_with(prefix)) {
      all.last.clear();
      break;
    }
    all.last = one.id;
    const Item first = one.more;
    if (is_delivered(first)) {
      const int64_t parts = std::clamp<int64_t>(number_in(first, "parts", 1), 1, kMostLetterParts);
      PARTITA_CO_TRY_VOID(co_await erase_parts(context, sink, one.id, 1, static_cast<size_t>(parts)));
      continue;
    }
    // One of what could not be read, or a part.
    if (!first.contains("event")) continue;
    Result<ChangeLetter> letter = letter_from(table, std::move(one));
    std::string wrong(letter.ok() ? std::string_view() : letter.error().sentence());
    if (letter.ok()) {
      PARTITA_CO_TRY(const bool complete, co_await sinks::complete(context, workers, sink, *letter, first));
      if (!complete) wrong = "its images, or some of its parts, are not those of the change";
    }
    if (letter.ok()) bytes += wrong.empty() ? letter->bytes() : letter->parts * kLetterPieceBytes;
    if (wrong.empty()) {
      all.letters.push_back(std::move(*letter));
    } else {
      all.refused.push_back("The dead letter " + all.last + " of the sink " + sink.table + "/" + sink.name +
                            " is not sent again: " + wrong + ".");
    }
    if (bytes >= kLettersBytes) break;
  }
  co_return all;
}

}  // namespace partita::sinks
