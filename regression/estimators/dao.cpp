// Dao et al., "A performance model for GPUs with caches", IEEE TPDS 26(7), 2015, as far as it learns by a random
// forest (Breiman, "Random forests", Machine Learning 45, 2001): trees over bootstrap samples, each split the
// best of some features drawn at random. A forest says what the runs most like the question took: it knows
// nothing beyond what was seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kTrees = 32;
constexpr std::size_t kMostGroups = 400;  // that the trees are grown from
constexpr std::size_t kLeaf = 2;          // groups that are not split any more
constexpr std::size_t kDrawn = 3;         // features of which the best splits
constexpr int kDepth = 12;

// Samples per device, devices, and the facts, each as the mean of what its runs took: so their order tells.
constexpr std::array<unsigned, 6> kFacts = {kNetwork, kPhase, kDevice, kHost, kFramework, kSettings};
using Features = std::array<double, 2 + kFacts.size()>;

struct Row {
  Features x{};
  double y = 0;
};

class Tree {
 public:
  Tree(const std::vector<Row>& rows, std::vector<std::size_t> of, std::mt19937& random) {
    grow(rows, std::move(of), random, 0);
  }

  double at(const Features& x) const {
    std::size_t i = 0;
    while (nodes_[i].right != 0) i = x[nodes_[i].feature] < nodes_[i].below ? i + 1 : nodes_[i].right;
    return nodes_[i].mean;
  }

 private:
  struct Node {
    double mean = 0, below = 0;
    std::size_t feature = 0, right = 0;  // 0: a leaf; the left one follows its parent
  };

  void grow(const std::vector<Row>& rows, std::vector<std::size_t> of, std::mt19937& random, int depth) {
    const std::size_t me = nodes_.size();
    double sum = 0;
    for (const std::size_t i : of) sum += rows[i].y;
    nodes_.push_back({sum / static_cast<double>(of.size())});
    if (of.size() < 2 * kLeaf || depth >= kDepth) return;
    std::array<std::size_t, Features{}.size()> features{};
    std::iota(features.begin(), features.end(), std::size_t{0});
    std::ranges::shuffle(features, random);
    double best = -1, below = 0;
    std::size_t feature = 0;
    std::size_t drawn = 0;  // that differ among these groups
    for (const std::size_t by : features) {
      if (drawn == kDrawn) break;
      std::ranges::sort(of, {}, [&](std::size_t i) { return rows[i].x[by]; });
      if (rows[of.front()].x[by] < rows[of.back()].x[by]) ++drawn;
      double left = 0;
      for (std::size_t i = 1; i < of.size(); ++i) {
        left += rows[of[i - 1]].y;
        const double here = rows[of[i]].x[by], before = rows[of[i - 1]].x[by];
        if (i < kLeaf || of.size() - i < kLeaf || !(here > before)) continue;
        const auto n = static_cast<double>(i), m = static_cast<double>(of.size() - i);
        const double gain =
            std::pow(left / n - (sum - left) / m, 2) * n * m;  // of variance, but for a factor
        if (gain > best) best = gain, below = (here + before) / 2, feature = by;
      }
    }
    if (!(best > 0)) return;
    std::vector<std::size_t> lower, upper;
    for (const std::size_t i : of) (rows[i].x[feature] < below ? lower : upper).push_back(i);
    nodes_[me].feature = feature;
    nodes_[me].below = below;
    grow(rows, std::move(lower), random, depth + 1);
    nodes_[me].right = nodes_.size();
    grow(rows, std::move(upper), random, depth + 1);
  }

  std::vector<Node> nodes_;
};

class Forest final : public Fitted {
 public:
  explicit Forest(const History& history) {
    const std::vector<ReplicateGroup> all = replicate_groups(history);
    std::vector<ReplicateGroup> groups;
    for (std::size_t i = 0; i < all.size(); i += all.size() / kMostGroups + 1) groups.push_back(all[i]);
    std::map<std::string, std::pair<double, int>> sums;
    for (const ReplicateGroup& group : groups)
      for (const unsigned fact : kFacts) {
        auto& [sum, n] = sums[std::to_string(fact) + key_of(*group.what, fact)];
        sum += group.log_value, ++n;
      }
    for (const auto& [key, sum] : sums) means_[key] = sum.first / sum.second;
    std::vector<Row> rows;
    for (const ReplicateGroup& group : groups) {
      rows.push_back({*features_of(*group.what), group.log_value});
      rests_on_.runs += group.runs;
    }
    grow(rows);
  }

  bool empty() const { return trees_.empty(); }

  Reply predict(const Case& what) const override {
    if (!what.has_samples()) return abstain("the batch size is not known");
    const auto x = features_of(what);
    if (!x) return abstain("a forest knows nothing beyond what it has seen");
    double sum = 0;
    for (const Tree& tree : trees_) sum += tree.at(*x);
    return {Estimate{sum / static_cast<double>(trees_.size()), 0, rests_on_}, {}};
  }

 private:
  // nullopt: it has a fact that no run had.
  std::optional<Features> features_of(const Case& what) const {
    Features out{std::log(what.samples_per_device()), std::log(what.devices)};
    for (std::size_t i = 0; i < kFacts.size(); ++i) {
      const auto found = means_.find(std::to_string(kFacts[i]) + key_of(what, kFacts[i]));
      if (found == means_.end()) return std::nullopt;
      out[2 + i] = found->second;
    }
    return out;
  }

  void grow(const std::vector<Row>& rows) {
    if (rows.size() < 2 * kLeaf) return;
    std::mt19937 random(1);
    for (std::size_t t = 0; t < kTrees; ++t) {
      std::vector<std::size_t> of(rows.size());
      for (std::size_t& i : of) i = random() % rows.size();
      trees_.emplace_back(rows, std::move(of), random);
    }
  }

  std::map<std::string, double> means_;
  std::vector<Tree> trees_;
  RestsOn rests_on_{0, 1, 1};
};

}  // namespace

Estimator dao() {
  return {"dao", "random forest: Dao et al., IEEE TPDS 2015; Breiman 2001",
          [](const History& history) -> std::optional<std::string> {
            if (replicate_groups(history).size() >= 2 * kLeaf) return std::nullopt;
            return "runs at " + std::to_string(2 * kLeaf) + " different points";
          },
          [](const History& history, Target) -> std::unique_ptr<const Fitted> {
            auto forest = std::make_unique<Forest>(history);
            if (forest->empty()) return nullptr;
            return forest;
          }};
}

}  // namespace etad::estimators
