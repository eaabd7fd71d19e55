#include "daemon/health.h"

#include <algorithm>
#include <string>

#include "daemon/service/turn_queue.h"

namespace etad {
namespace {

using service::Health;
using service::Metric;

void add_counter(Health& out, std::string name, std::string help, std::int64_t value, std::string unit = {}) {
  out.metrics.push_back({std::move(name),
                         std::move(help),
                         Metric::Type::counter,
                         std::move(unit),
                         {},
                         static_cast<double>(value)});
}

void add_counters(Health& out, const IngestCounters& counters) {
  add_counter(out, "read_bytes", "Bytes read from followed files and committed", counters.bytes, "bytes");
  add_counter(out, "lines", "Lines read from followed files", counters.lines);
  add_counter(out, "matched_lines", "Lines that a rule matched", counters.matched);
  add_counter(out, "unmatched_lines", "Lines that no rule matched", counters.unmatched);
  add_counter(out, "truncated_lines", "Lines cut at the length limit", counters.truncated);
  add_counter(out, "skipped_bytes", "NUL bytes passed over", counters.skipped_bytes, "bytes");
  add_counter(out, "lost_bytes", "Bytes known to be gone unread", counters.lost_bytes, "bytes");
  add_counter(out, "rejected_measurements", "Measurements that could not be true", counters.rejected);
  add_counter(out, "segments", "Segments committed from followed files", counters.segments);
  add_counter(out, "samples", "Samples of traces committed from followed files", counters.samples);
  add_counter(out, "commits", "Transactions committed", counters.commits);
  add_counter(out, "failed_commits", "Transactions that failed and were tried again",
              counters.failed_commits);
}

void add_labelled(Health& out, std::string name, std::string help, std::string label, std::string_view value,
                  std::int64_t count) {
  out.metrics.push_back({std::move(name),
                         std::move(help),
                         Metric::Type::counter,
                         {},
                         {{std::move(label), std::string(value)}},
                         static_cast<double>(count)});
}

// Every kind from the start on, or the first event of a kind would be no increase to Prometheus.
void add_runs(Health& out, const HealthInputs& inputs) {
  for (int i = 0; i <= static_cast<int>(RunEventKind::recovered); ++i) {
    const auto kind = static_cast<RunEventKind>(i);
    const auto found = inputs.run_events.find(kind);
    add_labelled(out, "run_events", "What became of followed runs, by event", "event", name_of(kind),
                 found == inputs.run_events.end() ? 0 : found->second);
  }
  if (!inputs.alerts) return;
  const auto& [sent, failed, dropped] = *inputs.alerts;
  for (const auto& [outcome, count] : {std::pair("sent", sent), {"failed", failed}, {"dropped", dropped}})
    add_labelled(out, "alerts", "Alerts for the operator's command, by outcome", "outcome", outcome, count);
}

void add_gauge(Health& out, std::string name, std::string help, std::int64_t value) {
  out.metrics.push_back(
      {std::move(name), std::move(help), Metric::Type::gauge, {}, {}, static_cast<double>(value)});
}

void add_failures(Health& out, const HealthInputs& inputs) {
  if (const auto& failure = inputs.ingest.failure) {
    out.failures.push_back({"history", failure->text(), "what was read is not lost: it is read again"});
  }
  if (inputs.refit_failure)
    out.failures.push_back({"refit", inputs.refit_failure->text(), "the old models answer"});
  if (inputs.reload_failure) {
    out.failures.push_back(
        {"config", inputs.reload_failure->text(), "mend it and reload; the old one is in force"});
  }
  if (inputs.formats == 0) {
    out.failures.push_back({"rules", "no rule files are loaded: no log is understood", "see [rules] path"});
  }
}

// `one` and `several`: why, of that many subjects.
void add_note(Health& out, Health::Noted part, const char* one, const char* several, const char* hint,
              const std::vector<std::string>& subjects) {
  if (subjects.empty()) return;
  const auto shown = static_cast<std::ptrdiff_t>(std::min(subjects.size(), Health::kMostSubjects));
  out.notes.push_back({part,
                       subjects.size() == 1 ? one : several,
                       hint,
                       {subjects.begin(), subjects.begin() + shown},
                       static_cast<std::int64_t>(subjects.size())});
}

// In turns of those whose they are: of who has many no more are among the first.
std::vector<std::string> texts_of(const std::vector<follow::Obstacle>& obstacles, const auto& text) {
  service::TurnQueue<std::optional<std::int64_t>, std::string> queue;
  for (const follow::Obstacle& each : obstacles) queue.push(each.owner, text(each));
  std::vector<std::string> out;
  while (!queue.empty()) out.push_back(queue.pop());
  return out;
}

}  // namespace

service::Health health_of(const HealthInputs& inputs, follow::SteadyTime now) {
  Health out;
  out.started_at = inputs.started_at;
  out.looking = inputs.ingest.looking;
  out.sources = static_cast<std::int64_t>(inputs.ingest.followed);
  std::string first;
  for (const follow::Status& stream : *inputs.ingest.streams) {
    if (stream.state != follow::State::waiting) continue;
    ++out.failing_sources;
    if (first.empty()) first = stream.path + ": " + stream.text;
  }
  out.lag_bytes = inputs.ingest.lag_bytes;
  if (inputs.ingest.behind_since) {
    out.lag_seconds = std::chrono::duration<double>(now - *inputs.ingest.behind_since).count();
  }
  out.last_commit = inputs.ingest.last_commit;
  out.last_refit = inputs.last_refit;
  add_failures(out, inputs);
  if (out.failing_sources > 0) {
    out.failures.push_back({"sources", std::to_string(out.failing_sources) + " can't be read; " + first,
                            "let the daemon's user read it; see operations.md, Who may do what"});
  }
  add_note(
      out, Health::Noted::folders, "can't be looked into", "can't be looked into",
      "give the daemon's user the right: `setfacl -m u:etad:rx FOLDER`; see operations.md, Who may do what",
      texts_of(inputs.ingest.lookup->unreadable,
               [](const auto& each) { return each.path + ": " + each.text; }));
  add_note(
      out, Health::Noted::patterns, "matches no file", "match no file",
      "as it should be where nothing was logged yet; else mend `paths` in the configuration: * and ? stay "
      "within one folder, /**/ stands for any number of them",
      inputs.ingest.lookup->unmatched);
  add_note(out, Health::Noted::crowded, "has more folders below it than are looked into",
           "have more folders below them than are looked into",
           "name what lies in between in `paths`: /scratch/*/runs/**/*.log instead of /scratch/**/*.log",
           inputs.ingest.lookup->crowded);
  add_note(out, Health::Noted::users, "has more files or folders than are looked at of one",
           "have more files or folders than are looked at of one",
           "let `paths` find fewer, or raise `files` in [budgets]; see operations.md, Budgets",
           inputs.ingest.lookup->refused);
  add_note(out, Health::Noted::rotated,
           "grows and is not read: by its name it is a rotated file of another log",
           "grow and are not read: by their names they are rotated files of another log",
           "if they are logs of their own, say `read_rotated = \"apart\"` in their [[source]]",
           texts_of(inputs.ingest.lookup->passed_over, [](const auto& each) { return each.path; }));
  add_counters(out, inputs.ingest.counters);
  add_runs(out, inputs);
  add_gauge(out, "formats", "Loaded formats", inputs.formats);
  return out;
}

}  // namespace etad
