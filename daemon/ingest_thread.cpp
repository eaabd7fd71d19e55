#include "daemon/ingest_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "daemon/command_line_watch.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/rotation.h"
#include "daemon/log.h"
#include "daemon/own_files.h"
#include "daemon/pace.h"
#include "daemon/system.h"
#include "daemon/without_throwing.h"
#include "storage/placement.h"

namespace etad {
namespace {

constexpr std::chrono::milliseconds kLongestWait{5'000};  // so that a watchdog hears of us
constexpr std::chrono::seconds kMaintainedBusy{1};        // between two steps of maintenance while working
constexpr std::chrono::seconds kMaintainedIdle{60};       // and while nothing moves
constexpr std::size_t kManyNames = 1'000;                 // of which a list's memory is worth giving back
constexpr std::chrono::hours kForgetFinished{1};          // what long ended is forgotten then
constexpr std::chrono::seconds kPlaceLook{5};             // whether the database is still the one we have
constexpr int kRecoverPause = 1'000;                      // milliseconds between two tries to begin anew
constexpr std::chrono::seconds kSetBack{2};               // of the wall clock: worth a word
constexpr std::chrono::milliseconds kPublishEvery{250};   // at most so often while something happens
// Publishing many streams takes at most one part of so many of the time: while something happens, and while
// nothing does.
constexpr int kPublishShare = 500, kIdlePublishShare = 5'000;
constexpr std::chrono::seconds kPublishRarest{2};                         // while something happens
constexpr std::chrono::seconds kIdlePublish{10}, kIdlePublishRarest{60};  // while nothing does
// Lines as they come take at most one part of so many of a core, however many logs grow.
constexpr int kLiveShare = 12;
constexpr std::chrono::seconds kLongestRest{3};
constexpr std::chrono::milliseconds kAtOnce{20};  // of a core: what few logs need is not put off

IngestCounters sum(IngestCounters a, const IngestCounters& b) {
  a.bytes += b.bytes;
  a.lines += b.lines;
  a.matched += b.matched;
  a.unmatched += b.unmatched;
  a.truncated += b.truncated;
  a.rejected += b.rejected;
  a.skipped_bytes += b.skipped_bytes;
  a.lost_bytes += b.lost_bytes;
  a.commits += b.commits;
  a.failed_commits += b.failed_commits;
  a.segments += b.segments;
  a.samples += b.samples;
  return a;
}

void write_of_source(log::Level level, const std::string& text, const std::string& path) {
  if (path.empty())
    log::write(level, text, {{"PART", "sources"}});
  else
    log::write(level, text, {{"PART", "sources"}, {"SOURCE", path}});
}

}  // namespace

Result<IngestSetup> ingest_setup(const Config& config, std::shared_ptr<const FormatSet> formats) {
  IngestSetup setup;
  setup.database = real_path(config.storage.path);
  setup.host = config.host.empty() ? system::host_name() : config.host;
  setup.lost_after = config.follow.lost_after;
  setup.follow.line_limit = config.follow.line_limit;
  setup.follow.active_interval = config.follow.poll;
  setup.follow.idle_interval = std::max<std::chrono::milliseconds>(config.follow.scan, config.follow.poll);
  setup.follow.hinted_interval = 6 * setup.follow.idle_interval;
  setup.follow.max_open = std::min(config.follow.max_open_files, system::descriptor_limit() / 4);
  setup.follow.most_of_owner = static_cast<std::size_t>(config.follow.files_of_owner);
  setup.follow.line_idle_limit = config.follow.lost_after / 2;  // before the run is given up
  setup.follow.bar_idle_limit = config.follow.lost_after / 12;
  setup.follow.first_lines = 256;  // of lines that may take a thousand times as long as others
  for (const SourceConfig& source : config.sources) {
    auto pattern = PathPattern::compile(source.path_pattern);
    if (!pattern) return tl::unexpected(pattern.error());
    for (const std::string& path : source.paths) {
      if (names_database(path, setup.database) || names_database(path, config.storage.path)) {
        return fail("the pattern '" + path + "' finds the history itself, " + setup.database,
                    "a daemon that follows its own database would never be done");
      }
      setup.watches.push_back(
          {path, setup.sources.size(), source.read_rotated, source.read_apart, source.rotated_in});
    }
    setup.sources.push_back({source.format, source.labels, std::move(*pattern), source.columns});
  }
  auto patterns = CommandLinePatterns::compile(config.command_line.patterns);
  if (!patterns) return tl::unexpected(patterns.error());
  setup.command_line = std::move(*patterns);
  setup.formats = std::move(formats);
  return setup;
}

// What one start of the thread works with.
struct IngestThread::Work {
  const Accounts accounts = Accounts::of_machine();
  std::unique_ptr<follow::FileSystem> files;
  std::unique_ptr<follow::HintSource> hints;
  std::unique_ptr<follow::Follower> follower;
  std::unique_ptr<Ingest> ingest;
  std::unique_ptr<CommandLineWatch> command_lines;
  follow::SteadyTime next_publish{}, next_idle_publish{};
  std::shared_ptr<const std::vector<std::string>> unwatched;
  Pace pace{kLiveShare, kLongestRest, kAtOnce};
  follow::SteadyTime rest_until{};  // what comes until then waits
  bool unpublished = true;          // something happened since the last time
  std::size_t listed = 0;           // names of folders, since memory was last given back for them
};

IngestThread::IngestThread(SharedWriter& writer, std::function<void()> committed,
                           CommandLineReader* command_lines)
    : writer_(writer),
      committed_(std::move(committed)),
      command_line_reader_(command_lines),
      source_warnings_(write_of_source,
                       [this](const std::string& path) -> MessageLimit::Owner {
                         const auto uid = system::owner_of_name(path);
                         return uid && work_ ? MessageLimit::Owner(work_->accounts.of(*uid)) : uid;
                       }),
      wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

IngestThread::~IngestThread() {
  stop();
  if (wake_fd_ >= 0) close(wake_fd_);
}

IngestOptions ingest_options(const IngestSetup& setup) {
  IngestOptions options;
  options.formats = setup.formats;
  options.sources = setup.sources;
  options.host = setup.host;
  options.zone = system::local_zone();
  options.lost_after = setup.lost_after;
  return options;
}

// From what the history holds.
Result<std::unique_ptr<IngestThread::Work>> IngestThread::make_work() const {
  auto work = std::make_unique<Work>();
  work->files = without_database(follow::posix_filesystem(), setup_.database, work->accounts);
  follow::Errno error = 0;
  work->hints = follow::inotify_hints(error);
  if (!work->hints) log::warning("no inotify (" + std::string(std::strerror(error)) + "): polling only");
  work->follower =
      std::make_unique<follow::Follower>(*work->files, work->hints.get(), setup_.watches, setup_.follow);
  IngestOptions options = ingest_options(setup_);
  options.files = work->files.get();
  work->command_lines =
      std::make_unique<CommandLineWatch>(setup_.command_line, command_line_reader_, writer_);
  options.tell_begun_runs = work->command_lines->wanted();
  options.spent = [this] {
    beat();
    return system::thread_time();
  };
  work->ingest = std::make_unique<Ingest>(std::move(options), writer_, *work->follower);
  if (auto restored = work->ingest->restore(system::now()); !restored)
    return tl::unexpected(restored.error());
  work->unwatched = std::make_shared<const std::vector<std::string>>(work->ingest->take_unwatched());
  return work;
}

Result<void> IngestThread::start(IngestSetup setup) {
  stop();
  setup_ = std::move(setup);
  auto work = make_work();
  if (!work) return tl::unexpected(work.error());
  work_ = std::move(*work);
  beat();
  thread_ = std::jthread([this](const std::stop_token& stop) { loop(stop); });
  return {};
}

Result<void> IngestThread::restart(IngestSetup next) {
  IngestSetup before = setup_;
  const auto started = start(std::move(next));
  if (started) return started;
  const auto undone = start(std::move(before));
  if (undone)
    return fail(started.error().text(), "the old configuration is in force again", "the new sources");
  return fail(started.error().text() + "; and the old one neither: " + undone.error().text(),
              "nothing is followed until a reload succeeds, or the service manager, which hears no more of "
              "it, restarts etad",
              "the new sources");
}

void IngestThread::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  eventfd_write(wake_fd_, 1);
  thread_.join();
  let_go_of_work();
}

void IngestThread::let_go_of_work() {
  if (work_) before_ = sum(before_, work_->ingest->counters());
  work_.reset();
}

void IngestThread::loop(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      round(*work_);
      if (std::exchange(outdated_, false)) begin_anew(stop);
    } catch (const std::exception& defect) {  // std::bad_alloc above all
      recover(stop, defect.what());
    }
  }
}

