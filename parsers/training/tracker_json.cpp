// The tracker's state as text (parsers/base/saved.h): every struct of it, with all that it consists of.
#include "parsers/base/saved_record.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

ETAD_SAVED(PrototextReader::State, path, depth, key, wants_value, in_list)
ETAD_SAVED(NetLayer, layer, bottoms, tops, phase_bound, described, batch_size)
ETAD_SAVED(Net, name, phase, options, layers, input_batch, cut, batch_set_up)
ETAD_SAVED(NetBuilder::State, net, parameters, current, next, bytes)

namespace track {

ETAD_SAVED(Description, body, reader, solver_seen, solver_cut, net_open, role, net_index, nets_seen, builder,
           settled)
ETAD_SAVED(Quantities, batch_size, global_batch_size, batch_is_option, iter_size, devices, devices_heard,
           tokens_per_iteration, sequence_length, dataset_size, counts_epochs, test_batch_sizes,
           test_iterations)
ETAD_SAVED(EpochCount, steps, beyond, first_number, first_batch, shown_last, done_in_epochs_over, last_batch,
           began, announced, announced_of, bar_of, around, open, undated, alone, trained, trained_again,
           shortest, timed_last, timed_at, named, numbered, cut_short, line, clock, borders)
ETAD_SAVED_KEYS(EpochCount, {"first_number", "first"}, {"shown_last", "shown"},
                {"done_in_epochs_over", "before"}, {"timed_last", "told"}, {"timed_at", "told_at"})
ETAD_SAVED(EpochBorders, least, most, step, since, usual, epoch, from_zero)
ETAD_SAVED(EpochCount::Line, epoch, batch, epochs, batches_shown, through, every)
ETAD_SAVED_KEYS(EpochCount::Line, {"batches_shown", "shown"})
ETAD_SAVED(EpochCount::BarClock, epoch, seconds_shown, since, batch)
ETAD_SAVED_KEYS(EpochCount::BarClock, {"seconds_shown", "shown"})
ETAD_SAVED(Summary, seconds, rate, rate_error, loss)
ETAD_SAVED(TimeSoFar, iteration, seconds, error, apart)
ETAD_SAVED(LinesBesideBar, lines, every, agreed, uneven)
ETAD_SAVED(TestsOfBar, bar_of, all, epoch, batch, batches, elapsed, of, done, took, passed, seconds)
ETAD_SAVED(EpochsAlone, first, last, of, told)
ETAD_SAVED(Training, tests_before, bar_stood, tests_stated, last_stated, until_progress, done_until_progress,
           measured_without_snapshot, stride, from_zero, zero_trained, zero_of_plan, other_bar, full_bar,
           open_bar, summed_up, trained_behind, begun_again, last_elapsed, shows_waits, by_lines, untested,
           overstated, stood_still, left_out, last_pace, step_time_of_leap, time_left, left_beyond_epoch,
           sets_up_again, told_by_end, epochs_of_block, by_samples, slow_step, tests_of_bar, shows_loss,
           endless, doubtful, stated_alone, so_far, beside_bar, gathered, gathered_time, stamps_more, alone,
           shown_beside)
ETAD_SAVED_KEYS(Training, {"bar_stood", "stood"}, {"done_until_progress", "done_before"},
                {"measured_without_snapshot", "paced"}, {"step_time_of_leap", "leap"}, {"time_left", "left"},
                {"epochs_of_block", "block"}, {"shows_loss", "lossy"})
ETAD_SAVED(LastWords, traceback, of_training, message, logged, survived, stopped_early, done, done_amid,
           interrupted, behind, joined_again)
ETAD_SAVED(Anchor, iteration, at, elapsed, error, epoch, steps, dated, changed)
ETAD_SAVED(Save, since, iteration, last_line)
ETAD_SAVED(OtherBars, number, of, over, shown)
ETAD_SAVED(Window, from, shown_again, words, said_again, test_time, held_tests, snapshots, saving, saved,
           holds_unended_snapshot, holds_unknown_gap, holds_unmeasured_test, holds_undated_test, over_border,
           other_bar, last_state, bar_over, turned_back, waited, others)
ETAD_SAVED_KEYS(Window, {"test_time", "tests"}, {"held_tests", "held"},
                {"holds_unended_snapshot", "unclocked"}, {"holds_unknown_gap", "broken"},
                {"holds_unmeasured_test", "tested"}, {"holds_undated_test", "tested_unclocked"})
ETAD_SAVED(TestPhase, iteration, net, since, announced, done, done_at, shows_batches, first_batch, began,
           stated, stated_error, beside, given, given_seconds)
ETAD_SAVED(RunTrack, run, stage, known, description, window, training, epochs, test, last_words, layer_times,
           start_rules, headed_at, dirty, headed, resumed, job_known, unmeasured_before)
ETAD_SAVED(Group, key, run, dirty)
ETAD_SAVED(PendingValue, field, scale, text)
ETAD_SAVED(Arguments, network, batch_size, global_batch_size, epochs, precision, devices, processes,
           local_devices, ranks, initialized, seeded, launched, used, renewed)
ETAD_SAVED(Logged, lines, position, tests, test)
ETAD_SAVED(StandingBar, of, waited, evaluates, amid)
ETAD_SAVED(State, next_ordinal, last_time, current, next, before, groups, pending, arguments, logged,
           standing)
ETAD_SAVED_KEYS(State, {"pending", "told"})

}  // namespace track

namespace {

constexpr std::int64_t kVersion = 2;

}  // namespace

std::string Tracker::save() const {
  return saved::to_text(impl_->state, kVersion);
}

Result<Tracker> Tracker::restore(SourceContext context, std::string_view state) {
  auto restored = saved::from_text<track::State>(state, kVersion, "the saved tracker state");
  if (!restored) return tl::unexpected(std::move(restored.error()));
  Tracker tracker(std::move(context));
  tracker.impl_->state = std::move(*restored);
  // A state of before may lack them.
  for (std::optional<track::RunTrack>* const run :
       {&tracker.impl_->state.current, &tracker.impl_->state.next})
    if (*run) note_sizes(**run);
  return tracker;
}

}  // namespace etad
