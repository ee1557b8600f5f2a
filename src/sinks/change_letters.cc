#include "sinks/change_letters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/bytes.h"
#include "model/item_codec.h"
#include "sinks/dead_letters.h"
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

constexpr size_t kPieceBytes = 300'000;  // of `images` in an item
constexpr size_t kMostParts = 1'000;
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
  while (text.size() > kPieceBytes) {
    pieces.push_back(utf8_prefix(text, kPieceBytes));
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

// The letter without its images. nullopt: it is none that can be sent.
std::optional<ChangeLetter> letter_from(const table::TableInfo& table, DeadLetter found) {
  ChangeLetter letter;
  const auto position = position_in(found.id);
  const AttributeValue* const event = found_in(found.more, "event", Type::kS);
  if (!position || event == nullptr || !table::check_key(table, found.key).ok()) return std::nullopt;
  const auto* const name = std::ranges::find(kEventNames, event->as_string());
  if (name == kEventNames.end()) return std::nullopt;
  const int64_t parts = number_in(found.more, "parts", 1);
  if (parts < 1 || parts > static_cast<int64_t>(kMostParts)) return std::nullopt;
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

// False: the images cannot be read.
bool take_images(ChangeLetter& letter, std::string_view images) {
  const auto document = wire::JsonDocument::parse(images);
  if (!document.ok() || !document->root().is(wire::JsonValue::Kind::kObject)) return false;
  auto new_image = image_in(document->root(), "NewImage");
  auto old_image = image_in(document->root(), "OldImage");
  if (!new_image.ok() || !old_image.ok()) return false;
  letter.new_image = std::move(*new_image);
  letter.old_image = std::move(*old_image);
  return true;
}

// nullopt: a part is not there.
Task<Result<std::optional<std::string>>> read_images(TableContext& context, const Sink& sink,
                                                     const ChangeLetter& letter, const Item& first) {
  std::string images;
  const AttributeValue* const begin = found_in(first, "images", Type::kS);
  if (begin == nullptr) co_return std::nullopt;
  images = begin->as_string();
  std::vector<std::string> ids;
  for (size_t part = 2; part <= letter.parts; ++part) ids.push_back(part_id(letter.id, part));
  if (ids.empty()) co_return images;
  PARTITA_CO_TRY(const auto parts, co_await find_dead_letters(context, sink, std::move(ids)));
  for (const std::optional<Item>& part : parts) {
    const AttributeValue* const piece = part ? found_in(*part, "images", Type::kS) : nullptr;
    if (piece == nullptr) co_return std::nullopt;
    images += piece->as_string();
  }
  co_return images;
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
  auto images = images_of(change.record);
  auto key = model::decode_item(change.record.keys);
  if (!images.ok() || !key.ok()) {
    Item known = key.ok() ? std::move(*key) : Item();
    co_return co_await put_damage_letter(context, sink, slice, change.position, std::move(known), std::move(reason));
  }
  const std::string id = change_letter_id(sink, slice, change.position);
  const std::vector<std::string_view> pieces = pieces_of(*images);
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

Task<Result<void>> put_damage_letter(TableContext& context, const Sink& sink, size_t slice, storage::Position position,
                                     Item key, std::string reason) {
  DeadLetter letter;
  letter.key = std::move(key);
  letter.id = change_letter_id(sink, slice, position);
  letter.reason = std::move(reason);
  co_return co_await put_dead_letter(context, sink, std::move(letter));
}

// The letter last: one without its parts was delivered.
Task<Result<void>> erase_change_letter(TableContext& context, const Sink& sink, const ChangeLetter& letter) {
  for (size_t part = letter.parts; part > 0; --part) {
    std::string id = part == 1 ? letter.id : part_id(letter.id, part);
    PARTITA_CO_TRY_VOID(co_await erase_dead_letter(context, sink, std::move(id)));
  }
  co_return Result<void>();
}

Task<Result<ChangeLetters>> read_change_letters(TableContext& context, const Sink& sink, const table::TableInfo& table,
                                                size_t slice, std::string after) {
  ChangeLetters all;
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
    std::optional<ChangeLetter> letter = letter_from(table, std::move(one));
    if (!letter) continue;
    PARTITA_CO_TRY(const std::optional<std::string> images, co_await read_images(context, sink, *letter, first));
    if (!images && letter->parts > 1) {
      PARTITA_CO_TRY_VOID(co_await erase_change_letter(context, sink, *letter));
    } else if (images && take_images(*letter, *images)) {
      all.letters.push_back(std::move(*letter));
    }
  }
  co_return all;
}

}  // namespace partita::sinks
