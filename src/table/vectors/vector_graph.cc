#include "table/vectors/vector_graph.h"

#define NO_MANUAL_VECTORIZATION  // what it prefetches it reads behind the end of its lists
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_distance.h"

namespace partita::table {

namespace {

constexpr size_t kLinks = 16;        // of a row on its own layer twice as many
constexpr size_t kWidthOfPut = 128;  // rows looked at for those of a new one
constexpr size_t kLeastWidth = 64;
// A walk of that share of all places takes as long as a look at each of them.
constexpr size_t kWidestShare = 32;
// What good_width() wants of the nearest of so many rows.
constexpr size_t kSamples = 32;
constexpr size_t kNearest = 10;
constexpr double kGoodRecall = 0.99;
constexpr size_t kLeastRoom = 16;

struct Measure {
  size_t dimensions = 0;
};

float product_apart(const void* a, const void* b, const void* measure) {
  const size_t dimensions = static_cast<const Measure*>(measure)->dimensions;
  return -rough_product(static_cast<const float*>(a), static_cast<const float*>(b), dimensions);
}

float square_apart(const void* a, const void* b, const void* measure) {
  const size_t dimensions = static_cast<const Measure*>(measure)->dimensions;
  return rough_square_apart(static_cast<const float*>(a), static_cast<const float*>(b), dimensions);
}

class Space final : public hnswlib::SpaceInterface<float> {
 public:
  Space(api::Distance distance, size_t dimensions) : distance_(distance), measure_{dimensions} {}
  size_t get_data_size() override { return measure_.dimensions * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return distance_ == api::Distance::kEuclidean ? square_apart : product_apart;
  }
  void* get_dist_func_param() override { return &measure_; }

 private:
  api::Distance distance_;
  Measure measure_;
};

Error failed(const std::exception& failure) {
  return Error(ErrorKind::kUnavailable, std::string("a graph of vectors: ") + failure.what());
}

}  // namespace

struct VectorGraph::Parts {
  struct RowEntry;
  using Row = std::pair<const std::string, RowEntry>;  // by its key
  // Where a row is, and who has the same vector.
  struct RowEntry {
    size_t place = 0;
    Row* behind = nullptr;
    Row* before = nullptr;
  };
  using Rows = std::unordered_map<std::string, RowEntry>;

  Parts(api::Distance asked, size_t dimensions, size_t room)
      : distance(asked), space(asked, dimensions), graph(&space, room, kLinks, kWidthOfPut) {}

  // As the graph has it: for the cosine only the direction counts.
  Result<std::vector<float>> turned(std::span<const float> vector) const {
    // Four times as much is still a float: the square of the distance of two such vectors.
    constexpr double kLongest = std::numeric_limits<float>::max() / 4;
    double square = 0;
    for (const float one : vector) square += static_cast<double>(one) * one;
    std::vector<float> made(vector.begin(), vector.end());
    if (distance != api::Distance::kCosine) {
      if (square > kLongest) return Error(ErrorKind::kTooLarge, "a vector is too long for a graph");
    } else if (square > 0) {
      const double length = std::sqrt(square);
      for (float& one : made) one = static_cast<float>(one / length);
    }
    return made;
  }

  // The place that holds this vector, whether a row has it or not.
  std::optional<size_t> find(const std::vector<float>& vector) const {
    const auto [begin, end] = by_vector.equal_range(hash_of(vector));
    for (auto at = begin; at != end; ++at) {
      if (std::memcmp(vector_of(at->second), vector.data(), vector.size() * sizeof(float)) == 0) return at->second;
    }
    return std::nullopt;
  }

  static size_t hash_of(const std::vector<float>& vector) {
    const auto* bytes = reinterpret_cast<const char*>(vector.data());
    return std::hash<std::string_view>()({bytes, vector.size() * sizeof(float)});
  }

  const float* vector_of(size_t place) const {
    return reinterpret_cast<const float*>(graph.getDataByInternalId(static_cast<hnswlib::tableint>(place)));
  }

