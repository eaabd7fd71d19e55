#include "parsers/training/last_words.h"

#include <algorithm>

#include "parsers/base/end_words.h"
#include "parsers/base/text.h"
#include "parsers/training/tracker_state.h"

namespace etad::track {
namespace {

// "torch.cuda.OutOfMemoryError: CUDA out of memory.": a dotted name, and what it says. One of a module is written with the
// module's name, whatever its own: "mylib.errors.LossIsNaN: nan".
bool is_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const bool dotted = std::all_of(name.begin(), name.end(),
                                  [](char c) { return c == '.' || c == '_' || is_digit(c) || is_letter(c); });
  if (!dotted) return false;
  const std::size_t dot = name.rfind('.');
  if (dot != name.npos && dot > 0 && dot + 1 < name.size() && name[dot + 1] >= 'A' && name[dot + 1] <= 'Z')
    return true;
  for (const std::string_view kind :
       {"Error", "Exception", "Interrupt", "StopIteration", "SystemExit", "Expired", "Quit"})
    if (name.find(kind) != std::string_view::npos) return true;
  return false;
}

// A frame of a traceback: '  File "/opt/app/trainer.py", line 147, in train', "…, in _inner_training_loop", "…, in fit".
bool is_frame_of_training(std::string_view line) {
  constexpr std::string_view kIn = ", in ";
  const std::size_t at = line.rfind(kIn);
  if (at == line.npos || !line.starts_with("  File ")) return false;
  const std::string_view name = line.substr(at + kIn.size());
  return name == "fit" || name.find("train") != name.npos;
}

// "slurmstepd: error: *** JOB 71 ON node3 CANCELLED AT 2026-03-01T10:00:00 DUE TO TIME LIMIT ***". Others of Slurm's, and
// that one where its lines are stamped, say the same without the name.
bool is_slurms(std::string_view line) {
  const bool cancelled = line.find("CANCELLED") != std::string_view::npos;
  if (is_slurmstepd(line))
    return cancelled || line.find("oom-kill") != std::string_view::npos ||
           line.find("oom_kill") != std::string_view::npos;
  return cancelled && is_slurms_cancelling(line);
}

// Slurm's word where it stands behind the beginning of a line that the program did not come to write out, or a stamp.
std::string_view slurms_behind(std::string_view line) {
  for (const std::string_view word : {"slurmstepd: error: ", "error: *** JOB ", "error: *** STEP "}) {
    const std::size_t at = line.find(word);
    if (at != std::string_view::npos && is_slurms(line.substr(at))) return line.substr(at);
  }
  return {};
}

// LSF's mail says first that the job failed, and further on, perhaps, what of.
bool may_be_told_better(std::string_view message) {
  return message.starts_with("Subject: Job ");
}

// What a shell says of a process that a signal has ended: "Killed", "./run.sh: line 12:  4711 Terminated    python …".
// Where no script runs it, some have more to say (is_last_of_process).
std::string_view signal_of(std::string_view line) {
  constexpr std::string_view kWhere = ": line ";
  const std::size_t where = line.find(kWhere);
  if (where != std::string_view::npos) {
    line.remove_prefix(std::min(line.find(':', where + kWhere.size()), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(": 0123456789"), line.size()));
  }
  for (const std::string_view word : {"Killed", "Terminated", "Segmentation fault", "Aborted", "Bus error"})
    if (line == word || (where != std::string_view::npos && line.starts_with(word))) return word;
  return {};
}

// The signal that a process says it was sent: "*** SIGTERM received at time=1772618767 on cpu 7 ***" (Abseil's, of Ray's
// processes and JAX's), "*** SIGBUS (@0x7f) received by PID 71 (TID 0x7f) ***" (glog's), "[rank: 0] Received SIGTERM: 15",
// "Caught signal 15 (SIGTERM), shutting down". Empty: none.
std::string_view signal_received(std::string_view line) {
  constexpr std::size_t kNear = 24;  // bytes between the two words
  for (const std::string_view name : {"SIGTERM", "SIGINT", "SIGABRT", "SIGSEGV", "SIGBUS"}) {
    const std::size_t at = line.find(name);
    if (at == line.npos) continue;
    const std::string_view behind = line.substr(at + name.size(), kNear);
    const std::size_t since = at - std::min(at, kNear);
    const std::string_view before = line.substr(since, at - since);
    for (const std::string_view word : {"eceived ", "aught "})
      if (before.find(word) != before.npos || behind.find(word) != behind.npos) return name;
  }
  return {};
}

// "No improvement for 10 epochs, stopping.", "Patience exceeded. Stopping training": why, and behind it that it stops.
bool tells_why_it_stops(std::string_view lower) {
  for (const std::string_view why : {"no improvement", "not improve", "patience"}) {
    const std::size_t reason = lower.find(why);
    if (reason == std::string_view::npos) continue;
    const std::size_t at = lower.find("stopping", reason);
    if (at == std::string_view::npos || at < 2 || lower[at - 1] != ' ') continue;
    constexpr std::string_view kParts = ",.;:-!";
    std::string_view rest = lower.substr(at + 8);
    if (rest.starts_with(" training")) rest.remove_prefix(9);
    if (kParts.find(lower[at - 2]) != kParts.npos && rest.find_first_not_of(" .!") == rest.npos) return true;
  }
  return false;
}

// "Early stopping triggered!", "Epoch 12: early stopping" and whatever is behind that, but not "EarlyStopping counter: 3
// out of 10" nor "No early stopping".
bool tells_early_stop(std::string_view lower) {
  // Flair's learning rate is too small; Ultralytics' and Lightning's EarlyStopping.
  for (const std::string_view word : {"quitting training", "stopped early", "stopping training early",
                                      "stopping early", "terminating early", "due to lack of improvement",
                                      "signaling trainer to stop", "stop training because "})
    if (lower.find(word) != std::string_view::npos) return true;
  if (tells_why_it_stops(lower)) return true;
  const std::size_t glued = lower.find("earlystop");
  const std::size_t at = std::min({lower.find("early stop"), lower.find("early-stop"), glued});
  if (at == std::string_view::npos) return false;
  std::string_view before = lower.substr(0, at);
  while (before.ends_with(' ')) before.remove_suffix(1);
  const bool of_epoch = before.starts_with("epoch ") && before.ends_with(':');
  before.remove_prefix(before.rfind(' ') + 1);
  for (const std::string_view word : {"no", "not", "without"})
    if (before == word) return false;
  std::string_view rest = lower.substr(at + (at == glued ? 9 : 10));
  for (const std::string_view ending : {"ping", "ped"})
    if (rest.starts_with(ending)) rest.remove_prefix(ending.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" .:!,-(]"), rest.size()));
  if (rest.empty()) return at != glued;  // a name that some list among their callbacks
  for (const std::string_view word : {"at ", "after ", "triggered", "activated", "due ", "because ",
                                      "no improvement for ", "stop training"})
    if (rest.starts_with(word)) return true;
  const bool counts = rest.find_first_of("0123456789") != rest.npos || rest.starts_with("counter");
  return rest == "no improvement" || (of_epoch && !counts);
}

