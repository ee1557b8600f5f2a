#include "throttle/hot_keys.h"

#include <algorithm>
#include <utility>

namespace partita::throttle {

void HeavyKeys::place(size_t at, Count count) {
  places_.find(count.key)->second = at;
  heap_[at] = std::move(count);
}

void HeavyKeys::sink(size_t at) {
  Count sinking = std::move(heap_[at]);
  while (true) {
    size_t lighter = 2 * at + 1;
    if (lighter >= heap_.size()) break;
    if (lighter + 1 < heap_.size() && heap_[lighter + 1].weight < heap_[lighter].weight) ++lighter;
    if (heap_[lighter].weight >= sinking.weight) break;
    place(at, std::move(heap_[lighter]));
    at = lighter;
  }
  place(at, std::move(sinking));
}

void HeavyKeys::rise(size_t at) {
  Count rising = std::move(heap_[at]);
  while (at > 0 && heap_[(at - 1) / 2].weight > rising.weight) {
    place(at, std::move(heap_[(at - 1) / 2]));
    at = (at - 1) / 2;
  }
  place(at, std::move(rising));
}

void HeavyKeys::add(std::string_view key, uint64_t weight) {
  total_ += weight;
  if (const auto found = places_.find(key); found != places_.end()) {
    heap_[found->second].weight += weight;
    sink(found->second);
  } else if (heap_.size() < most_) {
    places_.emplace(key, heap_.size());
    heap_.push_back({std::string(key), weight, 0});
    rise(heap_.size() - 1);
  } else {
    Count& lightest = heap_.front();
    places_.erase(lightest.key);
    places_.emplace(key, 0);
    lightest.key = key;
    lightest.error = lightest.weight;
    lightest.weight += weight;
    sink(0);
  }
}

void HeavyKeys::clear() {
  total_ = 0;
  heap_.clear();
  places_.clear();
}

const HeavyKeys::Count* HeavyKeys::find(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &heap_[found->second];
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
    const HeavyKeys::Count* const before = before_.find(count.key);
    count.weight += before != nullptr ? before->weight : before_.least();
    count.error += before != nullptr ? before->error : before_.least();
  }
  for (const HeavyKeys::Count& before : before_.counts()) {
    if (current_.find(before.key) != nullptr) continue;
    top.keys.push_back({before.key, before.weight + current_.least(), before.error + current_.least()});
  }
  std::ranges::sort(top.keys, [](const HeavyKeys::Count& one, const HeavyKeys::Count& other) {
    return one.weight != other.weight ? one.weight > other.weight : one.key < other.key;
  });
  if (top.keys.size() > most) top.keys.resize(most);
  return top;
}

}  // namespace partita::throttle
