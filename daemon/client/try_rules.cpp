// etactl check-rules --try: what rule files would make of a log, without a daemon and without a history.
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include "daemon/client/check_rules.h"
#include "daemon/client/deployment_words.h"
#include "daemon/client/text.h"
#include "parsers/lines/inflater.h"
#include "parsers/lines/log_lines.h"
#include "parsers/lines/packed.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/field_draft.h"
#include "parsers/rules/line_templates.h"

namespace etad::client {
namespace {

constexpr std::size_t kLineLimit = 64 * 1024;
constexpr std::size_t kTemplatesShown = 12;
constexpr std::size_t kLinesForHeader = 1'000;  // so many tell how a log's lines begin

// The log that is tried: a file, or "-" for what is piped in, which is kept, since a log is read more than once.
class TriedLog {
 public:
  explicit TriedLog(const std::string& path) : path_(path) {
    if (path == "-") piped_.assign(std::istreambuf_iterator<char>(std::cin), {});
  }

  // Every line, as an import would read it.
  Result<void> each_line(const LogLines::Sink& take) const {
    if (path_ == "-") {
      std::istringstream in(piped_);
      return read(in, take);
    }
    std::ifstream in(path_, std::ios::binary);
    return read(in, take);
  }

 private:
  Result<void> read(std::istream& in, const LogLines::Sink& take) const;

