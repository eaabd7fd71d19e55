// What becomes of sources whose logs do not move: their runs end, they are left to the history, and woken from it.
#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "daemon/ingest.h"

namespace etad {
namespace {

constexpr Instant::duration kOldest = std::chrono::hours{24 * 3650};  // no change is taken for older
// How often open runs are looked at for being lost: every hundredth part of what makes one lost, between these.
constexpr std::chrono::seconds kStillLook{5}, kRarestStillLook{60};
constexpr int kDoneSooner = 12;  // many a program says no word behind its full bar

}  // namespace

// The wall clock says how old a change is when it is seen; from then on the steady one counts, so that no
// clock that is set makes a run lost or keeps it running.
void Ingest::note_activity(IngestedSource& source, Instant modified, Instant wall) const {
  if (source.still_since && modified <= source.modified) return;
  source.modified = std::max(source.modified, modified);
  const auto age = std::clamp<Instant::duration>(wall - source.modified, {}, kOldest);
  source.still_since = now_ - age;
}

// Whether its log has been still for too long, or can't be read any more for as long. What has done its plan goes by when
// we saw it move, since a file's time may be of another machine's clock.
bool Ingest::is_over(const IngestedSource& source) const {
  const bool all_read = source.caught_up || source.gone || source.has_error || source.unwatched;
  if (!source.running || !all_read || !source.still_since) return false;
  if (source.plan_done && !source.unwatched && now_ - source.used > options_.lost_after / kDoneSooner)
    return true;
  return now_ - *source.still_since > options_.lost_after;
}

Result<void> Ingest::close_still_runs() {
  if (now_ < next_still_look_) return {};
  next_still_look_ = now_ + std::clamp(options_.lost_after / 100, kStillLook, kRarestStillLook);
  std::size_t unwatched = 0;
  const auto others_soon = [this] { next_still_look_ = now_ + kStillLook; };
  for (auto& [path, source] : sources_) {
    if (!is_over(*source)) continue;
    if (source->unwatched) {
      if (unwatched++ >= options_.most_awake) {
        others_soon();
        break;
      }
      // Its parser's settings are not known, so that stays as it is: should the log be watched again, it goes on.
      const auto lost = writer_.with([id = source->id](Writer& writer) { return writer.lose_runs(id); });
      if (!lost) return lost;
      source->running = false;
      continue;
    }
    if (moved_.size() >= options_.most_awake) {
      others_soon();
      break;
    }
    const bool is_lost = now_ - *source->still_since > options_.lost_after;
    const auto awake = wake(*source);
    if (!awake) return tl::unexpected(awake.error());
    source->running = (*awake)->parser.running();
    source->plan_done = (*awake)->parser.plan_done();
    if (!source->running || !(is_lost || source->plan_done)) continue;
    (*awake)->parser.close((*awake)->records);
    touch(*source);
  }
  forget_gone();
  return {};
}

// The history knows what is to be known of them, should they come back.
void Ingest::forget_gone() {
  erase_if(sources_, [&](const auto& entry) {
    const IngestedSource& source = *entry.second;
    return source.gone && !source.awake && !source.running && now_ - source.used > options_.forget_after;
  });
}

// The source's row and parser, from the history if they are not at hand.
Result<AwakeSource*> Ingest::wake(IngestedSource& source) {
  source.used = now_;
  if (source.awake) return source.awake.get();
  SourceRow row;
  row.path = source.path;
  if (source.id != 0) {
    auto found = writer_.with([&](Writer& writer) { return writer.source(source.id); });
    if (!found) return tl::unexpected(found.error());
    if (*found) row = std::move(**found);
  }
  prepare(row, source.path);
  auto parser = LogParser::restore(log_options(source), row.state);
  if (!parser) {
    notices_.push_back({source.path, parser.error().message, parser.error().hint});
    row = begun_anew(std::move(row));
    parser = LogParser(log_options(source));
  }
  source.awake = std::make_unique<AwakeSource>(std::move(row), std::move(*parser));
  awake_.push_back(&source);
  return source.awake.get();
}

void Ingest::put_to_rest() {
  std::erase_if(awake_, [&](IngestedSource* source) {
    if (source->used > now_ - options_.rest_after) return false;
    source->awake.reset();
    return true;
  });
  const auto first_growing = std::partition(awake_.begin(), awake_.end(),
                                            [](const IngestedSource* source) { return !source->grows; });
  put_to_rest({first_growing, awake_.end()}, options_.most_awake);
  put_to_rest({awake_.begin(), first_growing}, options_.most_caught_up);
  put_longest_to_rest();
  std::erase_if(awake_, [](const IngestedSource* source) { return !source->awake; });
}

// What a parser has to remember is bounded, but a log can be made to have it remember all of that, and a user can make a
// thousand of them.
void Ingest::put_longest_to_rest() {
  std::vector<std::pair<std::size_t, IngestedSource*>> by_length;
  std::size_t all = 0;
  for (IngestedSource* source : awake_) {
    if (!source->awake) continue;
    all += source->awake->state_bytes;
    by_length.emplace_back(source->awake->state_bytes, source);
  }
  if (all <= options_.most_state_bytes) return;
  std::sort(by_length.begin(), by_length.end(), std::greater());
  for (const auto& [bytes, source] : by_length) {
    if (all <= options_.most_state_bytes) break;
    all -= bytes;
    source->awake.reset();
  }
}

// Those that have not moved for longest, where there are more than `most`.
void Ingest::put_to_rest(std::span<IngestedSource*> awake, std::size_t most) {
  if (awake.size() <= most) return;
  const auto excess = static_cast<std::ptrdiff_t>(awake.size() - most);
  std::nth_element(awake.begin(), awake.begin() + excess - 1, awake.end(),
                   [](const IngestedSource* a, const IngestedSource* b) { return a->used < b->used; });
  for (IngestedSource* source : awake.first(static_cast<std::size_t>(excess))) source->awake.reset();
}

}  // namespace etad
