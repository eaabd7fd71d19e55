// Runs that name no device and whose times contradict each other: they ran on different devices, and one
// model of them would be true of none. Until labels tell them apart there is no model. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regression/dataset.h"
#include "storage/rows.h"

namespace etad::prediction {

struct Contradiction {
  // Runs that agree with each other: what they took, and some of them.
  struct Side {
    double samples = 0;              // an iteration; 0: unknown
    double seconds = 0;              // an iteration, the median
    std::vector<std::int64_t> runs;  // ids, at most kMostRuns
  };
  static constexpr std::size_t kMostRuns = 5;

  ModelKey key;
  Side fast, slow;
  std::int64_t owner = kUnknownOwner;  // who was there first
};

// Whether runs of a key without a device can't be of one device. On a machine that is known a factor of four
// between runs with the same settings is needed, because one machine may be slow for a while; where not even
// the machine is known, of two. Where one of five or more runs stands alone, it is an outlier and nothing
// else. Of several owners' runs only those of who was there first are asked: the others' agree with these. (Whose own
// contradict each other is not the first where there is another: prediction/evidence.h.)
std::optional<Contradiction> contradiction_of(const ModelKey& key, const regression::Dataset& runs);

}  // namespace etad::prediction
