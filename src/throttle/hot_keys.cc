#include "throttle/hot_keys.h"

#include <algorithm>
#include <utility>

namespace partita::throttle {

void HeavyKeys::place(size_t at, Places::iterator counted) {
  counted->second.at = at;
  heap_[at] = counted;
}

void HeavyKeys::sink(size_t at) {
  const Places::iterator sinking = heap_[at];
  while (true) {
    size_t lighter = 2 * at + 1;
    if (lighter >= heap_.size()) break;
    if (lighter + 1 < heap_.size() && heap_[lighter + 1]->second.weight < heap_[lighter]->second.weight) ++lighter;
    if (heap_[lighter]->second.weight >= sinking->second.weight) break;
    place(at, heap_[lighter]);
    at = lighter;
  }
  place(at, sinking);
}

void HeavyKeys::rise(size_t at) {
  const Places::iterator rising = heap_[at];
  while (at > 0 && heap_[(at - 1) / 2]->second.weight > rising->second.weight) {
    place(at, heap_[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  place(at, rising);
}

void HeavyKeys::add(std::string_view key, uint64_t weight) {
  if (const auto found = places_.find(key); found != places_.end()) {
    found->second.weight += weight;
    sink(found->second.at);
  } else if (heap_.size() < most_) {
    if (heap_.size() == heap_.capacity()) heap_.reserve(std::min(most_, 2 * heap_.size() + 8));
    heap_.push_back(places_.emplace(key, Place{weight, 0, heap_.size()}).first);
    rise(heap_.size() - 1);
  } else {
    spare_.assign(key);
    auto lightest = places_.extract(heap_.front());
    lightest.key().swap(spare_);
    lightest.mapped().error = lightest.mapped().weight;
    lightest.mapped().weight += weight;
    heap_.front() = places_.insert(std::move(lightest)).position;
    sink(0);
  }
  total_ += weight;
}

void HeavyKeys::clear() {
  total_ = 0;
  heap_.clear();
  places_.clear();
}

std::vector<HeavyKeys::Count> HeavyKeys::counts() const {
  std::vector<Count> counts;
  counts.reserve(heap_.size());
  for (const auto& counted : heap_) {
    counts.push_back({counted->first, counted->second.weight, counted->second.error});
  }
  return counts;
}

std::optional<HeavyKeys::Count> HeavyKeys::find(std::string_view key) const {
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  return Count{found->first, found->second.weight, found->second.error};
}

void HotKeys::turn(int64_t now_ns) {
  if (now_ns - half_began_ns_ < kHalfWindowNs) return;
  const bool missed = now_ns - half_began_ns_ >= 2 * kHalfWindowNs;  // nothing came for so long
  std::swap(before_, current_);
  current_.clear();
  if (missed) before_.clear();
  began_ns_ = missed ? now_ns - kHalfWindowNs : half_began_ns_;
  half_began_ns_ = now_ns;
}

bool HotKeys::add(std::string_view key, uint64_t weight, int64_t now_ns) {
  const MutexLock lock(mutex_);
  if (now_ns - asked_ns_ >= kKeptUpNs) return false;
  turn(now_ns);
  current_.add(key, weight);
  return true;
}

HotKeys::Top HotKeys::top(size_t most, int64_t now_ns) {
  const MutexLock lock(mutex_);
  asked_ns_ = now_ns;
  turn(now_ns);
  Top top{now_ns - began_ns_, current_.total() + before_.total(), current_.counts()};
  for (HeavyKeys::Count& count : top.keys) {
    const std::optional<HeavyKeys::Count> before = before_.find(count.key);
    count.weight += before ? before->weight : before_.least();
    count.error += before ? before->error : before_.least();
  }
  for (const HeavyKeys::Count& before : before_.counts()) {
    if (current_.find(before.key)) continue;
    top.keys.push_back({before.key, before.weight + current_.least(), before.error + current_.least()});
  }
  std::ranges::sort(top.keys, [](const HeavyKeys::Count& one, const HeavyKeys::Count& other) {
    return one.weight != other.weight ? one.weight > other.weight : one.key < other.key;
  });
  if (top.keys.size() > most) top.keys.resize(most);
  return top;
}

}  // namespace partita::throttle
