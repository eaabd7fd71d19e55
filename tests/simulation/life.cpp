#include "tests/simulation/life.h"

#include <sqlite3.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace etad::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kSteps = 40;
constexpr int kMostLooks = 400;  // until nothing more comes

std::string named(const Step& step) {
  return "step " + std::to_string(step.number) + " of job" + std::to_string(step.job);
}

std::int64_t iteration_of(const boost::json::value& run) {
  const boost::json::value& iteration = run.at("progress").at("iteration");
  return iteration.is_null() ? -1 : iteration.as_int64();
}

}  // namespace

Life::Life(std::uint64_t seed, const Hardships& hardships, const std::string& database,
           const Disk::Image& begin, std::shared_ptr<const FormatSet> formats)
    : chance_(seed),
      hardships_(hardships),
      disk_(chance_),
      world_(chance_, files_),
      machine_(database, files_, std::move(formats), hardships.company) {
  if (pick(8) > 0) disk_.put(begin);
  follow::Options options;
  options.line_idle_limit = std::chrono::hours(10);
  if (pick(4) == 0) options.batch_bytes = 1024;
  if (pick(4) == 0) options.close_after = milliseconds(0);
  machine_.set_watch(some_watch(), options);
  files_.births = pick(8) > 0;
  files_.reuses_inodes = pick(2) == 0;
  files_.meanwhile = [this](const std::string&, const std::string&) { at_file_call(); };
  disk_.before_call = [this] { return at_disk_call(); };
}

follow::Watch Life::some_watch() {
  follow::Watch watch{pick(2) == 0 ? "/logs/*" : "/logs/*.log", 0, false};
  if (world_.names_folder()) watch.rotated_in = {"old"};
  return watch;
}

void Life::live() {
  catch_up();
  for (int i = 0; i < kSteps; ++i) step();
  end_imports();
  in_call_ = true;
  world_.complete();
  in_call_ = false;
  catch_up();
  catch_up();
  check_all();
}

