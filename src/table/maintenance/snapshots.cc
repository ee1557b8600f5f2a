#include "table/maintenance/snapshots.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "model/aside_fault.h"
#include "model/fault.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/maintenance/namespaces.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AsideFault;
using model::Fault;
using model::refuse;
using model::refuse_aside;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Outcome;
using storage::Position;
using storage::Range;
using storage::RangeCursor;

// Kinds of rows beside a database: docs/formats/keys.md.
constexpr char kInfo = 'I';
constexpr char kRow = 'R';
constexpr char kTopic = 'T';
constexpr char kEntry = 'E';
constexpr char kBegun = 'B';
constexpr char kRolledBack = 'F';

constexpr char kHalf = 1;  // a snapshot that is being made
constexpr char kWhole = 2;

// What one transaction writes at most.
constexpr size_t kBatchWrites = 40'000;
constexpr size_t kSnapshotKeysAtOnce = 64;  // an item may have 400 KB
constexpr size_t kEntriesAtOnce = 1'000;
constexpr size_t kEntryBytesAtOnce = size_t{1} << 20;
constexpr size_t kSnapshotTopicsAtOnce = 1'000;

Error damaged() { return Error(ErrorKind::kCorrupt, "A row of a snapshot is damaged."); }

std::string encode(const SnapshotInfo& info, char state) {
  std::string out(1, state);
  append_u64(out, static_cast<uint64_t>(info.created_ms));
  append_u64(out, info.rows);
  append_u64(out, info.bytes);
  return out;
}

std::string position_bytes(const Position& position) { return {position.bytes.begin(), position.bytes.end()}; }

std::optional<Position> take_position(std::string_view& in) {
  Position position;
  if (in.size() < position.bytes.size()) return std::nullopt;
  std::copy_n(in.begin(), position.bytes.size(), position.bytes.begin());
  in.remove_prefix(position.bytes.size());
  return position;
}

// The end of a log, and its first entry or zero.
struct Ends {
  Position end;
  Position first;
  bool operator==(const Ends&) const = default;
};

Task<Result<Ends>> ends_of(storage::Engine& store, const std::string& topic) {
  Ends ends;
  auto ended = co_await store.log_end(topic);
  PARTITA_CO_TRY(ends.end, std::move(ended));
  auto read = co_await store.read_log(topic, Position(), 1, 1);
  PARTITA_CO_TRY(const auto entries, std::move(read));
  if (!entries.empty()) ends.first = entries[0].position;
  co_return ends;
}

Error not_found(const std::string& name) {
  return refuse_aside(AsideFault::kNotFound, "There is no snapshot " + name + ".");
}

}  // namespace

// Writes that go together: by one transaction if they fit one; else the first of several stores the mark, which says
// what was begun, and the last settles it.
class Snapshots::Batch {
 public:
  Batch(Snapshots& of, Key mark, std::string begun)
      : store_(of.store_), most_bytes_(of.batch_bytes_), mark_(std::move(mark)), begun_value_(std::move(begun)) {}

  void put(Key key, std::string value) {
    bytes_ += key.bytes.size() + value.size();
    writes_.push_back({std::move(key), std::move(value)});
  }
  void erase(Key key) {
    bytes_ += key.bytes.size();
    writes_.push_back({std::move(key), std::nullopt});
  }
  // The mark is there already.
  void was_begun() { begun_ = true; }
  Task<Result<void>> begin() {
    if (begun_) co_return Result<void>();
    put(mark_, begun_value_);
    begun_ = true;
    co_return co_await flush();
  }
  Task<Result<void>> relieve() {
    if (bytes_ < most_bytes_ && writes_.size() < kBatchWrites) co_return Result<void>();
    PARTITA_CO_TRY_VOID(co_await begin());
    co_return co_await flush();
  }
  // What the mark is at the end; nothing: it goes.
  Task<Result<void>> end(std::optional<std::string> mark) {
    if (mark) {
      put(mark_, std::move(*mark));
    } else if (begun_) {
      erase(mark_);
    }
    co_return co_await flush();
  }
  uint64_t written() const { return written_ + writes_.size(); }

 private:
  Task<Result<void>> flush() {
    if (writes_.empty()) co_return Result<void>();
    const storage::Decide put_all = [this](std::span<const storage::Record* const>, Changes& changes) {
      changes.writes().assign(writes_.begin(), writes_.end());
      return Decision::kCommit;
    };
    std::vector<Key> no_keys;
    std::vector<storage::Compare> no_compare;
    auto outcome = co_await store_.transact(std::move(no_keys), std::move(no_compare), put_all);
    PARTITA_CO_TRY(const Outcome stored, std::move(outcome));
    PARTITA_CHECK(stored == Outcome::kCommitted);
    written_ += writes_.size();
    writes_.clear();
    bytes_ = 0;
    co_return Result<void>();
  }

