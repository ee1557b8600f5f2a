#include "table/vector_graph.h"

#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

#include "table/vector_distance.h"
#include "table/vectors.h"

namespace partita::table {

namespace {

// Chosen by measure, see docs/decisions/013: links of a row, rows looked at when one is added, and when one is sought.
constexpr size_t kLinks = 16;
constexpr size_t kWidthOfPut = 128;
constexpr size_t kWidthOfSearch = 256;
constexpr size_t kLeastRoom = 1024;

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
  Space(Distance distance, size_t dimensions) : distance_(distance), measure_{dimensions} {}
  size_t get_data_size() override { return measure_.dimensions * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override {
    return distance_ == Distance::kEuclidean ? square_apart : product_apart;
  }
  void* get_dist_func_param() override { return &measure_; }

 private:
  Distance distance_;
  Measure measure_;
};

Error no_memory(const std::exception& failure) {
  return Error(ErrorKind::kUnavailable, std::string("a graph of vectors: ") + failure.what());
}

}  // namespace

struct VectorGraph::Parts {
  Parts(Distance asked, size_t dimensions, size_t room)
      : distance(asked), space(asked, dimensions), graph(&space, room, kLinks, kWidthOfPut) {
    graph.setEf(kWidthOfSearch);
  }

  // As the graph has it: for the cosine only the direction counts.
  std::vector<float> turned(std::span<const float> vector) const {
    std::vector<float> made(vector.begin(), vector.end());
    if (distance != Distance::kCosine) return made;
    double square = 0;
    for (const float one : made) square += static_cast<double>(one) * one;
    if (square == 0) return made;
    const double length = std::sqrt(square);
    for (float& one : made) one = static_cast<float>(one / length);
    return made;
  }

  Distance distance;
  Space space;
  hnswlib::HierarchicalNSW<float> graph;
  std::unordered_map<std::string, size_t> numbers;  // of the rows, by key
  std::vector<const std::string*> keys;             // by number; null: erased
};

VectorGraph::VectorGraph(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
VectorGraph::~VectorGraph() = default;

Result<std::unique_ptr<VectorGraph>> VectorGraph::make(Distance distance, size_t dimensions, size_t expected) {
  try {
    const size_t room = std::max(kLeastRoom, expected + expected / 4);
    return std::unique_ptr<VectorGraph>(new VectorGraph(std::make_unique<Parts>(distance, dimensions, room)));
  } catch (const std::exception& failure) {
    return no_memory(failure);
  }
}

Result<void> VectorGraph::put(std::string_view key, std::string_view packed) {
  try {
    const size_t number = parts_->keys.size();
    auto& graph = parts_->graph;
    if (number == graph.max_elements_) graph.resizeIndex(2 * number);
    graph.addPoint(parts_->turned(unpacked(packed)).data(), number);
    parts_->keys.push_back(nullptr);
    const auto [row, fresh] = parts_->numbers.try_emplace(std::string(key), number);
    if (!fresh) {
      graph.markDelete(row->second);
      parts_->keys[row->second] = nullptr;
      row->second = number;
    }
    parts_->keys[number] = &row->first;
    return {};
  } catch (const std::exception& failure) {
    return no_memory(failure);
  }
}

void VectorGraph::erase(std::string_view key) {
  const auto row = parts_->numbers.find(std::string(key));
  if (row == parts_->numbers.end()) return;
  parts_->graph.markDelete(row->second);
  parts_->keys[row->second] = nullptr;
  parts_->numbers.erase(row);
}

Result<std::vector<std::string>> VectorGraph::nearest(std::span<const float> sought, size_t count) const {
  try {
    auto found = parts_->graph.searchKnn(parts_->turned(sought).data(), count);
    std::vector<std::string> keys;
    for (; !found.empty(); found.pop()) {
      if (const std::string* key = parts_->keys[found.top().second]) keys.push_back(*key);
    }
    std::ranges::reverse(keys);
    return keys;
  } catch (const std::exception& failure) {
    return no_memory(failure);
  }
}

size_t VectorGraph::size() const { return parts_->numbers.size(); }
size_t VectorGraph::erased() const { return parts_->keys.size() - parts_->numbers.size(); }

size_t VectorGraph::memory_of(size_t rows, size_t dimensions, size_t key_bytes) {
  constexpr size_t kBeside = 2 * kLinks * sizeof(uint32_t) + 200;  // links, locks, the maps
  const size_t each = dimensions * sizeof(float) + key_bytes + kBeside;
  return (rows + rows / 4) * each;
}

}  // namespace partita::table
