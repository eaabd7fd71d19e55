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
#include <span>

#include "regression/estimators/grouped.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kTrees = 32;
constexpr std::size_t kMostRows = 400;  // that the trees are grown from
constexpr std::size_t kLeaf = 2;        // runs that are not split any more
constexpr std::size_t kDrawn = 3;       // features of which the best splits

// Samples per device, devices, and the facts, each as the mean of what its runs took: so their order tells.
constexpr std::array<unsigned, 6> kFacts = {kNetwork, kPhase, kDevice, kHost, kFramework, kSettings};
using Features = std::array<double, 2 + kFacts.size()>;

struct Row {
  Features x{};
  double y = 0;
};

class Tree {
 public:
  Tree(std::vector<Row> rows, std::mt19937& random) { grow(rows, random); }

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

  void grow(std::span<Row> rows, std::mt19937& random) {
    const std::size_t me = nodes_.size();
    double sum = 0;
    for (const Row& row : rows) sum += row.y;
    nodes_.push_back({sum / static_cast<double>(rows.size())});
    if (rows.size() < 2 * kLeaf) return;
    std::array<std::size_t, Features{}.size()> features{};
    std::iota(features.begin(), features.end(), std::size_t{0});
    std::ranges::shuffle(features, random);
    double best = 0, below = 0;
    std::size_t feature = 0, drawn = 0;  // those drawn differ among these runs
    for (const std::size_t by : features) {
      if (drawn == kDrawn) break;
      std::ranges::sort(rows, {}, [by](const Row& row) { return row.x[by]; });
      if (rows.front().x[by] < rows.back().x[by]) ++drawn;
      double left = 0;
      for (std::size_t i = 1; i < rows.size(); ++i) {
        left += rows[i - 1].y;
        const double here = rows[i].x[by], before = rows[i - 1].x[by];
        if (i < kLeaf || rows.size() - i < kLeaf || !(here > before)) continue;
        const auto n = static_cast<double>(i), m = static_cast<double>(rows.size() - i);
        const double gain =
            std::pow(left / n - (sum - left) / m, 2) * n * m;  // of variance, but for a factor
        // Between neighbouring numbers there is no middle, and rounded down it would split nothing off.
        if (gain > best)
          best = gain, below = std::max((here + before) / 2, std::nextafter(before, here)), feature = by;
      }
    }
    if (!(best > 0)) return;
    const auto upper =
        std::partition(rows.begin(), rows.end(), [&](const Row& row) { return row.x[feature] < below; });
    const auto lower = static_cast<std::size_t>(upper - rows.begin());
    nodes_[me].feature = feature;
    nodes_[me].below = below;
    grow(rows.first(lower), random);
    nodes_[me].right = nodes_.size();
    grow(rows.subspan(lower), random);
  }

  std::vector<Node> nodes_;
};

class Forest {
 public:
  explicit Forest(Runs& runs) {
    Runs heard;
    for (std::size_t i = 0; i < runs.size(); i += runs.size() / kMostRows + 1) heard.push_back(runs[i]);
    runs = std::move(heard);
    for (const Datum* run : runs)
      for (const unsigned fact : kFacts) {
        auto& [sum, n] = sums_[{fact, key_of(run->what, fact)}];
        sum += std::log(run->value), ++n;
      }
    std::vector<Row> rows;
    for (const Datum* run : runs) rows.push_back({features_of(run->what).value(), std::log(run->value)});
    std::mt19937 random(1);
    while (trees_.size() < kTrees) {
      std::vector<Row> sample(rows.size());
      for (Row& row : sample) row = rows[random() % rows.size()];
      trees_.emplace_back(std::move(sample), random);
    }
  }

  Reply operator()(const Case& what) const {
    const auto x = features_of(what);
    if (!x) return abstain("a forest knows nothing beyond what it has seen");
    double sum = 0;
    for (const Tree& tree : trees_) sum += tree.at(*x);
    return {Estimate{sum / kTrees}, {}};
  }

 private:
  // nullopt: it has a fact that no run had.
  std::optional<Features> features_of(const Case& what) const {
    Features out{std::log(what.samples_per_device()), std::log(what.devices)};
    for (std::size_t i = 0; i < kFacts.size(); ++i) {
      const auto found = sums_.find({kFacts[i], key_of(what, kFacts[i])});
      if (found == sums_.end()) return std::nullopt;
      out[2 + i] = found->second.first / found->second.second;
    }
    return out;
  }

  std::map<std::pair<unsigned, std::string>, std::pair<double, int>> sums_;  // of what runs with a fact took
  std::vector<Tree> trees_;
};

}  // namespace

Estimator dao() {
  return grouped({.name = "dao",
                  .source = "random forest: Dao et al., IEEE TPDS 2015; Breiman 2001",
                  .group = [](const Case&) { return std::string(); },  // one forest over all
                  .can_fit = [](const Runs& runs) { return different(runs, kAllFacts) >= 2 * kLeaf; },
                  .missing = "runs at " + std::to_string(2 * kLeaf) + " different points",
                  .fit = [](Runs& runs) { return Forest(runs); }});
}

}  // namespace etad::estimators
