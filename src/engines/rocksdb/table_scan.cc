#include "engines/rocksdb/table_scan.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"

namespace partita::rocks {

namespace {

// The footer of format 5: the kind of checksum (1 byte), the handles of the meta index and of the index (40 bytes with
// padding), the format (4), the magic number (8).
constexpr size_t kFooterBytes = 53;
constexpr char kXxh3 = 4;
constexpr std::string_view kMagic = "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";

// More than one value has room for: an item has at most 400 KB.
constexpr size_t kBeyondAnyValue = size_t{1} << 20;
// The block that lists the others and the footer. The properties are larger, so what is nearer to the end than this is
// no copy of properties within a value.
constexpr size_t kMostBehindProperties = 512;

std::optional<uint64_t> number_in(const std::optional<std::string>& text) {
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  return take_varint(rest);
}

}  // namespace

Result<std::unique_ptr<TableScan>> TableScan::open(const std::filesystem::path& file, std::string_view largest) {
  PARTITA_TRY(std::unique_ptr<DamagedFile> opened, DamagedFile::open(file));
  auto scan = std::make_unique<TableScan>(std::move(opened));
  scan->has_index_ = scan->read_index();
  if (!scan->has_index_) scan->walk(largest);
  return scan;
}

std::optional<std::string> TableScan::read_block(const BlockHandle& handle) {
  if (handle.bytes > file_->size() || handle.offset > file_->size() - handle.bytes) return std::nullopt;
  const std::string stored = file_->read(handle.offset, handle.bytes + kBlockTrailerBytes);
  return stored.size() == handle.bytes + kBlockTrailerBytes ? unpack_block(stored) : std::nullopt;
}

bool TableScan::read_index() {
  if (file_->size() < kFooterBytes) return false;
  const std::string footer = file_->read(file_->size() - kFooterBytes, kFooterBytes);
  if (footer.size() < kFooterBytes || !footer.ends_with(kMagic) || footer[0] != kXxh3) return false;
  std::string_view rest = std::string_view(footer).substr(1);
  const auto meta = take_handle(rest);
  const auto index = meta ? take_handle(rest) : std::nullopt;
  if (!index) return false;
  const auto texts = read_block(*meta);
  if (texts) {
    const auto place = value_in_block(*texts, "rocksdb.properties");
    std::string_view at = place ? std::string_view(*place) : std::string_view();
    const auto handle = take_handle(at);
    const auto properties = handle ? read_block(*handle) : std::nullopt;
    if (properties) take_properties(*properties);
    const auto filter = value_in_block(*texts, "fullfilter.rocksdb.BuiltinBloomFilter");
    std::string_view place_of_filter = filter ? std::string_view(*filter) : std::string_view();
    if (const auto found = take_handle(place_of_filter)) {
      filter_at_ = found;
      data_bytes_ = found->offset;
    }
  }
  const auto content = read_block(*index);
  const auto handles = content ? handles_in_index(*content) : std::nullopt;
  if (!handles) return false;
  for (const BlockHandle& handle : *handles) steps_.push_back({handle});
  if (texts) {
    read_ranges(value_in_block(*texts, "rocksdb.range_del"));
  } else {
    // They stand behind the index, if there are any.
    const uint64_t at = index->offset + index->bytes + kBlockTrailerBytes;
    const std::string behind = file_->read(at, file_->size() - std::min(file_->size(), at));
    const auto length = block_length(behind);
    auto ranges =
        length ? unpack_block(std::string_view(behind).substr(0, *length + kBlockTrailerBytes)) : std::nullopt;
    if (ranges) take_ranges(std::move(*ranges));
  }
  return true;
}

void TableScan::take_properties(std::string_view content) {
  const auto all = number_in(value_in_block(content, "rocksdb.num.entries"));
  const auto ranges = number_in(value_in_block(content, "rocksdb.num.range-deletions"));
  if (all) entries_ = *all - std::min(*all, ranges.value_or(0));
  data_bytes_ = number_in(value_in_block(content, "rocksdb.data.size"));
  const auto filter = number_in(value_in_block(content, "rocksdb.filter.size"));
  if (data_bytes_ && filter) filter_at_ = BlockHandle{*data_bytes_, *filter};
}

void TableScan::read_ranges(const std::optional<std::string>& meta) {
  std::string_view at = meta ? std::string_view(*meta) : std::string_view();
  const auto handle = take_handle(at);
  auto content = handle ? read_block(*handle) : std::nullopt;
  if (content) take_ranges(std::move(*content));
  lost_erasures_ = handle && erased_.empty();
}

void TableScan::take_ranges(std::string content) {
  BlockReader ranges(std::move(content));
  while (ranges.next() && ranges.type() == EntryType::kErasedRange) {
    erased_.push_back({std::string(ranges.key()), std::string(ranges.value()), ranges.sequence()});
  }
}

bool TableScan::next() {
  behind_gap_ = false;
  for (;;) {
    if (reader_.next()) {
      // What is out of order is not the store's.
      if (any_ && reader_.key() < last_) continue;
      last_.assign(reader_.key());
      any_ = true;
      ++read_entries_;
      return true;
    }
    if (step_ == steps_.size()) break;
    const Step& step = steps_[step_++];
    behind_gap_ = behind_gap_ || step.behind_gap;
    if (step.behind_gap) ++lost_blocks_;
    auto content = read_block(step.block);
    if (content) {
      ++read_blocks_;
      reader_ = BlockReader(std::move(*content));
      continue;
    }
    ++lost_blocks_;
    behind_gap_ = true;
  }
  if (gap_at_end_ && lost_entries() != 0) {
    behind_gap_ = true;
    ++lost_blocks_;
  }
  return false;
}

std::optional<bool> TableScan::may_hold(std::string_view key) {
  if (!std::exchange(tried_filter_, true)) load_filter();
  return filter_ ? std::optional(filter_->may_hold(key)) : std::nullopt;
}

void TableScan::load_filter() {
  auto content = filter_at_ ? read_block(*filter_at_) : std::nullopt;
  if (content) filter_ = TableFilter::of(std::move(*content));
  // A filter that denies what the table holds was made in another way.
  if (filter_ && any_ && !filter_->may_hold(last_)) filter_.reset();
}

std::optional<uint64_t> TableScan::lost_entries() const {
  if (!entries_) return std::nullopt;
  return *entries_ - std::min(*entries_, read_entries_);
}

// The length of the data block, or block of erased ranges, at the front of `bytes`, if it is as it was written.
std::optional<size_t> TableScan::whole_block(std::string_view bytes, std::string* first, std::string* last,
                                             bool* of_ranges) const {
  const auto length = block_length(bytes);
  auto content = length ? unpack_block(bytes.substr(0, *length + kBlockTrailerBytes)) : std::nullopt;
  if (!content) return std::nullopt;
  BlockReader reader(std::move(*content));
  bool any = false;
  bool ranges = false;
  while (reader.next()) {
    if (!any && first != nullptr) first->assign(reader.key());
    if (last != nullptr) last->assign(reader.key());
    ranges = ranges || reader.type() == EntryType::kErasedRange;
    any = true;
  }
  if (!any || reader.is_broken()) return std::nullopt;
  if (of_ranges != nullptr) *of_ranges = ranges;
  return length;
}

// Whether blocks follow on the one at `at` that no value has room for, or that end where a table's blocks end.
bool TableScan::is_anchored(std::string_view all, size_t at, std::string_view last, std::string_view largest) const {
  std::string before(last);
  for (const size_t begin = at;;) {
    std::string first;
    std::string end;
    const auto length = whole_block(all.substr(at), &first, &end);
    if (!length || first < before) break;
    before = end;
    at += *length + kBlockTrailerBytes;
    if (at - begin > kBeyondAnyValue || at == data_bytes_ || (!largest.empty() && before == largest)) return true;
  }
  // A damaged block that shows where it ends, and a whole one there.
  const auto damaged = block_length(all.substr(at));
  return damaged && whole_block(all.substr(at + *damaged + kBlockTrailerBytes));
}

// Where the first block begins behind the damaged one at `at`.
std::optional<size_t> TableScan::resume(std::string_view all, size_t at, std::string_view last,
                                        std::string_view largest) const {
  const auto length = block_length(all.substr(at));
  if (length && whole_block(all.substr(at + *length + kBlockTrailerBytes))) return at + *length + kBlockTrailerBytes;
  std::optional<size_t> only;
  for (size_t begin = at + 1; begin < all.size(); ++begin) {
    std::string first;
    if (!whole_block(all.substr(begin), &first) || first < last) continue;
    if (is_anchored(all, begin, last, largest)) return begin;
    // It may be what a value holds, and the next one the true one.
    if (!only) only = begin;
  }
  // Nothing behind it: of what a value holds, more would follow.
  return only;
}

void TableScan::walk(std::string_view largest) {
  const std::string all = file_->read(0, file_->size());
  if (!data_bytes_) find_properties(all);
  const std::string_view bytes = std::string_view(all).substr(0, data_bytes_.value_or(all.size()));
  std::string last;
  bool gap = false;
  size_t end_of_data = 0;
  for (size_t at = 0; at < bytes.size();) {
    std::string first;
    std::string end;
    bool ranges = false;
    const auto length = whole_block(bytes.substr(at), &first, &end, &ranges);
    if (length && ranges) {
      take_ranges(*unpack_block(bytes.substr(at, *length + kBlockTrailerBytes)));
    } else if (length && first >= last) {
      steps_.push_back({{at, *length}, std::exchange(gap, false)});
      last = std::move(end);
    }
    if (length) {
      at += *length + kBlockTrailerBytes;
      end_of_data = at;
      continue;
    }
    const auto further = resume(bytes, at, last, largest);
    if (!further) break;
    gap = true;
    at = *further;
  }
  gap_at_end_ = data_bytes_ ? end_of_data != data_bytes_ : largest.empty() || last != largest;
  find_behind_data(std::string_view(all).substr(data_bytes_ ? bytes.size() : end_of_data));
}

// The list of erased ranges, which stands between the filter and the footer.
void TableScan::find_behind_data(std::string_view tail) {
  for (size_t at = 0; at < tail.size(); ++at) {
    bool ranges = false;
    const auto length = whole_block(tail.substr(at), nullptr, nullptr, &ranges);
    if (!length || !ranges) continue;
    take_ranges(*unpack_block(tail.substr(at, *length + kBlockTrailerBytes)));
    break;
  }
}

// Their first name stands behind the three lengths of an entry.
void TableScan::find_properties(std::string_view all) {
  constexpr std::string_view kFirstName = "rocksdb.block.based.table.";
  constexpr size_t kLengths = 3;
  const size_t at = all.rfind(kFirstName);
  if (at == std::string_view::npos || at < kLengths) return;
  const std::string_view tail = all.substr(at - kLengths);
  const auto length = block_length(tail);
  if (!length || *length + kBlockTrailerBytes + kMostBehindProperties < tail.size()) return;
  const auto content = unpack_block(tail.substr(0, *length + kBlockTrailerBytes));
  if (content) take_properties(*content);
}

}  // namespace partita::rocks
