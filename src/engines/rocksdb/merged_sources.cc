#include "engines/rocksdb/merged_sources.h"

#include <algorithm>
#include <utility>

#include "engines/rocksdb/store.h"

namespace partita::rocks {

void MergedSources::advance(Source& source) {
  const bool was_first = !std::exchange(source.begun, true);
  if (!was_first) source.last.assign(source.entries->key());
  source.valid = source.entries->next();
  source.gapped = source.entries->behind_gap();
  if (!source.gapped) return;
  LostKeys lost;
  lost.after = was_first ? std::string(source.entries->smallest()) : source.last;
  lost.before = source.valid ? std::string(source.entries->key()) : std::string(source.entries->largest());
  lost_.push_back(std::move(lost));
}

void MergedSources::take(const Source& source, NewestEntry& best) const {
  const EntrySource& entry = *source.entries;
  if (best.source != nullptr) {
    const bool both = by_version_ && entry.type() == EntryType::kPut && best.type == EntryType::kPut &&
                      entry.value().size() >= kVersionBytes && best.value.size() >= kVersionBytes;
    const bool newer = both ? version_of(entry.value()) > version_of(best.value) : entry.sequence() > best.sequence;
    if (!newer) return;
  }
  best = {entry.sequence(), entry.type(), std::string(entry.value()), &source};
}

bool MergedSources::is_erased(std::string_view key, uint64_t sequence) {
  for (; next_erased_ < erased_.size() && erased_[next_erased_].begin <= key; ++next_erased_) {
    open_.push_back(next_erased_);
  }
  std::erase_if(open_, [&](size_t at) { return erased_[at].end <= key; });
  return std::ranges::any_of(open_, [&](size_t at) { return erased_[at].sequence > sequence; });
}

// Whether the unreadable part of another table may hold a newer entry of the key.
bool MergedSources::may_be_older(std::string_view key, const NewestEntry& best) const {
  if (best.source->entries->is_newest()) return false;
  return std::ranges::any_of(sources_, [&](const Source& source) {
    if (!source.gapped || &source == best.source) return false;
    EntrySource& table = *source.entries;
    const std::string_view after = source.last.empty() ? table.smallest() : source.last;
    const std::string_view before = source.valid ? table.key() : table.largest();
    if (key < after || (!before.empty() && before < key)) return false;
    const bool below = best.source->entries->level() >= 0 && table.level() > best.source->entries->level();
    return !below && best.sequence < table.largest_sequence() && table.may_hold(key);
  });
}

Result<void> MergedSources::run(Put put, LeaveOut leave_out) {
  std::ranges::sort(erased_, {}, &ErasedRange::begin);
  const auto later = [this](size_t a, size_t b) { return sources_[a].entries->key() > sources_[b].entries->key(); };
  std::vector<size_t> heap;
  for (size_t i = 0; i < sources_.size(); ++i) {
    advance(sources_[i]);
    if (sources_[i].valid) heap.push_back(i);
  }
  std::ranges::make_heap(heap, later);
  std::vector<size_t> same;
  while (!heap.empty()) {
    const std::string key(sources_[heap.front()].entries->key());
    NewestEntry best;
    same.clear();
    while (!heap.empty() && sources_[heap.front()].entries->key() == key) {
      std::ranges::pop_heap(heap, later);
      same.push_back(heap.back());
      heap.pop_back();
      take(sources_[same.back()], best);
    }
    // A gap ends at the entry behind it, so it is asked about before anybody moves on.
    const bool doubtful = may_be_older(key, best);
    const bool gone = best.type != EntryType::kPut || is_erased(key, best.sequence);
    for (const size_t i : same) {
      Source& source = sources_[i];
      do {
        advance(source);
      } while (source.valid && source.entries->key() == key);
      if (!source.valid) continue;
      heap.push_back(i);
      std::ranges::push_heap(heap, later);
    }
    if (gone) continue;
    if (doubtful) {
      leave_out(key);
    } else {
      PARTITA_TRY_VOID(put(key, best.value));
    }
  }
  return {};
}

}  // namespace partita::rocks
