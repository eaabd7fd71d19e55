#include "parsers/rules/rule_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "parsers/rules/format.h"
#include "parsers/rules/rule.h"
#include "parsers/rules/rule_file.h"

namespace etad {
namespace {

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + (text.size() > kShown ? "…'" : "'");
}

std::string written(double x) {
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%.10g", x);
  return {text, static_cast<std::size_t>(length)};
}

bool same_number(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::string in_words(const LineFields& fields, std::string_view message, const Vocabulary& words) {
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const LineField& field = fields[i];
    out += (out.empty() ? "" : ", ") + words.name(field.role) + " = " + std::string(field.value.in(message));
    if (field.total) out += " of " + std::string(field.total.in(message));
  }
  return out.empty() ? "none that [words] knows" : out;
}

class SampleRun {
 public:
  SampleRun(const Format& format, std::vector<Error>& errors) : format_(format), errors_(errors) {}

  void run() {
    const auto& samples = format_.file().samples;
    seen_.assign(format_.rules().size(), false);
    bool negative = false, recognised = format_.file().recognise.empty();
    bool believed = format_.file().needs.empty();
    for (const SampleSpec& sample : samples) {
      check(sample);
      negative = negative || !sample.event;
      recognised = recognised || format_.recognises(sample.text);
      believed = believed || format_.meets_needs(sample.text, Event{});
    }
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (!seen_[i])
        add(format_.rules()[i].line(), "rule '" + format_.rules()[i].name() + "': no sample is matched by it",
            "add a [[sample]], or see whether an earlier rule takes its lines");
    if (!negative)
      add(format_.file().format_line, "no sample that must give no event",
          "add a [[sample]] with event = \"\": a line that looks alike and means nothing");
    if (!recognised && !samples.empty())
      add(format_.file().recognise.front().line, "recognise: none of the samples is recognised", {});
    if (!believed && !samples.empty())
      add(format_.file().needs.front().line, "needs: none of the samples has what it asks for", {});
  }

 private:
  void add(std::size_t line, std::string message, std::string hint) {
    errors_.push_back(
        {format_.file().where + ":" + std::to_string(line), std::move(message), std::move(hint)});
  }