  storage::Engine& store_;
  const size_t most_bytes_;
  const Key mark_;
  const std::string begun_value_;
  bool begun_ = false;
  std::vector<Changes::Write> writes_;
  size_t bytes_ = 0;
  uint64_t written_ = 0;
};

// Where a snapshot's copies are.
class Snapshots::Copy {
 public:
  Copy(const std::string& aside, const std::string& name) : aside_(aside), name_(name + '\0') {}

  std::string row(std::string_view key) const { return of(kRow).append(key); }
  std::string topic(std::string_view topic) const { return of(kTopic).append(topic); }
  std::string entries(std::string_view topic) const {
    std::string key = of(kEntry);
    append_sized(key, topic);
    return key;
  }

 private:
  std::string of(char kind) const { return aside_ + kind + name_; }

  const std::string& aside_;
  const std::string name_;
};

Snapshots::Snapshots(storage::Engine& store, std::string space, const Clock& clock, size_t batch_bytes)
    : store_(store),
      space_(std::move(space)),
      clock_(clock),
      batch_bytes_(batch_bytes),
      rows_(rows_of_namespace(space_)),
      topics_(topics_of_namespace(space_)),
      aside_(aside_of_namespace(space_)),
      engine_(&store) {
  rebuild();
}

Snapshots::~Snapshots() = default;

Range Snapshots::own_rows() const {
  Range range = storage::range_of(rows_);
  if (space_.empty()) range.end = kBesideDatabase;
  return range;
}

Key Snapshots::own_key(std::string bytes) const {
  Key key = key_of_row(std::string_view(bytes).substr(rows_.size()));
  key.place += static_cast<uint32_t>(rows_.size());
  key.bytes = std::move(bytes);
  return key;
}

// Notes what is changed from now on, if there is anything to change it back to.
void Snapshots::rebuild() {
  view_.reset();
  tracked_.reset();
  engine_ = &store_;
  if (!snapshots_.empty()) {
    tracked_ = std::make_unique<storage::TrackingEngine>(store_);
    for (auto& [name, one] : snapshots_) tracked_->note(one.touched);
    engine_ = tracked_.get();
  }
  if (space_.empty()) return;
  view_ = namespace_of(*engine_, space_);
  engine_ = view_.get();
}

int64_t Snapshots::iterators_from_ms() const {
  constexpr int64_t kAhead = 1'000;  // a clock that was moved back says nothing of them
  return rolled_back_ms_ > clock_.now_ms() + kAhead ? 0 : rolled_back_ms_;
}

std::vector<SnapshotInfo> Snapshots::list() const {
  std::vector<SnapshotInfo> infos;
  for (const auto& [name, one] : snapshots_) infos.push_back(one.info);
  return infos;
}

Task<Result<void>> Snapshots::read_infos(std::vector<std::string>& half) {
  const std::string prefix = aside_ + kInfo;
  RangeCursor walk(store_, storage::range_of(prefix));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await walk.next());
    if (!more) co_return Result<void>();
    SnapshotInfo info;
    info.name = walk.row().key.substr(prefix.size());
    std::string_view value = walk.row().value;
    const auto state = take_u8(value);
    const auto created_ms = take_u64(value);
    const auto rows = take_u64(value);
    const auto bytes = take_u64(value);
    if (!state || !created_ms || !rows || !bytes || (*state != kHalf && *state != kWhole)) co_return damaged();
    if (*state == kHalf) {
      half.push_back(std::move(info.name));
      continue;
    }
    info.created_ms = static_cast<int64_t>(*created_ms);
    info.rows = *rows;
    info.bytes = *bytes;
    One& one = snapshots_[info.name];
    one.info = std::move(info);
    one.touched.set_all();
  }
}

Task<Result<std::string>> Snapshots::begun_rollback(storage::Engine& store, std::string space) {
  const std::string aside = aside_of_namespace(space);
  const std::vector<Key> marks{Key{aside + kBegun}};
  auto read = co_await store.read(marks);
  PARTITA_CO_TRY(const auto begun, std::move(read));
  if (!begun[0]) co_return std::string();
  const std::vector<Key> infos{Key{aside + kInfo + begun[0]->value}};
  auto looked = co_await store.read(infos);
  PARTITA_CO_TRY(const auto found, std::move(looked));
  if (!found[0] || !found[0]->value.starts_with(kWhole)) co_return damaged();
  co_return begun[0]->value;
}