// What a round left half done is forgotten, first of all: where there is no memory, there is some then.
void IngestThread::recover(const std::stop_token& stop, std::string_view why) {
  let_go_of_work();
  try {
    log::error("reading logs failed unexpectedly, and begins anew: " + std::string(why),
               {{"PART", "sources"}});
  } catch (const std::exception&) {  // then it is not told
  }
  pollfd wake{wake_fd_, POLLIN, 0};
  poll(&wake, 1, kRecoverPause);
  begin_anew(stop);
}

// From what the history holds, as after a kill.
void IngestThread::begin_anew(const std::stop_token& stop) {
  let_go_of_work();
  while (!stop.stop_requested()) {
    beat();
    try {
      auto work = without_throwing([this] { return make_work(); });
      if (work) work_ = std::move(*work);
      commit_failure_ = work ? std::nullopt : std::optional(work.error());
      tell_outcome(failure());
    } catch (const std::exception&) {  // there is no memory to tell it either: later
    }
    if (work_) return;
    pollfd wake{wake_fd_, POLLIN, 0};
    poll(&wake, 1, kRecoverPause);
  }
}

void IngestThread::round(Work& work) {
  const auto now = follow::SteadyTime::clock::now();
  const Instant wall = system::now();
  beat();
  tell_clock(now, wall);
  const auto spent = system::thread_time();
  const auto done = work.ingest->tick(now, wall);
  if (!done) {
    commit_failure_ = done.error();
  } else if (!work.ingest->is_retrying(now)) {
    commit_failure_.reset();
  }
  maintain(now, wall, done && *done);
  tell_outcome(failure());
  const bool labelled = work.command_lines->wanted() && read_command_lines(work, now);
  if ((done && *done) || labelled) committed_();
  for (const std::string& notice : work.follower->take_notices())
    write_of_source(log::Level::warning, notice, {});
  for (const Error& notice : work.ingest->take_notices())
    source_warnings_.tell(notice.where, notice.text(), now);
  work.unpublished = work.unpublished || !done || *done;
  publish(work, now);
  const bool worked = done && *done;
  // What lists so many names is paced by their number: whoever waits for lines need not rest for it.
  const bool has_listed_many = work.follower->listed() >= follow::kManyListed;
  if (worked && !work.ingest->is_catching_up() && !has_listed_many) {
    const auto done_at = follow::SteadyTime::clock::now();
    work.rest_until = done_at + work.pace.rest_after(done_at, system::thread_time() - spent);
  }
  wait(work, worked);
  std::uint64_t count = 0;
  eventfd_read(wake_fd_, &count);
  work.follower->on_hint(follow::SteadyTime::clock::now());
}