// "[FOLD 3] COMPLETED | Best F1: 0.89", "Fold 3/5 finished": of a cross-validation's.
bool tells_end_of_fold(std::string_view lower) {
  constexpr std::string_view kFold = "fold ";
  const std::size_t at = lower.find(kFold);
  if (at == std::string_view::npos) return false;
  std::string_view rest = lower.substr(at + kFold.size());
  const std::size_t number = rest.find_first_not_of("0123456789/");
  if (number == 0 || number == rest.npos) return false;
  rest.remove_prefix(std::min(rest.find_first_not_of(" ])}:|-", number), rest.size()));
  return rest.starts_with("completed") || rest.starts_with("finished") || rest.starts_with("done");
}

// Nothing but this: "Finish!", "=== Finished ===", "Done.", "All done!".
bool is_end_alone(std::string_view lower) {
  std::size_t letters = 0;
  for (const char c : lower) letters += c >= 'a' && c <= 'z' ? 1U : 0U;
  for (const std::string_view word : {"finish", "finished", "done", "all done"}) {
    const auto blanks = static_cast<std::size_t>(std::count(word.begin(), word.end(), ' '));
    if (letters + blanks == word.size() && lower.find(word) != std::string_view::npos) return true;
  }
  return false;
}

// "Training time: 6.9 min", "Training complete", "Model training finished", "Finished training", "training
// resnet finished", "Fine-tuning completed", "Reached max steps (5000). Stopping training.".
bool tells_end(std::string_view lower) {
  if (is_end_alone(lower) || lower.find("reached max steps") != std::string_view::npos) return true;
  constexpr std::string_view kNames[] = {"training ", "tuning "};
  const std::string_view name = lower.find(kNames[0]) != std::string_view::npos ? kNames[0] : kNames[1];
  const std::size_t at = lower.find(name);
  if (at == std::string_view::npos)
    return lower.ends_with("finished training") || lower.ends_with("training done");
  std::string_view rest = lower.substr(at + name.size());
  for (const std::string_view before : {"is ", "was ", "has ", "been "})
    if (rest.starts_with(before)) rest.remove_prefix(before.size());
  for (const std::string_view word : {"complete", "finished", "done", "ended", "time:", "time =", "took "})
    if (rest.starts_with(word)) return true;
  const std::size_t blank = rest.find(' ');
  return blank != std::string_view::npos &&
         (rest.substr(blank) == " finished" || rest.substr(blank) == " completed");
}

// "Keyboard interruption. Exiting from early training", "Training interrupted by user",
// "… [launch.py:324:sigkill_handler] Main process received SIGTERM, exiting".
bool tells_interruption(std::string_view lower) {
  const std::size_t at = lower.find("interrupt");
  if (at != std::string_view::npos) {
    const std::string_view before = lower.substr(0, at), rest = lower.substr(at);
    return before.ends_with("keyboard") || before.ends_with("keyboard ") ||
           rest.starts_with("interrupted by ") || before.ends_with("training ");
  }
  return lower.find("main process received sig") != std::string_view::npos ||
         lower.find("ctrl + c detected") != std::string_view::npos;  // W&B's
}