Task<Result<uint64_t>> Snapshots::count(storage::Engine& store, std::string space) {
  RangeCursor walk(store, storage::range_of(aside_of_namespace(space) + kInfo));
  for (uint64_t infos = 0;; ++infos) {
    PARTITA_CO_TRY(const bool more, co_await walk.next());
    if (!more) co_return infos;
  }
}

Task<Result<void>> Snapshots::recover() {
  view_.reset();
  tracked_.reset();
  engine_ = &store_;
  snapshots_.clear();
  std::vector<std::string> half;
  PARTITA_CO_TRY_VOID(co_await read_infos(half));
  const std::vector<Key> keys{Key{aside_ + kBegun}, Key{aside_ + kRolledBack}};
  auto read = co_await store_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (records[1]) {
    std::string_view value = records[1]->value;
    rolled_back_ms_ = static_cast<int64_t>(take_u64(value).value_or(0));
  }
  if (records[0]) {
    const std::string name = records[0]->value;
    if (!snapshots_.contains(name)) co_return damaged();
    storage::ChangeSet all;
    all.set_all();
    PARTITA_CO_TRY_VOID(co_await restore(name, all, true));
  }
  for (const std::string& name : half) PARTITA_CO_TRY_VOID(co_await erase_copy(name));
  rebuild();
  co_return Result<void>();
}

// The row that says that it is there goes last: what is left of it is found there.
Task<Result<void>> Snapshots::erase_copy(const std::string& name) {
  Batch gone(*this, Key{aside_ + kInfo + name}, encode({}, kHalf));
  PARTITA_CO_TRY_VOID(co_await gone.begin());
  for (const char kind : {kRow, kTopic, kEntry}) {
    Range copies = storage::range_of(aside_ + kind + name + '\0');
    PARTITA_CO_TRY_VOID(co_await storage::erase_rows(store_, std::move(copies)));
  }
  co_return co_await gone.end(std::nullopt);
}

Task<Result<SnapshotInfo>> Snapshots::create(std::string name) {
  if (!is_namespace_name(name)) {
    co_return refuse(Fault::kConstraints,
                     {"A snapshot's name has 1 to 64 letters, digits, '_', '-' and '.', and nothing else."});
  }
  if (snapshots_.contains(name))
    co_return refuse_aside(AsideFault::kInUse, "There is a snapshot " + name + " already.");
  if (snapshots_.size() >= kMaxSnapshots) {
    co_return refuse_aside(AsideFault::kLimit, "There are " + std::to_string(kMaxSnapshots) +
                                                   " snapshots already, and there can be no more: delete one.");
  }
  SnapshotInfo info;
  info.name = name;
  info.created_ms = clock_.now_ms();
  Batch batch(*this, Key{aside_ + kInfo + name}, encode(info, kHalf));
  PARTITA_CO_TRY_VOID(co_await copy_rows(batch, info));
  PARTITA_CO_TRY_VOID(co_await copy_logs(batch, info));
  PARTITA_CO_TRY_VOID(co_await batch.end(encode(info, kWhole)));
  snapshots_[name].info = info;
  rebuild();
  co_return info;
}

Task<Result<void>> Snapshots::copy_rows(Batch& batch, SnapshotInfo& info) {
  const Copy copy(aside_, info.name);
  RangeCursor walk(store_, own_rows());
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await walk.next());
    if (!more) co_return Result<void>();
    const std::string_view key = walk.row().key.substr(rows_.size());
    batch.put(Key{copy.row(key)}, std::string(walk.row().value));
    ++info.rows;
    info.bytes += key.size() + walk.row().value.size();
    PARTITA_CO_TRY_VOID(co_await batch.relieve());
  }
}

Task<Result<void>> Snapshots::copy_logs(Batch& batch, SnapshotInfo& info) {
  const Copy copy(aside_, info.name);
  PARTITA_CO_TRY(const std::vector<std::string> topics, co_await own_topics());
  for (const std::string& topic : topics) {
    const std::string_view named = std::string_view(topic).substr(topics_.size());
    PARTITA_CO_TRY(const Ends ends, co_await ends_of(store_, topic));
    batch.put(Key{copy.topic(named)}, position_bytes(ends.end) + position_bytes(ends.first));
    const std::string prefix = copy.entries(named);
    for (Position at{};;) {
      auto read = co_await store_.read_log(topic, at, kEntriesAtOnce, kEntryBytesAtOnce);
      PARTITA_CO_TRY(std::vector<storage::LogEntry> entries, std::move(read));
      if (entries.empty()) break;
      at = entries.back().position;
      for (storage::LogEntry& one : entries) {
        ++info.rows;
        info.bytes += one.entry.size();
        batch.put(Key{prefix + position_bytes(one.position)}, std::move(one.entry));
      }
      PARTITA_CO_TRY_VOID(co_await batch.relieve());
    }
  }
  co_return Result<void>();
}