  // Places about the nearest, the nearest first: a walk that keeps the best `width`, empty ones among them.
  std::vector<size_t> walk(const float* sought, size_t width) const {
    auto found = graph.searchKnn(sought, width);
    std::vector<size_t> places;
    for (; !found.empty(); found.pop()) places.push_back(found.top().second);
    std::ranges::reverse(places);
    return places;
  }

  // The `count` nearest places that are not empty, the nearest first, by a look at each.
  std::vector<size_t> look(const float* sought, size_t count) const {
    std::vector<std::pair<float, size_t>> best;  // a heap: the farthest in front
    for (size_t place = 0; place < first.size(); ++place) {
      if (first[place] == nullptr) continue;
      const float apart = graph.fstdistfunc_(sought, vector_of(place), graph.dist_func_param_);
      if (best.size() == count && apart >= best.front().first) continue;
      if (best.size() == count) {
        std::ranges::pop_heap(best);
        best.pop_back();
      }
      best.emplace_back(apart, place);
      std::ranges::push_heap(best);
    }
    std::ranges::sort_heap(best);
    std::vector<size_t> places;
    for (const auto& [apart, place] : best) places.push_back(place);
    return places;
  }

  // The share of the nearest rows of `samples` that walks of that width find.
  double recall(const std::map<size_t, std::set<size_t>>& samples, size_t width) const {
    size_t among = 0, all = 0;
    for (const auto& [sample, nearest] : samples) {
      const auto found = walk(vector_of(sample), width);
      const auto end = found.begin() + static_cast<ptrdiff_t>(std::min(found.size(), nearest.size()));
      among += std::count_if(found.begin(), end, [&](size_t place) { return nearest.contains(place); });
      all += nearest.size();
    }
    return all == 0 ? 1 : static_cast<double>(among) / static_cast<double>(all);
  }

  size_t good_width() const {
    const size_t places = first.size();
    const size_t widest = places / kWidestShare;
    std::map<size_t, std::set<size_t>> samples;
    for (size_t i = 0; i < kSamples; ++i) {
      const size_t sample = places * i / kSamples;
      if (places == 0 || first[sample] == nullptr) continue;
      const auto nearest = look(vector_of(sample), kNearest);
      samples[sample].insert(nearest.begin(), nearest.end());
    }
    for (size_t width = kLeastWidth; width <= std::max(widest, kLeastWidth); width *= 2) {
      if (recall(samples, width) >= kGoodRecall) return width;
    }
    return 0;
  }

  void enter_all(size_t place, size_t count, std::vector<std::string>& keys) const {
    for (const Row* row = first[place]; row != nullptr && keys.size() < count; row = row->second.behind) {
      keys.push_back(row->first);
    }
  }

  size_t add(const std::vector<float>& vector) {
    const size_t place = first.size();
    first.push_back(nullptr);
    by_vector.emplace(hash_of(vector), place);
    ++empty;
    graph.addPoint(vector.data(), place);
    return place;
  }

  // Empty places of the upper layers stay unmarked: where all that a layer's walk can reach is marked, hnswlib 0.6
  // takes the last of no neighbours.
  bool is_marked_when_empty(size_t place) const { return graph.element_levels_[place] == 0; }

  void enter(Row& row, size_t place) {
    Row*& head = first[place];
    if (head == nullptr) {
      --empty;
      if (graph.isMarkedDeleted(static_cast<hnswlib::tableint>(place))) graph.unmarkDelete(place);
    }
    row.second = {place, head, nullptr};
    if (head != nullptr) head->second.before = &row;
    head = &row;
  }

  void leave(Row& row) {
    const auto& [place, behind, before] = row.second;
    if (behind != nullptr) behind->second.before = before;
    (before != nullptr ? before->second.behind : first[place]) = behind;
    if (first[place] != nullptr) return;
    ++empty;
    if (is_marked_when_empty(place)) graph.markDelete(place);
  }