bool IngestThread::read_command_lines(Work& work, follow::SteadyTime now) {
  const bool labelled = work.command_lines->look(work.ingest->take_begun_runs(), now);
  if (const auto notice = work.command_lines->take_notice())
    log::warning(*notice, {{"PART", "command line"}});
  return labelled;
}

void IngestThread::wait(const Work& work, bool worked) const {
  const auto now = follow::SteadyTime::clock::now();
  using Wait = follow::SteadyTime::duration;
  if (now < work.rest_until) {
    pollfd wake{wake_fd_, POLLIN, 0};
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(work.rest_until - now);
    poll(&wake, 1, static_cast<int>(rest.count()));
    return;
  }
  if (worked) return;
  const Wait longest =
      work.unpublished ? std::clamp<Wait>(work.next_publish - now, {}, kLongestWait) : kLongestWait;
  const auto due = std::clamp<Wait>(work.ingest->next_due(now) - now, {}, longest);
  pollfd fds[] = {{wake_fd_, POLLIN, 0},
                  {work.follower->hint_fd(), POLLIN, 0},
                  {work.command_lines->descriptor(), POLLIN, 0}};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(due);
  poll(fds, 3, static_cast<int>(milliseconds.count()));
}

// A failure lasts for many rounds; the log is told when it begins, when it changes and when it is over. Who asks how the
// thread is doing is told at once, also where it can't begin and publishes nothing.
void IngestThread::tell_outcome(const std::optional<Error>& failure) {
  {
    const Lock lock(mutex_);
    status_.failure = failure;
  }
  const std::string text = failure ? failure->text() : std::string();
  if (text == told_failure_) return;
  if (failure) {
    log::error(*failure, {{"PART", "history"}});
  } else {
    log::info("the history can be written again", {{"PART", "history"}});
  }
  told_failure_ = text;
}

std::optional<Error> IngestThread::failure() const {
  return commit_failure_ ? commit_failure_ : maintenance_failure_;
}