Task<Result<std::vector<std::string>>> Snapshots::own_topics() {
  std::vector<std::string> own;
  std::string last;
  while (true) {
    auto listed = co_await store_.topics(last, kSnapshotTopicsAtOnce);
    PARTITA_CO_TRY(std::vector<std::string> topics, std::move(listed));
    if (topics.empty()) co_return own;
    last = topics.back();
    for (std::string& topic : topics) {
      const bool is_own = space_.empty() ? !is_topic_beside(topic) : topic.starts_with(topics_);
      if (is_own) own.push_back(std::move(topic));
    }
  }
}

Task<Result<uint64_t>> Snapshots::roll_back(std::string name) {
  const auto found = snapshots_.find(name);
  if (found == snapshots_.end()) co_return not_found(name);
  const storage::ChangeSet touched = std::exchange(found->second.touched, {});
  PARTITA_CO_TRY(const uint64_t written, co_await restore(name, touched, false));
  for (auto& [other, one] : snapshots_) {
    if (other != name) one.touched.add(touched);
  }
  co_return written;
}

Task<Result<uint64_t>> Snapshots::restore(const std::string& name, const storage::ChangeSet& touched, bool begun) {
  const Copy copy(aside_, name);
  Batch batch(*this, Key{aside_ + kBegun}, name);
  if (begun) batch.was_begun();
  std::set<std::string> topics = touched.topics;
  if (touched.all) {
    PARTITA_CO_TRY_VOID(co_await restore_all(batch, copy));
    PARTITA_CO_TRY(const std::vector<std::string> now, co_await own_topics());
    topics.insert(now.begin(), now.end());
    const std::string prefix = copy.topic({});
    RangeCursor then(store_, storage::range_of(prefix));
    while (true) {
      PARTITA_CO_TRY(const bool more, co_await then.next());
      if (!more) break;
      topics.insert(topics_ + std::string(then.row().key.substr(prefix.size())));
    }
  }
  const std::vector<std::string> keys(touched.keys.begin(), touched.keys.end());
  PARTITA_CO_TRY_VOID(co_await restore_keys(batch, copy, keys));
  for (const std::string& topic : topics) {
    PARTITA_CO_TRY(const bool same, co_await is_log_same(copy, topic));
    // What was begun may have been interrupted between two entries.
    if (same && !begun) continue;
    PARTITA_CO_TRY_VOID(co_await batch.begin());
    PARTITA_CO_TRY_VOID(co_await restore_log(copy, topic));
  }
  const uint64_t written = batch.written();
  if (written == 0 && !begun) co_return written;
  rolled_back_ms_ = clock_.now_ms() + 1;
  std::string moment;
  append_u64(moment, static_cast<uint64_t>(rolled_back_ms_));
  batch.put(Key{aside_ + kRolledBack}, std::move(moment));
  PARTITA_CO_TRY_VOID(co_await batch.end(std::nullopt));
  co_return written;
}

namespace {

// Ids are never used again, and numbers of changes neither; clients remember attribute lists; users are the server's,
// not the tables'; and a request that was sent since must not be sent again.
bool stays(std::string_view relative) {
  static const Key next_id = system_key(SystemRow::kNextId);
  static const Key accounts = system_key(SystemRow::kAccount);
  static const std::string revision = system_key(SystemRow::kRevision).bytes;
  static const std::array<std::string, 2> ids{next_id.bytes, second_copy(next_id).bytes};
  static const Key lists = system_key(SystemRow::kNames);
  static const std::array<std::string, 4> whole{accounts.bytes, second_copy(accounts).bytes, lists.bytes,
                                                second_copy(lists).bytes};
  // The second copy of the revision goes with the rows, so that the next to open the database renews all copies.
  return relative == revision || is_of_servers(relative) || std::ranges::find(ids, relative) != ids.end() ||
         std::ranges::any_of(whole, [&](const std::string& prefix) { return relative.starts_with(prefix); });
}

}  // namespace