  api::Distance distance;
  Space space;
  hnswlib::HierarchicalNSW<float> graph;  // its labels are our places, and so are its own numbers
  Rows rows;
  // Of each place, the first of the rows that have its vector. Equal vectors in places of their own would be linked
  // among themselves alone, and no walk would find its way out, or in.
  std::vector<Row*> first;
  std::unordered_multimap<size_t, size_t> by_vector;  // places by the hash of their vector
  size_t empty = 0;                                   // places
  size_t chosen_width = kLeastWidth;                  // 0: look at each place
};

VectorGraph::VectorGraph(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
VectorGraph::~VectorGraph() = default;

Result<std::unique_ptr<VectorGraph>> VectorGraph::make(api::Distance distance, size_t dimensions, size_t room) {
  try {
    room = std::max(kLeastRoom, room);
    return std::unique_ptr<VectorGraph>(new VectorGraph(std::make_unique<Parts>(distance, dimensions, room)));
  } catch (const std::exception& failure) {
    return failed(failure);
  }
}

Result<void> VectorGraph::put(std::string_view key, std::string_view packed) {
  PARTITA_CHECK(!is_full());
  try {
    PARTITA_TRY(const std::vector<float> vector, parts_->turned(unpacked(packed)));
    const std::optional<size_t> known = parts_->find(vector);
    const auto [row, fresh] = parts_->rows.try_emplace(std::string(key));
    if (!fresh) {
      if (known == row->second.place) return {};
      parts_->leave(*row);
    }
    parts_->enter(*row, known ? *known : parts_->add(vector));
    return {};
  } catch (const std::exception& failure) {
    return failed(failure);
  }
}

Result<void> VectorGraph::erase(std::string_view key) {
  try {
    const auto row = parts_->rows.find(std::string(key));
    if (row == parts_->rows.end()) return {};
    parts_->leave(*row);
    parts_->rows.erase(row);
    return {};
  } catch (const std::exception& failure) {
    return failed(failure);
  }
}

Result<std::vector<std::string>> VectorGraph::nearest(std::span<const float> sought, size_t count) const {
  try {
    PARTITA_TRY(const std::vector<float> vector, parts_->turned(sought));
    std::vector<std::string> keys;
    if (parts_->chosen_width == 0) {
      for (const size_t place : parts_->look(vector.data(), count)) parts_->enter_all(place, count, keys);
      return keys;
    }
    // More only where what was found is empty.
    for (size_t width = std::max(count, parts_->chosen_width);; width *= 4) {
      const std::vector<size_t> places = parts_->walk(vector.data(), width);
      keys.clear();
      for (const size_t place : places) parts_->enter_all(place, count, keys);
      if (places.size() < width || keys.size() >= std::min(count, size())) return keys;
    }
  } catch (const std::exception& failure) {
    return failed(failure);
  }
}

size_t VectorGraph::size() const { return parts_->rows.size(); }
size_t VectorGraph::empty() const { return parts_->empty; }
size_t VectorGraph::room() const { return parts_->graph.max_elements_; }
bool VectorGraph::is_full() const { return parts_->first.size() == room(); }

size_t VectorGraph::good_width() const {
  try {
    return parts_->good_width();
  } catch (const std::exception&) {
    return 0;
  }
}

void VectorGraph::use_width(size_t width) { parts_->chosen_width = width; }

Result<void> VectorGraph::grow() {
  auto& graph = parts_->graph;
  // It deletes its lists before it makes others, and would do so again at its end if it cannot make them.
  auto* const lists = std::exchange(graph.visited_list_pool_, nullptr);
  try {
    graph.resizeIndex(2 * room());
    delete lists;
    return {};
  } catch (const std::exception& failure) {
    if (graph.visited_list_pool_ == nullptr) {
      graph.visited_list_pool_ = lists;
    } else {
      delete lists;
    }
    return failed(failure);
  }
}

size_t VectorGraph::memory_of(size_t room, size_t dimensions, size_t key_bytes) {
  // Links of its own layer and of others, a lock, and entries of five tables.
  constexpr size_t kBeside = 2 * kLinks * sizeof(hnswlib::tableint) + 280;
  return room * (dimensions * sizeof(float) + key_bytes + kBeside);
}

}  // namespace partita::table
