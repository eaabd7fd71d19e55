#include "fleet/export/exporter.h"

#include <algorithm>
#include <utility>

#include "fleet/export/place.h"
#include "fleet/export/privacy.h"

namespace etad::fleet {
namespace {

// What the database does not take, however often it is tried: values beyond its types or its limits, or what a check of
// the operator's refuses, such as a trigger's RAISE (P0) or a view's WITH CHECK OPTION (44).
bool is_refusal(const postgres::Failure& failure) {
  const std::string_view of = std::string_view(failure.sql_state).substr(0, 2);
  return of == "22" || of == "23" || of == "44" || of == "54" || of == "P0";
}

}  // namespace

Exporter::Exporter(Settings settings, std::string session, std::string version, std::string host_name,
                   std::function<double()> monotonic)
    : settings_(std::move(settings)),
      session_(std::move(session)),
      version_(std::move(version)),
      host_name_(std::move(host_name)),
      monotonic_(std::move(monotonic)),
      batch_(settings_.batch) {}

void Exporter::connect(const Changes& changes) {
  const std::string host = host_of(changes.starts);
  if (rows_ && host == status_.host_id) return;
  rows_.reset();
  if (!connection_) {
    connection_ = std::make_unique<postgres::Connection>(settings_.database, settings_.password_file,
                                                         settings_.timeout);
    known_ = known_schema(*connection_);
  }
  status_.host_id = host;
  rows_ = std::make_unique<HostRows>(*connection_, known_, host, version_);
  rows_->end_lost_sessions(settings_.timeout);
  claim(changes);
}

// Goes on where the database says it stands, or begins anew.
void Exporter::claim(const Changes& changes) {
  const auto row = rows_->find();
  HostRow from;
  from.start_token = changes.starts.front().token;
  from.generation = 1;
  if (!row) {
    rows_->claim(session_, host_name_, from, std::nullopt);
    return;
  }
  const bool goes_on = goes_on_from({row->start_token, row->up_to}, changes.starts, changes.newest);
  if (goes_on && row->schema >= std::min(known_.version, kRowsVersion)) {
    rows_->claim(session_, host_name_, *row, row->sweep_at);
    return;
  }
  if (!goes_on && row->session != session_ && may_be_alive(row->silent_seconds))
    throw postgres::Failure(
        "", Error{"host " + status_.host_id, "another exporter writes this host's rows, from another history",
                  "where this machine is a copy: rm /etc/machine-id /var/lib/dbus/machine-id; "
                  "systemd-machine-id-setup; then restart etad. "
                  "Where the history was restored it is taken over in a minute",
                  ErrorKind::conflict});
  from.generation = row->generation + 1;
  rows_->claim(session_, host_name_, from, changes.newest);
  ++status_.counters.anew;
}

// Without what other machines did before this history was copied from theirs, and without what stays at home.
Changes Exporter::own_part(Changes changes) {
  const auto foreign = std::erase_if(
      changes.runs, [&](const ChangedRun& run) { return run.now && !run_is_own(changes.starts, run.id); });
  status_.counters.foreign += static_cast<std::int64_t>(foreign);
  std::erase_if(changes.minutes, [&](const ChangedMinutes& minutes) {
    const auto wanted = [&](const std::string& begins) { return minutes.series.name.starts_with(begins); };
    return !std::ranges::any_of(settings_.series, wanted) || !change_is_own(changes.starts, minutes.seq);
  });
  make_private(changes, settings_.privacy);
  return changes;
}

bool Exporter::carry(Changes changes) {
  changes = own_part(std::move(changes));
  const HostRows::Step step{changes, token_at(changes.starts, changes.up_to), host_name_,
                            changes.oldest_minutes};
  if (!rows_->write(step)) {
    rows_.reset();
    throw postgres::Failure(
        "", Error{"host " + status_.host_id, "another exporter has claimed this host's rows", "",
                  ErrorKind::unavailable});
  }
  wrote_at_ = monotonic_();
  Counters& counters = status_.counters;
  counters.runs += static_cast<std::int64_t>(changes.runs.size());
  counters.architectures += static_cast<std::int64_t>(changes.architectures.size());
  for (const auto& minutes : changes.minutes)
    counters.minutes += static_cast<std::int64_t>(minutes.points.size());
  batch_ = std::min(settings_.batch, 2 * batch_);
  return changes.waiting > 0;
}

Result<bool> Exporter::try_pass() {
  // Opened anew for each pass: the file may have been replaced by a backup.
  auto history = ChangeReader::open(settings_.history);
  if (!history) return tl::unexpected(history.error());
  const bool claimed = rows_ != nullptr;
  const std::int64_t from = claimed ? rows_->now().up_to : 0;
  auto changes = (*history)->after(from, claimed ? batch_ : 0);
  if (!changes) return tl::unexpected(changes.error());
  if (!claimed) status_.waiting = changes->waiting;
  if (changes->starts.empty()) return false;
  connect(*changes);
  const HostRow& now = rows_->now();
  if (!goes_on_from({now.start_token, now.up_to}, changes->starts, changes->newest)) claim(*changes);
  if (!claimed || from != now.up_to) {
    changes = (*history)->after(now.up_to, batch_);
    if (!changes) return tl::unexpected(changes.error());
  }
  status_.connected = true;
  status_.waiting = changes->waiting + static_cast<std::int64_t>(changes->size());
  const bool sweeps = now.sweep_at && changes->up_to >= *now.sweep_at;
  const bool silent = monotonic_() - wrote_at_ >= static_cast<double>(kSignOfLife.count());
  if (changes->up_to == now.up_to && !sweeps && !silent) return false;
  const Changes kept = *changes;
  try {
    const bool more = carry(std::move(*changes));
    status_.waiting = kept.waiting;
    return more;
  } catch (const postgres::Failure& failure) {
    if (!is_refusal(failure)) throw;
    // Found by halves, so that one bad change holds up none but itself.
    const HostRow before = rows_->now();
    rows_.reset();
    connection_.reset();
    if (kept.size() > 1) {
      batch_ = std::max<std::int64_t>(1, batch_ / 2);
      return true;
    }
    ++status_.counters.refused;
    status_.refusal = failure.error;
    Changes empty = kept;
    empty.runs.clear();
    empty.architectures.clear();
    empty.minutes.clear();
    connect(empty);
    if (rows_->now().up_to == before.up_to) carry(std::move(empty));
    return true;
  }
}

Result<bool> Exporter::pass() {
  ++status_.counters.passes;
  Result<bool> done = false;
  std::string reason = "history";
  try {
    done = try_pass();
  } catch (const postgres::Failure& failure) {
    rows_.reset();
    connection_.reset();
    status_.connected = false;
    reason = failure.sql_state.empty() ? "connection" : failure.sql_state;
    done = tl::unexpected(failure.error);
  }
  status_.error = done ? std::nullopt : std::optional(done.error());
  if (!done) ++status_.counters.failures[reason];
  return done;
}

}  // namespace etad::fleet
