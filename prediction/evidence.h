// Whose runs a model is fitted from, where they contradict each other. Anybody who may write a log can write
// one that is not true, so what many runs of one owner or of one log say is not believed against all others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "prediction/model_set.h"
#include "storage/rows.h"

namespace etad::prediction {

// The runs of a key that its model is fitted from, and whose are left out. `runs` must be sorted newest first; who was
// there first say their places.
//
// Owners whose runs agree make one camp. The model is fitted from the camp with the most owners; of equal
// ones from the one that was there first, so that nothing a later owner writes moves what is said, until
// another confirms it. Of a camp each owner has a fair share (storage/fair_share.h): who is left out takes
// nothing of theirs. Logs: of the runs that are left, one with more than its share that contradicts most of
// the other logs is left out; where there is but one other, the later of the two. Runs agree with a model
// where their median is within kAgree of what it expects of them, and a little more where few runs say it,
// where they are beyond its batch sizes, or have settings that it has never seen.
struct Evidenced {
  std::vector<RunData> runs;
  std::optional<Dispute> dispute;
  std::vector<std::int64_t> dissenters;  // owners who are contradicted: those with the most runs first
};
Evidenced choose_evidence(std::vector<RunData> runs, Phase phase);

inline constexpr double kAgree = 1.25;        // a factor of time, either way
inline constexpr std::size_t kFreeRuns = 8;   // that a log may have whatever the others have
inline constexpr std::size_t kMostCamps = 8;  // of owners; who agrees with none of them is left out

}  // namespace etad::prediction