// Nothing goes by the wall clock here but what is dated with it. That it was set is told: lines without a
// date get theirs from it.
void IngestThread::tell_clock(follow::SteadyTime now, Instant wall) {
  const auto difference = ahead_of_steady(wall, now);
  const auto back = clocks_differ_.value_or(difference) - difference;
  clocks_differ_ = difference;
  if (back < kSetBack) return;
  log::warning("the machine's clock was set back by " +
               std::to_string(std::chrono::round<std::chrono::seconds>(back).count()) +
               " s: lines that bear no date are dated by it");
}

void IngestThread::publish(Work& work, follow::SteadyTime now) {
  const bool stale = now >= work.next_idle_publish;
  const bool due = now >= work.next_publish && (work.unpublished || stale);
  std::shared_ptr<const std::vector<follow::Status>> streams;
  std::shared_ptr<const follow::Lookup> lookup;
  if (due) {
    const auto begun = follow::SteadyTime::clock::now();
    streams = std::make_shared<const std::vector<follow::Status>>(work.follower->statuses(false));
    lookup = std::make_shared<const follow::Lookup>(work.follower->lookup());
    source_warnings_.look(*streams, *lookup, now);
    const auto cost = std::chrono::ceil<std::chrono::microseconds>(follow::SteadyTime::clock::now() - begun);
    work.next_publish =
        now + std::clamp<std::chrono::microseconds>(cost * kPublishShare, kPublishEvery, kPublishRarest);
    work.next_idle_publish = now + std::clamp<std::chrono::microseconds>(cost * kIdlePublishShare,
                                                                         kIdlePublish, kIdlePublishRarest);
    work.unpublished = false;
  }
  const Lock lock(mutex_);
  status_.counters = sum(before_, work.ingest->counters());
  if (const auto last = work.ingest->last_commit()) status_.last_commit = last;  // else of before a reload
  if (!due) return;
  status_.followed = work.follower->size();
  status_.streams = std::move(streams);
  status_.lookup = std::move(lookup);
  status_.unwatched = work.unwatched;
  status_.looking = false;
  status_.lag_bytes = 0;
  for (const auto& stream : *status_.streams) {
    if (!stream.caught_up) status_.lag_bytes += std::max<std::int64_t>(0, stream.size - stream.offset);
  }
  if (status_.lag_bytes == 0) status_.behind_since.reset();
  if (status_.lag_bytes > 0 && !status_.behind_since) status_.behind_since = now;
}

void IngestThread::maintain(follow::SteadyTime now, Instant wall, bool busy) {
  if (now >= next_place_look_) {
    next_place_look_ = now + kPlaceLook;
    if (!writer_.with([](Writer& writer) { return writer.check_place(); })) next_maintenance_ = now;
  }
  // A list of ten thousand names, made each minute, is all that an idle daemon takes memory for.
  work_->listed += work_->follower->listed();
  if (!busy && std::exchange(work_->listed, 0) >= kManyNames) system::return_memory();
  if (now < next_maintenance_) return;
  static constexpr std::chrono::days kFinishedKept{400};
  static constexpr std::chrono::days kGoneKept{2};  // longer than the follower knows what is gone
  const Instant lasting = lasting_clock_.at(now, wall, work_->ingest->last_read());
  const auto owed = work_->ingest->rules_look().again_if_owed();
  outdated_ = owed && *owed;
  const auto kept = writer_.with([&](Writer& writer) -> Result<void> {
    if (!owed) return tl::unexpected(owed.error());
    if (auto done = writer.maintain(lasting); !done || now < next_forgetting_) return done;
    return writer.forget_finished(lasting - kFinishedKept, lasting - kGoneKept);
  });
  if (kept && now >= next_forgetting_) next_forgetting_ = now + kForgetFinished;
  maintenance_failure_ = kept ? std::nullopt : std::optional(kept.error());
  next_maintenance_ = now + (busy || !kept ? kMaintainedBusy : kMaintainedIdle);
  // What catching up needed.
  if (!busy && kept) system::return_memory();
}

IngestStatus IngestThread::status() const {
  const Lock lock(mutex_);
  return status_;
}

void IngestThread::beat() const {
  beat_ = follow::SteadyTime::clock::now().time_since_epoch().count();
}

follow::SteadyTime IngestThread::last_beat() const {
  return follow::SteadyTime(follow::SteadyTime::duration(beat_.load()));
}

}  // namespace etad
