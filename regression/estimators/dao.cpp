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

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kTrees = 32;
constexpr std::size_t kMostRows = 400;  // that the trees are grown from
constexpr std::size_t kLeaf = 2;        // runs that are not split any more
constexpr std::size_t kDrawn = 3;       // features of which the best splits
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
    std::size_t drawn = 0;  // that differ among these runs
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
  explicit Forest(Runs& runs) {
    Runs heard;
    for (std::size_t i = 0; i < runs.size(); i += runs.size() / kMostRows + 1) heard.push_back(runs[i]);
    runs = std::move(heard);
    std::map<std::string, std::pair<double, int>> sums;
    for (const Datum* run : runs)
      for (const unsigned fact : kFacts) {
        auto& [sum, n] = sums[marked(fact, run->what)];
        sum += std::log(run->value), ++n;
      }
    for (const auto& [key, sum] : sums) means_[key] = sum.first / sum.second;
    std::vector<Row> rows;
    for (const Datum* run : runs) rows.push_back({features_of(run->what).value(), std::log(run->value)});
    std::mt19937 random(1);
    for (std::size_t t = 0; t < kTrees; ++t) {
      std::vector<std::size_t> of(rows.size());
      for (std::size_t& i : of) i = random() % rows.size();
      trees_.emplace_back(rows, std::move(of), random);
    }
  }

  Reply predict(const Case& what) const override {
    const auto x = features_of(what);
    if (!x) return abstain("a forest knows nothing beyond what it has seen");
    double sum = 0;
    for (const Tree& tree : trees_) sum += tree.at(*x);
    return {Estimate{sum / static_cast<double>(trees_.size())}, {}};
  }

 private:
  static std::string marked(unsigned fact, const Case& what) {
    return std::to_string(fact) + " " + key_of(what, fact);
  }

  // nullopt: it has a fact that no run had.
  std::optional<Features> features_of(const Case& what) const {
    Features out{std::log(what.samples_per_device()), std::log(what.devices)};
    for (std::size_t i = 0; i < kFacts.size(); ++i) {
      const auto found = means_.find(marked(kFacts[i], what));
      if (found == means_.end()) return std::nullopt;
      out[2 + i] = found->second;
    }
    return out;
  }

  std::map<std::string, double> means_;
  std::vector<Tree> trees_;
};

}  // namespace

Estimator dao() {
  return grouped({.name = "dao",
                  .source = "random forest: Dao et al., IEEE TPDS 2015; Breiman 2001",
                  .group = [](const Case&) { return std::string(); },  // one forest over all
                  .enough = [](const Runs& runs) { return different(runs, kAllFacts) >= 2 * kLeaf; },
                  .missing = "runs at " + std::to_string(2 * kLeaf) + " different points",
                  .fit = [](Runs& runs) { return std::make_unique<Forest>(runs); }});
}

}  // namespace etad::estimators
