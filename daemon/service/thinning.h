// A sequence of unknown length as at most so many items: neighbours are joined, always equally many, so that
// a run of a million points is a picture's worth of them. One pass, memory bounded by `most`.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "parsers/base/record.h"

namespace etad::service {

// An Item has `void join(const Item& next)`: it then stands for both.
template <class Item>
class Thinning {
 public:
  explicit Thinning(std::size_t most) : most_(most < 2 ? 2 : most) {}

  void add(Item item) {
    if (!items_.empty() && in_last_ < each_) {
      items_.back().join(item);
      ++in_last_;
      return;
    }
    if (items_.size() == most_) {
      halve();
      return add(std::move(item));
    }
    items_.push_back(std::move(item));
    in_last_ = 1;
  }

  const std::vector<Item>& items() const { return items_; }
  std::size_t each() const { return each_; }  // how many of the sequence one item stands for

 private:
  void halve() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items_.size(); i += 2, ++kept) {
      Item joined = std::move(items_[i]);
      if (i + 1 < items_.size()) {
        joined.join(items_[i + 1]);
        in_last_ = 2 * each_;
      } else {
        in_last_ = each_;  // one without a partner: what comes next completes it
      }
      items_[kept] = std::move(joined);
    }
    items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(kept), items_.end());
    each_ *= 2;
  }

  std::size_t most_, each_ = 1;
  std::size_t in_last_ = 0;  // how many the last item stands for
  std::vector<Item> items_;
};

// Segments of one phase: sums, and the range of their step times.
struct ThinnedSegment {
  Segment segment;
  double least = 0, most = 0;  // seconds an iteration

  explicit ThinnedSegment(const Segment& one) : segment(one) {
    least = most = to_seconds(one.duration) / static_cast<double>(one.iterations);
  }
  void join(const ThinnedSegment& next) {
    segment.iterations += next.segment.iterations;
    segment.duration += next.segment.duration;
    if (next.segment.samples_per_iteration != segment.samples_per_iteration)
      segment.samples_per_iteration = 0;
    least = next.least < least ? next.least : least;
    most = next.most > most ? next.most : most;
  }
};

// Points of a training: the last of them, and the mean and range of the losses that are numbers.
struct ThinnedPoint {
  ProgressPoint point;
  double least = 0, most = 0, sum = 0;
  std::size_t losses = 0;

  explicit ThinnedPoint(const ProgressPoint& one) : point(one) {
    if (one.loss == one.loss) {
      least = most = sum = one.loss;
      losses = 1;
    }
  }
  void join(const ThinnedPoint& next) {
    point = next.point;
    if (next.losses == 0) return;
    least = losses == 0 || next.least < least ? next.least : least;
    most = losses == 0 || next.most > most ? next.most : most;
    sum += next.sum;
    losses += next.losses;
  }
};

}  // namespace etad::service