  static TimeContext context_for(const SampleSpec& sample) {
    TimeContext context;
    // A line without a year is dated by the sample's own time; one without that, by a fixed day.
    TimeContext reader;
    context.reference = Instant{std::chrono::seconds{1'600'000'000}};
    if (const auto at = read_time(sample.time, reader)) context.reference = *at;
    return context;
  }

  void check(const SampleSpec& sample) {
    TimeContext context = context_for(sample);
    const Event event = format_.match(sample.text, context);
    const Rule* rule = event.rule == Event::kNoRule ? nullptr : &format_.rules()[event.rule];
    if (rule) seen_[event.rule] = true;
    if (!sample.event) {
      if (event.kind != EventKind::none)
        add(sample.line,
            "sample " + quoted(sample.text) + " must give no event, but rule '" + rule->name() +
                "' makes it " + std::string(name_of(event.kind)),
            {});
      else
        check_rule(sample, rule);
      return;
    }
    if (!rule) return report_unmatched(sample, event);
    if (event.kind != *sample.event) {
      add(sample.line,
          "sample " + quoted(sample.text) + ": rule '" + rule->name() + "' makes it " +
              std::string(name_of(event.kind)) + ", not " + std::string(name_of(*sample.event)),
          "the first rule that matches decides");
      return;
    }
    check_rule(sample, rule);
    check_values(sample, event, *rule);
    check_time(sample, event);
  }

  void check_rule(const SampleSpec& sample, const Rule* rule) {
    if (sample.rule.empty() || (rule && sample.rule == rule->name())) return;
    add(sample.line,
        "sample " + quoted(sample.text) + ": matched by " +
            (rule ? "rule '" + rule->name() + "'" : "no rule") + ", not '" + sample.rule + "'",
        "the first rule that matches decides");
  }

  void check_values(const SampleSpec& sample, const Event& event, const Rule& rule) {
    const std::string owner = "sample " + quoted(sample.text) + ": ";
    for (const auto& [f, expected] : sample.values) {
      const std::string name = quoted(name_of(f));
      if (!event.has(f)) {
        add(sample.line, owner + "rule '" + rule.name() + "' gives no " + name, {});
      } else if (const auto* text = std::get_if<std::string>(&expected)) {
        if (event.text(f) != *text)
          add(sample.line, owner + name + " is " + quoted(event.text(f)) + ", not " + quoted(*text), {});
      } else {
        const double wanted = std::get<double>(expected);
        const auto x = event.number(f);
        if (!x) {
          add(sample.line, owner + name + " is " + quoted(event.text(f)) + ", which is no number", {});
        } else if (!same_number(*x, wanted)) {
          add(sample.line, owner + name + " is " + written(*x) + ", not " + written(wanted), {});
        }
      }
    }
  }

  void check_time(const SampleSpec& sample, const Event& event) {
    if (sample.time.empty()) return;
    TimeContext reader;
    const auto wanted = read_time(sample.time, reader);
    if (!event.time) {
      add(sample.line, "sample " + quoted(sample.text) + ": no time was found in it",
          "see the file's 'timestamp', or name a group 'time'");
    } else if (event.time != wanted) {
      add(sample.line,
          "sample " + quoted(sample.text) + ": the time is " + to_rfc3339(*event.time) + ", not " +
              sample.time,
          {});
    }
  }

  // No rule matched: say which one of the wanted kind came furthest, and where it stopped.
  void report_unmatched(const SampleSpec& sample, const Event& event) {
    const Rule* best = nullptr;
    Pattern::Reach furthest;
    const bool explained = explained_++ < kMostExplained;
    for (const Rule& rule : format_.rules()) {
      if (!explained) break;
      if (rule.event() != *sample.event || !rule.pattern()) continue;
      if (!sample.rule.empty() && sample.rule != rule.name()) continue;
      const auto reach = rule.pattern()->reach(event.message);
      if (!best || reach.text > furthest.text) {
        best = &rule;
        furthest = reach;
      }
    }
    const std::string owner = "sample " + quoted(sample.text) + ": no rule matches";
    if (!best) {
      if (explain_fields(sample, event, owner)) return;
      const bool any = std::any_of(format_.rules().begin(), format_.rules().end(),
                                   [&](const Rule& r) { return r.event() == *sample.event; });
      add(sample.line, owner,
          any ? "" : "no rule makes the event '" + std::string(name_of(*sample.event)) + "'");
      return;
    }
    const std::string_view wanted = std::string_view(best->pattern()->text()).substr(furthest.pattern);
    std::string message = owner + "; rule '" + best->name() + "' came furthest: it matched " +
                          quoted(event.message.substr(0, furthest.text));
    std::string hint;
    if (wanted.empty()) {
      hint = "its 'file', its words or its JSON conditions do not fit";
    } else {
      message += " and stopped before " + quoted(event.message.substr(furthest.text));
      hint = "there the pattern goes on with " + quoted(wanted);
    }
    if (!event.headed && !format_.file().headers.empty()) hint += "; the line header was not recognised";
    add(sample.line, std::move(message), std::move(hint));
  }

  // What the first rule of that kind, or the one that the sample names, lacks of the line's fields.
  bool explain_fields(const SampleSpec& sample, const Event& event, const std::string& owner) {
    LineFields fields;
    fields.read(event.message, format_.words());
    for (const Rule& rule : format_.rules()) {
      if (rule.event() != *sample.event || rule.pattern() || !rule.field_rule() || !rule.field_rule()->asks())
        continue;
      if (!sample.rule.empty() && sample.rule != rule.name()) continue;
      add(sample.line,
          owner + "; of rule '" + rule.name() + "' " + rule.field_rule()->missing(fields, format_.words()),
          "the line's fields are: " + in_words(fields, event.message, format_.words()));
      return true;
    }
    return false;
  }

  const Format& format_;
  std::vector<Error>& errors_;
  std::vector<bool> seen_;
  // Finding how far a pattern came compiles it many times over: a file full of mistakes gets that for the
  // first.
  static constexpr int kMostExplained = 20;
  int explained_ = 0;
};

}  // namespace

void check_samples(const Format& format, std::vector<Error>& errors) {
  SampleRun(format, errors).run();
}

namespace {

void check_claim(const Format& own, const Format& other, std::vector<Error>& errors) {
  if (own.over(other.name()) || other.is_generic()) return;
  for (const SampleSpec& sample : own.file().samples) {
    if (!other.recognises(sample.text)) continue;
    const bool claimed = own.recognises(sample.text);
    if (!claimed && !sample.event) continue;
    errors.push_back({own.file().where + ":" + std::to_string(sample.line),
                      "sample " + quoted(sample.text) + " is also recognised by the format " +
                          quoted(other.name()) + " (" + other.file().where + ")",
                      claimed ? "narrow one's 'recognise', or write over = [\"" + other.name() +
                                    "\"] if this format is the more specific"
                              : "only that format recognises it: narrow its 'recognise'"});
  }
}

}  // namespace

void check_recognition(const FormatSet& formats, std::vector<Error>& errors) {
  const auto& all = formats.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j) continue;
      if (all[i]->name() != all[j]->name()) {
        check_claim(*all[i], *all[j], errors);
      } else if (i < j) {
        errors.push_back(
            {all[j]->file().where,
             "the format " + quoted(all[i]->name()) + " is also described in " + all[i]->file().where,
             "formats must have different names"});
      }
    }
  }
}

std::string RuleReport::text() const {
  if (errors.empty())
    return where + ": " + format + ", " + std::to_string(rules) + " rules, " + std::to_string(samples) +
           " samples: ok\n";
  std::string out;
  for (const Error& e : errors) out += e.text() + "\n";
  return out;
}

RuleReport check_rules(std::string_view where, std::string_view toml) {
  RuleReport report;
  report.where = where;
  auto format = Format::load(where, toml);
  if (!format) {
    report.errors = std::move(format.error());
    return report;
  }
  report.format = (*format)->name();
  report.rules = (*format)->rules().size();
  report.samples = (*format)->file().samples.size();
  return report;
}

}  // namespace etad