void Life::step() {
  machine_.pass(milliseconds(1 + pick(pick(2) == 0 ? 500 : 15'000)));
  const bool all_at_once = pick(3) == 0;
  in_call_ = true;
  if (all_at_once) world_.fill_holes();
  world_.fill_old_holes();
  in_call_ = false;
  switch (hardships_.company && pick(5) == 0 ? 16 : pick(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
      in_call_ = true;
      world_.act();
      in_call_ = false;
      break;
    case 6:
      catch_up();
      break;
    case 7:
      tell("restart");
      end_quietly();
      break;
    case 8:
      if (hardships_.clock) {
        in_call_ = true;
        world_.fill_holes();
        in_call_ = false;
        const auto by = seconds(static_cast<std::int64_t>(pick(2'000'000)) - 1'000'000);
        tell("the clock is set by " + std::to_string(by.count()) + " s");
        machine_.set_clock(by);
      }
      break;
    case 9:
      if (ensure_running()) {
        begin_trouble();
        static_cast<void>(machine_.refit());
        if (disk_.is_dead()) end_of_machine(false);
      }
      break;
    case 16:
      begin_trouble();
      if (ensure_running()) be_asked();
      break;
    default:
      begin_trouble();
      if (ensure_running()) look();
      break;
  }
  dies_after_.reset();
  fails_after_.reset();
  acts_left_ = 0;
}

// What will happen while the daemon does what it does next.
void Life::begin_trouble() {
  if (hardships_.interleaving && pick(2) == 0) acts_left_ = 1 + pick(2);
  if (hardships_.kills && pick(6) == 0) dies_after_ = pick(pick(2) == 0 ? 12 : 150);
  if (hardships_.faults && pick(6) == 0) fails_after_ = pick(60);
}

bool Life::dies_now() {
  if (!dies_after_) return false;
  if (*dies_after_ > 0) {
    --*dies_after_;
    return false;
  }
  dies_after_.reset();
  return true;
}

void Life::at_file_call() {
  if (in_call_) return;
  if (disk_.is_dead() || dies_now()) {
    disk_.die();
    throw Killed{};
  }
  if (acts_left_ > 0 && pick(10) == 0) {
    in_call_ = true;
    --acts_left_;
    world_.story() += "  meanwhile: ";
    world_.act();
    in_call_ = false;
  }
  if (fails_after_ && (*fails_after_)-- == 0) {
    fails_after_.reset();
    const std::array<follow::Errno, 4> errors{EIO, ESTALE, EMFILE, ENOMEM};
    const auto error = errors[pick(errors.size())];
    const std::array<const char*, 6> calls{"open", "read", "status", "fstat", "list", "resolve"};
    const std::string call = calls[pick(calls.size())];
    tell("  the next " + call + " fails with " + std::to_string(error));
    files_.fail_nth(call, 1, error);
  }
}

int Life::at_disk_call() {
  if (in_call_) return SQLITE_OK;
  if (dies_now()) {
    disk_.die();
    return SQLITE_IOERR;
  }
  if (questions_left_ > 0 && pick(20) == 0) {
    --questions_left_;
    in_call_ = true;
    question();
    in_call_ = false;
  }
  if (fails_after_ && (*fails_after_)-- == 0) {
    fails_after_.reset();
    has_failed_ = true;
    tell("  the disk fails");
    return pick(2) == 0 ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
  return SQLITE_OK;
}

bool Life::ensure_running() {
  if (machine_.is_running()) return true;
  bool started = false;
  try {
    started = machine_.start();
  } catch (const Killed&) {
  }
  if (disk_.is_dead()) {
    end_of_machine(false);
    return false;
  }
  if (started) check();
  return started;
}

void Life::look() {
  tell("look");
  try {
    const std::size_t looks = 1 + pick(4);
    for (std::size_t i = 0; i < looks && !disk_.is_dead(); ++i) {
      if (hardships_.company) questions_left_ = pick(3);
      machine_.look();
      machine_.pass(milliseconds(pick(2) == 0 ? 5 : 300));
    }
  } catch (const Killed&) {
  }
  questions_left_ = 0;
  if (disk_.is_dead()) return end_of_machine(hardships_.power_cuts && pick(3) == 0);
  check();
}

// For an answer, for an import, its next piece or its end, or for a reload of the configuration.
void Life::be_asked() {
  try {
    if (pick(3) == 0) {
      question();
    } else if (pick(4) == 0) {
      tell("reload");
      static_cast<void>(machine_.reload(some_watch()));
    } else if (machine_.imports() < 2 && pick(2) == 0) {
      in_call_ = true;
      const auto file = world_.some_whole_file();
      in_call_ = false;
      if (file) {
        tell("import " + file->first);
        machine_.begin_import(file->first, file->second);
      }
    } else if (machine_.imports() > 0) {
      tell("an import goes on");
      machine_.go_on_importing(pick(machine_.imports()), 1 + pick(1500));
    }
  } catch (const Killed&) {
  }
  if (disk_.is_dead()) return end_of_machine(hardships_.power_cuts && pick(3) == 0);
  if (machine_.is_running()) check();
}

// Asks and holds the answer against the history: between the daemon's own calls, perhaps amid a commit.
void Life::question() {
  const std::string target = some_question();
  tell("GET " + target);
  has_failed_ = false;
  const service::Reply reply = machine_.get(target);
  if (disk_.is_dead()) return;
  if (reply.status >= 500 && !has_failed_)
    broken(target + " is answered by " + std::to_string(reply.status) + ": " + reply.body);
  if (reply.status >= 400) return;
  const bool was_in_call = std::exchange(in_call_, true);
  hold_against_history(target, reply);
  in_call_ = was_in_call;
}

std::string Life::some_question() {
  const std::string id = std::to_string(1 + pick(6)), job = "job" + std::to_string(pick(4));
  const std::array<std::string, 14> targets{"/v1/runs?limit=1000",
                                            "/v1/runs?limit=1000",
                                            "/v1/runs?limit=1000",
                                            "/v1/runs/" + id,
                                            "/v1/runs/" + id + "/progress",
                                            "/v1/runs/" + id + "/segments",
                                            "/v1/estimate?phase=train&iterations=100&network=" + job,
                                            "/v1/whatif?vary=iterations&phase=train&network=" + job,
                                            "/v1/next",
                                            "/v1/networks",
                                            "/v1/models",
                                            "/v1/sources",
                                            "/v1/estimators",
                                            "/metrics"};
  return targets[pick(targets.size())];
}

void Life::hold_against_history(const std::string& target, const service::Reply& reply) {
  if (reply.type != "application/json") return;
  boost::system::error_code mistake;
  const boost::json::value body = boost::json::parse(reply.body, mistake);
  if (mistake) broken(target + " is not JSON: " + reply.body);
  if (!target.starts_with("/v1/runs?")) return;
  std::map<std::int64_t, std::int64_t> answered;
  for (const boost::json::value& run : body.at("runs").as_array())
    answered[run.at("id").as_int64()] = iteration_of(run);
  if (answered != machine_.iterations()) broken("other runs are told than the history has: " + reply.body);
  for (const auto& [id, iteration] : told_)
    if (!answered.contains(id) || answered.at(id) < iteration)
      broken("run " + std::to_string(id) + " was told with iteration " + std::to_string(iteration) +
             " before: " + reply.body);
  told_ = std::move(answered);
}

void Life::end_imports() {
  in_call_ = true;
  while (machine_.imports() > 0) machine_.go_on_importing(0, 1 << 20);
  in_call_ = false;
}

// Until all is read that can be, without trouble.
void Life::catch_up() {
  dies_after_.reset();
  fails_after_.reset();
  acts_left_ = 0;
  files_.heal();
  tell("catch up");
  in_call_ = true;
  world_.fill_holes();
  in_call_ = false;
  if (!ensure_running()) broken("the daemon does not start");
  int quiet = 0;
  for (int looks = 0; quiet < 8; ++looks) {
    if (looks == kMostLooks) broken("the daemon comes to no end");
    quiet = machine_.look() ? 0 : quiet + 1;
    machine_.pass(seconds(quiet > 0 ? 11 : 0) + milliseconds(1));
  }
  check();
}

void Life::end_quietly() {
  in_call_ = true;
  machine_.let_go();
  in_call_ = false;
}

// Killed, or without power.
void Life::end_of_machine(bool power_cut) {
  machine_.let_go();
  disk_.revive();
  dies_after_.reset();
  fails_after_.reset();
  files_.heal();
  tell(power_cut ? "the power is cut" : "killed");
  if (power_cut) {
    disk_.cut_power();
    world_.end_copying();
    told_.clear();
    for (Job& job : world_.jobs()) {
      job.excuse(1, job.destroyed);
      job.headless = job.headless || job.destroyed > 0;
      job.next = 1;
      job.seen.clear();
    }
  }
}

// What is in the history is what was written, each line once, up to where it has been read.
void Life::check() {
  in_call_ = true;
  const bool anew = machine_.is_anew();
  if (anew) {
    for (Job& job : world_.jobs()) {
      job.before = std::exchange(job.next, 1);
      job.seen.clear();
    }
  }
  std::vector<Step> steps = machine_.new_steps();
  std::sort(steps.begin(), steps.end());
  for (const Step& step : steps) {
    if (step.job < 0 || static_cast<std::size_t>(step.job) >= world_.jobs().size())
      broken("the history has " + named(step) + ", which nobody wrote");
    Job& job = world_.jobs()[static_cast<std::size_t>(step.job)];
    excuse_repeated(job);
    const bool is_new = job.seen.insert(step.number).second;
    // What was deleted under one name may still come to be read under a second one.
    const bool is_late = step.number < job.next && !job.is_excused(step.number);
    if (!is_new || (is_late && !hardships_.company)) broken(named(step) + " is doubled");
    if (step.number > job.written) broken("the history has " + named(step) + ", which nobody wrote");
    while (job.next <= step.number && (job.is_excused(job.next) || job.seen.contains(job.next))) ++job.next;
    // Only an import brings what was written before something else later than that.
    if (job.next <= step.number && !hardships_.company) broken(named({step.job, job.next}) + " is lost");
  }
  if (hardships_.detailed) world_.story() += world_.files_now() + machine_.sources();
  for (std::size_t number = 0; anew && number < world_.jobs().size(); ++number) {
    const Job& job = world_.jobs()[number];
    if (job.next < job.before)
      broken(named({static_cast<int>(number), job.next}) + " was in the history before a restart");
  }
  in_call_ = false;
}

// A training whose first line is gone is read as the one before: and the same step once more says nothing new.
void Life::excuse_repeated(Job& job) {
  const std::vector<Job>& jobs = world_.jobs();
  const auto at = [&](int number) -> const Job& { return jobs[static_cast<std::size_t>(number)]; };
  int before = job.headless ? job.after : -1;
  while (before >= 0 && at(before).seen.empty()) before = at(before).after;
  if (before >= 0) job.excuse(*at(before).seen.rbegin(), *at(before).seen.rbegin());
}

void Life::check_all() {
  for (std::size_t number = 0; number < world_.jobs().size(); ++number) {
    Job& job = world_.jobs()[number];
    excuse_repeated(job);
    for (int step = job.next; step <= job.written; ++step)
      if (!job.is_excused(step) && !job.seen.contains(step))
        broken(named({static_cast<int>(number), step}) + " is lost at the end");
  }
  in_call_ = true;
  const std::int64_t lines = machine_.lines(), lost = machine_.lost_bytes();
  in_call_ = false;
  if (world_.anything_excused()) return;
  // A torn line at the end of a file that is replaced is counted when its file ends, and when it goes on in the other.
  if (lines != world_.lines() && !world_.tears_lines())
    broken(std::to_string(lines) + " lines were counted, " + std::to_string(world_.lines()) + " written");
  if (lost != 0 && !world_.hides_a_copy())
    broken(std::to_string(lost) + " bytes are told as lost, and none are");
}

void Life::broken(const std::string& what) {
  in_call_ = true;
  std::string text = what + "\n" + world_.story() + world_.files_now();
  if (machine_.is_running()) text += machine_.sources();
  throw Broken(text);
}

}  // namespace etad::simulation