  std::string path_;
  std::string piped_;
};

Result<void> TriedLog::read(std::istream& in, const LogLines::Sink& take) const {
  LogLines lines(kLineLimit, take);
  Inflater content([&lines](std::string_view bytes) {
    lines.feed(bytes);
    return Result<void>();
  });
  std::vector<char> piece(256 * 1024);
  for (bool first = true; in; first = false) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (const auto program = first ? unpacked_by(bytes) : std::string_view(); !program.empty())
      return fail("is packed", unpack_first(program), path_);
    if (auto fed = content.feed(bytes); !fed) return fail(fed.error().message, {}, path_);
  }
  if (!in.eof()) return fail(std::strerror(errno), {}, path_);
  if (auto ended = content.finish(); !ended) return fail(ended.error().message, {}, path_);
  lines.finish();
  return {};
}

Object phase_of(const PhaseSummary& phase) {
  Object out = {{"measurements", phase.segments},
                {"segments", phase.segments},  // the same, by the name that it had first
                {"iterations", phase.iterations},
                {"seconds", to_seconds(phase.duration)},
                {"samples_per_iteration", nullptr}};
  if (phase.samples_per_iteration) out["samples_per_iteration"] = *phase.samples_per_iteration;
  return out;
}

Object run_of(const Run& run) {
  Object out = {
      {"job", name_of(run.job)}, {"state", name_of(run.state)}, {"framework", printable(run.framework)},
      {"network", nullptr},      {"iteration", nullptr},        {"max_iterations", nullptr}};
  if (!run.network.empty()) out["network"] = printable(run.network);
  if (run.iteration) out["iteration"] = *run.iteration;
  if (run.max_iterations) out["max_iterations"] = *run.max_iterations;
  if (run.train.segments > 0) out["train"] = phase_of(run.train);
  if (run.test.segments > 0) out["test"] = phase_of(run.test);
  return out;
}

boost::json::array lines_of(const std::string& text) {
  boost::json::array out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.emplace_back(printable(line));
  return out;
}

// The lines that no rule matches, as a rule would see them.
struct Unmatched {
  std::string_view timestamp;  // the header that was taken off them, where it is no format's; empty: none
  LineTemplates templates;
};

// Beside a known format a rule of fields is none to begin with: its words would be heard in all of the file's lines.
Object unmatched_of(const Unmatched& unmatched, bool is_known) {
  boost::json::array templates;
  for (const LineTemplates::Template& found : unmatched.templates.most_frequent(kTemplatesShown)) {
    templates.push_back(Object{{"lines", found.lines},
                               {"example", printable(with_numbers_marked(found))},
                               {"rule", lines_of(is_known ? "" : field_rule_for(found.example))},
                               {"pattern", printable(pattern_for(found))}});
  }
  Object out = {{"lines", unmatched.templates.lines()},
                {"lines_beyond", unmatched.templates.uncounted()},  // the most templates that are counted
                {"timestamp", nullptr},
                {"templates", std::move(templates)}};
  if (!unmatched.timestamp.empty()) out["timestamp"] = unmatched.timestamp;
  return out;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

// How the lines of a log that no format knows are dated.
std::string_view timestamp_of(const TriedLog& log) {
  std::vector<std::string> first;
  const auto read = log.each_line([&](std::string_view line, std::optional<Instant>) {
    if (first.size() < kLinesForHeader && !is_blank(line)) first.emplace_back(line);
  });
  return read ? usual_header(first) : std::string_view();
}

// Which lines are unmatched, the format that came out tells best; it was not known from the first line on.
Unmatched unmatched_lines(const Format* format, const TriedLog& log, Instant now) {
  Unmatched out;
  if (format == nullptr) out.timestamp = timestamp_of(log);
  const auto header = header_form(out.timestamp);
  TimeContext time;
  time.reference = now;
  NamedRows rows;
  const auto take = [&](std::string_view line, std::optional<Instant>) {
    if (is_blank(line)) return;
    if (format == nullptr) {
      out.templates.add(header ? line.substr(read_header(*header, line, time).message) : line);
    } else if (const Event event = format->match(line, rows, time); event.rule == Event::kNoRule) {
      out.templates.add(event.message);
    }
  };
  return log.each_line(take) ? std::move(out) : Unmatched();
}

std::string run_text(std::size_t number, const Object& run) {
  const std::string network = text_of(run, "network");
  std::string out = "  run " + std::to_string(number) + ": " + text_of(run, "job") + ", " +
                    text_of(run, "state") + ", framework " + text_of(run, "framework") + ", network " +
                    (network.empty() ? "unknown" : network);
  if (known(run, "iteration")) out += ", iteration " + std::to_string(count_of(run, "iteration"));
  if (known(run, "max_iterations")) out += " of " + std::to_string(count_of(run, "max_iterations"));
  out += "\n";
  for (const char* const name : {"train", "test"}) {
    const Object& phase = object_of(run, name);
    if (phase.empty()) continue;
    const double seconds = number_of(phase, "seconds"), iterations = number_of(phase, "iterations");
    out += std::string("    ") + name + ": " + counted(count_of(phase, "measurements"), "measurement") +
           ", " + std::to_string(count_of(phase, "iterations")) + " iterations in " +
           number_text(seconds, 6) + " s, " + number_text(seconds / iterations, 6) +
           " s each; samples per iteration " +
           (known(phase, "samples_per_iteration")
                ? trimmed(number_text(number_of(phase, "samples_per_iteration"), 12))
                : "unknown") +
           "\n";
  }
  if (!run.contains("train") && !run.contains("test"))
    out += "    no measurements: no line gives it times of which it is clear what they are of\n";
  return out;
}

// As a rule file has it: to the letter, but for what would end it.
std::string toml_text(const std::string& text) {
  constexpr std::string_view kQuote = "'''";
  if (text.find(kQuote) != text.npos) return boost::json::serialize(boost::json::value(text));
  return std::string(kQuote) + text + std::string(kQuote);
}

}  // namespace

Result<Object> try_rules(const FormatSet& formats, const std::string& path) {
  LogOptions options;
  options.formats = &formats;
  if (path != "-")
    options.beside = [folder = std::filesystem::path(path).parent_path()](const std::string& name) {
      std::error_code error;
      std::ifstream in;
      if (std::filesystem::is_regular_file(folder / name, error)) in.open(folder / name, std::ios::binary);
      return std::string((std::istreambuf_iterator<char>(in)), {});
    };
  LogParser parser(options);
  Records records;
  const TriedLog log(path);
  const auto now = std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
  std::int64_t lines = 0;
  const auto read = log.each_line([&](std::string_view line, std::optional<Instant> time) {
    parser.feed(line, time, now, records);
    ++lines;
  });
  if (!read) return tl::unexpected(read.error());
  parser.settle(records);
  parser.close(records);
  parser.flush(records);
  std::map<std::int64_t, Run> latest;
  for (const Run& run : records.runs) latest[run.ordinal] = run;
  boost::json::array runs;
  for (const auto& [ordinal, run] : latest) runs.push_back(run_of(run));
  const std::string& name = parser.format();
  Object out = {{"path", printable(path)},
                {"lines", lines},
                {"format", nullptr},
                {"runs", std::move(runs)},
                {"samples", records.samples()},
                {"rejected", records.rejected}};
  if (!name.empty()) out["format"] = name;
  const auto format = formats.find(name);
  const bool table = format && format->is_table();
  if (!table && records.samples() == 0)  // the lines of tables and traces are no rule's
    out["unmatched"] = unmatched_of(unmatched_lines(format.get(), log, now), format != nullptr);
  return out;
}

std::string tried_text(const Object& log) {
  const auto& runs = array_of(log, "runs");
  const std::string format = text_of(log, "format");
  std::string out = text_of(log, "path") + ": " + std::to_string(count_of(log, "lines")) + " lines, " +
                    (format.empty() ? "of no format that these rules know" : "format " + format) + ", " +
                    counted(static_cast<std::int64_t>(runs.size()), "run");
  if (count_of(log, "samples") > 0) out += ", " + counted(count_of(log, "samples"), "sample");
  if (count_of(log, "rejected") > 0)
    out += ", " + counted(count_of(log, "rejected"), "measurement") + " rejected";
  out += "\n";
  std::size_t number = 0;
  for (const auto& run : runs) out += run_text(++number, run.get_object());
  const Object& unmatched = object_of(log, "unmatched");
  if (count_of(unmatched, "lines") == 0) return out;
  out += "\nLines that no rule matches (" + std::to_string(count_of(unmatched, "lines")) +
         "), by how often they come, those with numbers first; <numbers> are marked:\n";
  if (const std::string timestamp = text_of(unmatched, "timestamp"); !timestamp.empty())
    out += "the time before them is left to timestamp = \"" + timestamp + "\"\n";
  for (const Object& found : objects_of(unmatched, "templates")) {
    out +=
        padded(std::to_string(count_of(found, "lines")), 8, true) + "  " + text_of(found, "example") + "\n";
    const auto& rule = array_of(found, "rule");
    if (rule.empty()) out += "          pattern = " + toml_text(text_of(found, "pattern")) + "\n";
    for (const auto& line : rule)
      out += (line.as_string().empty() ? "" : "          " + std::string(line.as_string())) + "\n";
  }
  if (const auto beyond = count_of(unmatched, "lines_beyond"); beyond > 0)
    out += counted(beyond, "more line") + " of ever other forms, not counted apart\n";
  return out;
}

}  // namespace etad::client
