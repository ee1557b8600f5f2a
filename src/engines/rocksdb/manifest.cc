#include "engines/rocksdb/manifest.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "engines/rocksdb/log_file.h"

namespace partita::rocks {

namespace {

// RocksDB's tags of a record of the list (db/version_edit.h). Those from kIgnorable on have a length.
enum Tag : uint64_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kPrevLogNumber = 9,
  kMinLogNumberToKeep = 10,
  kNewFile = 103,
  kFamily = 200,
  kFamilyAdd = 201,
  kFamilyDrop = 202,
  kMaxFamily = 203,
  kInAtomicGroup = 300,
  kIgnorable = 1 << 13,
};
constexpr uint64_t kEndOfFields = 1;
constexpr size_t kTagOfKeyBytes = 8;

// One record; nothing of it counts when something in it is not known.
class Edit {
 public:
  bool read(std::string_view in) {
    while (!in.empty()) {
      const auto tag = take_varint(in);
      if (!tag || !take(*tag, in)) return false;
    }
    return true;
  }

  void apply(Manifest& manifest) && {
    for (const uint64_t number : deleted_) {
      manifest.tables.erase(number);
      manifest.former.insert(number);
    }
    for (TableMeta& table : added_) {
      table.family = family_;
      manifest.former.erase(table.number);
      manifest.tables[table.number] = std::move(table);
    }
    if (!name_.empty()) manifest.families[name_] = family_;
    if (log_) manifest.first_logs[family_] = std::max(manifest.first_logs[family_], *log_);
    manifest.last_sequence = std::max(manifest.last_sequence, last_sequence_);
  }

 private:
  bool take(uint64_t tag, std::string_view& in) {
    switch (tag) {
      case kLogNumber:
        return (log_ = take_varint(in)).has_value();
      case kLastSequence: {
        const auto last = take_varint(in);
        last_sequence_ = last.value_or(0);
        return last.has_value();
      }
      case kNextFileNumber:
      case kPrevLogNumber:
      case kMinLogNumberToKeep:
      case kMaxFamily:
      case kInAtomicGroup:
        return take_varint(in).has_value();
      case kComparator:
        return take_sized(in).has_value();
      case kCompactCursor:
        return take_varint(in) && take_sized(in);
      case kDeletedFile: {
        const auto level = take_varint(in);
        const auto number = level ? take_varint(in) : std::nullopt;
        if (number) deleted_.push_back(*number);
        return number.has_value();
      }
      case kNewFile:
        return take_file(in);
      case kFamily: {
        const auto family = take_varint(in);
        family_ = static_cast<uint32_t>(family.value_or(0));
        return family.has_value();
      }
      case kFamilyAdd: {
        const auto name = take_sized(in);
        name_ = name.value_or("");
        return name.has_value();
      }
      case kFamilyDrop:
        return true;
      default:
        return (tag & kIgnorable) != 0 && take_sized(in);
    }
  }

  bool take_file(std::string_view& in) {
    TableMeta table;
    const auto level = take_varint(in);
    const auto number = take_varint(in);
    const auto bytes = take_varint(in);
    const auto smallest = take_sized(in);
    const auto largest = take_sized(in);
    const auto smallest_sequence = take_varint(in);
    const auto largest_sequence = take_varint(in);
    if (!level || !number || !bytes || !smallest || !largest || !smallest_sequence || !largest_sequence) return false;
    if (smallest->size() < kTagOfKeyBytes || largest->size() < kTagOfKeyBytes) return false;
    table.level = static_cast<int>(*level);
    table.number = *number;
    table.smallest = smallest->substr(0, smallest->size() - kTagOfKeyBytes);
    table.largest = largest->substr(0, largest->size() - kTagOfKeyBytes);
    table.largest_sequence = *largest_sequence;
    for (;;) {
      const auto field = take_varint(in);
      if (!field) return false;
      if (*field == kEndOfFields) break;
      if (!take_sized(in)) return false;
    }
    added_.push_back(std::move(table));
    return true;
  }

  uint32_t family_ = 0;
  std::string name_;
  std::optional<uint64_t> log_;
  uint64_t last_sequence_ = 0;
  std::vector<uint64_t> deleted_;
  std::vector<TableMeta> added_;
};

}  // namespace

Result<Manifest> read_manifest(const std::filesystem::path& file) {
  Manifest manifest;
  const auto read = read_log_file(file, LogKind::kManifest, {}, [&](std::string_view record) {
    Edit edit;
    if (edit.read(record)) std::move(edit).apply(manifest);
  });
  if (!read.ok()) return read.error();
  return manifest;
}

bool Manifest::fits(const std::set<uint64_t>& files) const {
  const auto is_there = [&](const auto& listed) { return files.contains(listed.first); };
  const auto is_known = [this](uint64_t file) { return tables.contains(file) || former.contains(file); };
  return std::ranges::all_of(tables, is_there) && std::ranges::all_of(files, is_known);
}

}  // namespace partita::rocks