Task<Result<void>> Snapshots::restore_keys(Batch& batch, const Copy& copy, const std::vector<std::string>& keys) {
  for (size_t at = 0; at < keys.size(); at += kSnapshotKeysAtOnce) {
    const std::span<const std::string> some =
        std::span(keys).subspan(at, std::min(kSnapshotKeysAtOnce, keys.size() - at));
    std::vector<Key> copies;
    for (const std::string& key : some) copies.push_back(Key{copy.row(std::string_view(key).substr(rows_.size()))});
    auto read = co_await store_.read(copies);
    PARTITA_CO_TRY(auto records, std::move(read));
    for (size_t i = 0; i < some.size(); ++i) {
      if (stays(std::string_view(some[i]).substr(rows_.size()))) continue;
      if (records[i]) {
        batch.put(own_key(some[i]), std::move(records[i]->value));
      } else {
        batch.erase(own_key(some[i]));
      }
      PARTITA_CO_TRY_VOID(co_await batch.relieve());
    }
  }
  co_return Result<void>();
}

// Both are in the same order.
Task<Result<void>> Snapshots::restore_all(Batch& batch, const Copy& copy) {
  const std::string prefix = copy.row({});
  RangeCursor now(store_, own_rows());
  RangeCursor then(store_, storage::range_of(prefix));
  PARTITA_CO_TRY(bool more_now, co_await now.next());
  PARTITA_CO_TRY(bool more_then, co_await then.next());
  while (more_now || more_then) {
    const std::string_view key_now = more_now ? now.row().key.substr(rows_.size()) : std::string_view();
    const std::string_view key_then = more_then ? then.row().key.substr(prefix.size()) : std::string_view();
    const bool take_now = more_now && (!more_then || key_now <= key_then);
    const bool take_then = more_then && (!more_now || key_then <= key_now);
    const std::string_view key = take_now ? key_now : key_then;
    if (!take_then) {
      if (!stays(key)) batch.erase(own_key(rows_ + std::string(key)));
    } else if (!stays(key) && (!take_now || now.row().value != then.row().value)) {
      batch.put(own_key(rows_ + std::string(key)), std::string(then.row().value));
    }
    PARTITA_CO_TRY_VOID(co_await batch.relieve());
    if (take_now) {
      PARTITA_CO_TRY(more_now, co_await now.next());
    }
    if (take_then) {
      PARTITA_CO_TRY(more_then, co_await then.next());
    }
  }
  co_return Result<void>();
}

// A log only grows at its end, and is cut at its beginning.
Task<Result<bool>> Snapshots::is_log_same(const Copy& copy, const std::string& topic) {
  const std::vector<Key> keys{Key{copy.topic(std::string_view(topic).substr(topics_.size()))}};
  auto read = co_await store_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  PARTITA_CO_TRY(const Ends now, co_await ends_of(store_, topic));
  if (!records[0]) co_return now == Ends();
  co_return records[0]->value == position_bytes(now.end) + position_bytes(now.first);
}

Task<Result<void>> Snapshots::restore_log(const Copy& copy, const std::string& topic) {
  const std::string_view named = std::string_view(topic).substr(topics_.size());
  const std::vector<Key> keys{Key{copy.topic(named)}};
  auto read = co_await store_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  PARTITA_CO_TRY_VOID(co_await store_.forget_log(topic));
  if (!records[0]) co_return Result<void>();
  std::string_view value = records[0]->value;
  const std::optional<Position> end = take_position(value);
  if (!end) co_return damaged();
  const std::string prefix = copy.entries(named);
  Range range = storage::range_of(prefix);
  for (bool more = true; more;) {
    auto scanned = co_await store_.scan(range, storage::Direction::kAscending, kEntriesAtOnce, kEntryBytesAtOnce);
    PARTITA_CO_TRY(const storage::Page page, std::move(scanned));
    more = storage::advance(range, page);
    std::vector<storage::LogEntry> entries;
    for (size_t i = 0; i < page.size(); ++i) {
      std::string_view place = page[i].key.substr(prefix.size());
      const std::optional<Position> position = take_position(place);
      if (!position) co_return damaged();
      entries.push_back({*position, std::string(page[i].value)});
    }
    const Position upto = more ? entries.back().position : *end;
    PARTITA_CO_TRY_VOID(co_await store_.restore_log(topic, std::move(entries), upto));
  }
  co_return Result<void>();
}

Task<Result<void>> Snapshots::remove(std::string name) {
  const auto found = snapshots_.find(name);
  if (found == snapshots_.end()) co_return not_found(name);
  PARTITA_CO_TRY_VOID(co_await erase_copy(name));
  snapshots_.erase(found);
  rebuild();
  co_return Result<void>();
}

}  // namespace partita::table