// "complete training: …", "Completed training.", but not "2h to complete training".
bool tells_completion(std::string_view lower) {
  std::size_t at = lower.find("complete training");
  if (at == std::string_view::npos) at = lower.find("completed training");
  if (at == std::string_view::npos) return false;
  std::string_view before = lower.substr(0, at);
  while (before.ends_with(' ')) before.remove_suffix(1);
  return !before.ends_with("to") && !before.ends_with("not");
}

void hear_end(LastWords& words, std::string_view line) {
  constexpr std::size_t kLongest = 200;
  if (line.size() > kLongest) return;
  // The first group of torch's processes.
  words.joined_again =
      words.joined_again || line.find("store_based_barrier_key:1 to store") != std::string_view::npos;
  words.done = words.done || is_launchers_end(line) || is_lightnings_test(line) || is_wandbs_end(line);
  // Nearly every line lacks these words, and is not looked at further.
  const auto has = [line](std::string_view word) { return line.find(word) != std::string_view::npos; };
  const bool of_stop = has("arly") || has("quitting") || has("lack of ") || has("rainer to stop") ||
                       has("topping") || has("top training");
  const bool of_fold = has("old ") || has("OLD ");
  const bool of_interruption = has("nterrupt") || has("SIG") || has("Ctrl");
  constexpr std::size_t kLongestAlone = 32;  // "[2026-03-01 10:00:12] Done!"
  const bool may_be_alone = line.size() <= kLongestAlone && (has("one") || has("ONE"));
  if (!of_stop && !of_fold && !of_interruption && !may_be_alone && !has("raining") && !has("tuning") &&
      !has("inish"))
    return;
  const std::string lower = lower_case(line);
  words.interrupted = words.interrupted || (of_interruption && tells_interruption(lower));
  words.stopped_early = words.stopped_early || (of_stop && tells_early_stop(lower));
  words.done =
      words.done || tells_end(lower) || tells_completion(lower) || (of_fold && tells_end_of_fold(lower));
}

}  // namespace

void LastWords::forget(bool with_training) {
  // What a cancelled job, or an interrupted program, has left in its buffers comes behind the word of it; one that was put
  // into the queue again shows more.
  constexpr std::int64_t kBuffered = 20;
  survived = survived || (with_training && logged && !message.empty());
  const bool ends = !message.empty() && behind < kBuffered &&
                    (is_slurms(message) || message.starts_with("KeyboardInterrupt"));
  traceback = of_training = interrupted = false;
  behind = ends ? behind + 1 : 0;
  if (!ends) message.clear();
  if (!with_training) return;
  done_amid = done_amid || done;
  done = stopped_early = false;
}

bool LastWords::is_stop() const {
  if (interrupted || message.starts_with("KeyboardInterrupt") || message == "Terminated") return true;
  for (const std::string_view by_signal :
       {"SignalException: ", "FatalError: `Termination signal`", "is killed by signal: Terminated",
        "failed (exitcode: -15)", "failed (exitcode: -2)", "on signal 15 ", "on signal 2 ", ": Terminated",
        "TERM_RUNLIMIT", "TERM_OWNER", "The operation was canceled", "PBS: job killed: walltime"})
    if (message.find(by_signal) != std::string::npos) return true;
  const std::string_view signal = signal_received(message);
  if (signal == "SIGTERM" || signal == "SIGINT") return true;
  if (message.ends_with("return code = -15") || message.ends_with("return code = -2")) return true;
  if (may_be_told_better(message)) return true;
  return is_slurms(message) && message.find("CANCELLED") != std::string::npos;
}

void LastWords::fail(std::string_view what) {
  if (message.empty()) message = kept_text(what, kMaxMessage);
}

void LastWords::hear(std::string_view line) {
  if (line.empty() || (!traceback && !may_tell_end(line))) return;
  hear_end(*this, line);
  if (!message.empty() && !may_be_told_better(message)) return;
  if (is_slurms(line)) {
    message = kept_text(line, kMaxMessage);
    return;
  }
  if (const std::string_view slurms = slurms_behind(line); !slurms.empty()) {
    message = kept_text(slurms, kMaxMessage);
    return;
  }
  if (is_last_of_process(line)) {
    const std::size_t code = line.rfind(kDeepSpeedsCode);  // a command of any length stands before it
    message = kept_text(code == line.npos ? line : line.substr(code + 1), kMaxMessage);
    return;
  }
  if (const std::string_view signal = signal_of(line); !signal.empty()) {
    message = kept_text(signal, kMaxMessage);
    return;
  }
  if (!signal_received(line).empty()) {
    message = kept_text(line, kMaxMessage);
    return;
  }
  if (!traceback) {
    const bool begins = begins_traceback(line);
    if (!begins && !is_frame(line)) return;
    if (begins) logged = line.find("ERROR") != line.npos;
    traceback = !(logged && survived);
    of_training = false;
    return;
  }
  of_training = of_training || is_frame_of_training(line);
  if (line.front() == ' ' || !is_exception(line)) return;  // a frame, or what another thread says
  message = kept_text(line, kMaxMessage);
  traceback = false;
}

}  // namespace etad::track
