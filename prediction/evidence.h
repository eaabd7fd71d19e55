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
// there first say their places. In the order of the work:
//
// - Logs. Of an owner's, one with more than its share of his runs that contradicts most of the others of its settings is
//   left out; where there is but one other, the later one.
// - Owners come as they were there first. One whose own runs, of a device that nobody names, can't be of one
//   (prediction/contradiction.h) comes behind all others.
// - Camps. Owners whose runs agree make one. A later owner is of a camp if no more of his runs contradict the first one's
//   than agree with them. The model is fitted from the camp with the most owners; of equal ones from that of who was there
//   first, so that nothing a later owner writes moves what is said until another confirms it.
// - Single runs. Only those of a later owner that agree count, each by itself. A run agrees with a model where it is within
//   kAgree of what that expects of it, and farther off where few runs say it (1.5 times, of a single one), where it is
//   beyond its batch sizes, or has settings that it has never seen. Of those beyond its batch sizes none counts where
//   together they would move what the model says within them.
// - Shares. Of a camp each owner but the first has a fair share (storage/fair_share.h), in turns over batch sizes and
//   settings: who is left out takes nothing of theirs.
// - Costs. Among the runs that count the same is asked of their energy and of their memory: whose contradict the others'
//   lose that alone.
struct ChosenRuns {
  std::vector<RunData> runs;
  std::optional<Dispute> dispute;
  // Owners who are answered from their own runs: those who are contradicted, who have the most runs first; those whose
  // energy or memory is; then those to whom the model would say something else of their own runs, since it is of others'
  // settings or leaves some of theirs out.
  std::vector<std::int64_t> answered_by_own;  // at most kMostAnsweredByOwn
};
ChosenRuns choose_evidence(std::vector<RunData> runs, const ModelKey& key);

inline constexpr double kAgree = 1.25;       // a factor of time, either way
inline constexpr std::size_t kFreeRuns = 8;  // that a log may have whatever the others have
// So many models of one key are kept beside the one for all.
inline constexpr std::size_t kMostAnsweredByOwn = 16;
inline constexpr std::size_t kMostCamps = 8;  // of owners; who agrees with none of them is left out

}  // namespace etad::prediction
