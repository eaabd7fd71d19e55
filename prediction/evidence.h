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
// another confirms it. A later owner is of a camp if most of his runs agree with the first one's, and only those that do
// so count, each by itself. A run agrees with a model where it is within kAgree of what that expects of it, and a little
// more where few runs say it, where it is beyond its batch sizes, or has settings that it has never seen; of those beyond
// its batch sizes none counts where together they would move what the model says within them. Of a camp each owner but
// the first has a fair share (storage/fair_share.h), in turns over batch sizes and settings: who is left out takes nothing
// of theirs. Logs: of an owner's, one with more than its share of the owner's runs that contradicts most of the others of
// its settings is left out; where there is but one other, the later one. An owner whose own runs, of a device that nobody
// names, can't be of one (prediction/contradiction.h) comes behind all others. Among the runs that count the same is asked
// of their energy and of their memory: whose contradict the others' lose that alone.
struct Evidenced {
  std::vector<RunData> runs;
  std::optional<Dispute> dispute;
  // Who is answered from his own runs: owners who are contradicted, those with the most runs first; those whose energy or
  // memory is; then those to whom the model would say something else of their own runs, since it is of others' settings or
  // leaves some of theirs out.
  std::vector<std::int64_t> dissenters;  // at most kMostDissenters
};
Evidenced choose_evidence(std::vector<RunData> runs, const ModelKey& key);

inline constexpr double kAgree = 1.25;       // a factor of time, either way
inline constexpr std::size_t kFreeRuns = 8;  // that a log may have whatever the others have
inline constexpr std::size_t kMostDissenters =
    16;                                       // so many models of one key are kept beside the one for all
inline constexpr std::size_t kMostCamps = 8;  // of owners; who agrees with none of them is left out

}  // namespace etad::prediction
