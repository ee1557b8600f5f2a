// Which two paths of a statement DynamoDB names when several clash: it hangs them into a tree and walks that, the
// newest branch first, each branch before its neighbours are compared (observed; see the tests).
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "expr/parser.h"

namespace partita::expr {
namespace {

using model::Fault;

struct Clash {
  size_t one;
  size_t two;
  bool overlap;
};

class PathNode {
 public:
  // Hangs the path with that number below this node.
  void add(const Path& path, size_t number) {
    PathNode* node = child(PathStep(path.attribute), number);
    for (const PathStep& step : path.steps) node = node->child(step, number);
    node->ends_.push_back(number);
  }

  // Precondition: the tree is at most kMaxPathLevels deep.
  std::optional<Clash> find_clash() const {
    const std::vector<Branch> branches = newest_first();
    for (const Branch& branch : branches) {
      if (branch.below != nullptr) {
        if (auto clash = branch.below->find_clash()) return clash;
      }
      if (!clashes_here()) continue;
      for (const Branch& other : branches) {
        if (&other == &branch) continue;
        if (auto clash = compare(branch, other)) return clash;
      }
    }
    return std::nullopt;
  }

 private:
  // What hangs on a node: another node, or the end of a path.
  struct Branch {
    size_t number;  // of the first path that made it
    const PathStep* step = nullptr;
    const PathNode* below = nullptr;  // null for the end of a path
  };

  PathNode* child(const PathStep& step, size_t number) {
    auto [entry, added] = below_.try_emplace(step);
    if (added) entry->second = std::make_unique<PathNode>();
    if (added) entry->second->born_ = number;
    return entry->second.get();
  }

  std::vector<Branch> newest_first() const {
    std::vector<Branch> branches;
    for (const auto& [step, node] : below_) branches.push_back({node->born_, &step, node.get()});
    for (const size_t end : ends_) branches.push_back({end});
    std::ranges::stable_sort(branches, std::ranges::greater(), &Branch::number);
    return branches;
  }

  bool clashes_here() const {
    if (!ends_.empty()) return ends_.size() + below_.size() > 1;
    // Names sort before positions.
    return !below_.empty() && below_.begin()->first.index() != below_.rbegin()->first.index();
  }

  // The path in which the newest branches end.
  static size_t last_path(const Branch& branch) {
    Branch at = branch;
    while (at.below != nullptr) at = at.below->newest_first().front();
    return at.number;
  }

  static std::optional<Clash> compare(const Branch& a, const Branch& b) {
    const bool overlap = a.below == nullptr || b.below == nullptr;
    if (!overlap && a.step->index() == b.step->index()) return std::nullopt;
    const auto [one, two] = std::minmax({last_path(a), last_path(b)});
    return Clash{one, two, overlap};
  }

  std::map<PathStep, std::unique_ptr<PathNode>> below_;
  std::vector<size_t> ends_;
  size_t born_ = 0;
};

}  // namespace

Result<void> check_apart(const std::vector<const Path*>& paths, ExpressionKind kind) {
  if (paths.size() < 2) return {};
  PathNode root;
  for (size_t i = 0; i < paths.size(); ++i) {
    PARTITA_CHECK(paths[i]->steps.size() < kMaxPathLevels);
    root.add(*paths[i], i);
  }
  const std::optional<Clash> clash = root.find_clash();
  if (!clash) return {};
  const Fault fault = clash->overlap ? Fault::kExpressionPathsOverlap : Fault::kExpressionPathsConflict;
  return model::refuse(
      fault, {std::string(expression_name(kind)), describe(*paths[clash->one]), describe(*paths[clash->two])});
}

}  // namespace partita::expr
