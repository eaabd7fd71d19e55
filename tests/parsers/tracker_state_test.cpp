// A daemon that is stopped after any line and started again must write the same history.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

// Everything of the records as text, so that a difference can be read.
std::string described(const Records& records) {
  std::ostringstream out;
  out.precision(17);
  const auto instant = [](const std::optional<Instant>& at) {
    return at ? to_rfc3339(*at) : std::string("-");
  };
  const auto phase = [](const PhaseSummary& p) {
    std::ostringstream text;
    text << p.batch_size.value_or(-1) << ' ' << p.samples_per_iteration.value_or(-1) << ' ' << p.iterations
         << ' ' << p.duration.count() << ' ' << p.segments;
    return text.str();
  };
  for (const etad::Run& r : records.runs) {
    out << "run " << r.ordinal << ' ' << name_of(r.job) << ' ' << name_of(r.state) << ' ' << r.framework
        << ' ' << r.network << ' ' << r.architecture << ' ' << r.host << ' ' << r.device << ' ' << r.devices
        << ' ' << instant(r.started_at) << ' ' << instant(r.ended_at) << " train " << phase(r.train)
        << " test " << phase(r.test) << ' ' << r.iteration.value_or(-1) << ' '
        << r.max_iterations.value_or(-1) << ' ' << r.first_iteration.value_or(-1) << ' '
        << r.startup.value_or(Duration(-1)).count() << ' ' << r.snapshot_time.count() << ' ' << r.snapshots
        << ' ' << r.stalls << ' ' << r.loss_is_nan << ' ' << r.message;
    for (const auto& [key, value] : r.settings) out << ' ' << key << '=' << value;
    out << '\n';
  }
  for (const auto& [run, s] : records.segments)
    out << "segment " << run << ' ' << name_of(s.phase) << ' ' << s.first_iteration << ' ' << s.iterations
        << ' ' << s.samples_per_iteration << ' ' << s.duration.count() << ' ' << instant(s.started_at)
        << '\n';
  for (const auto& [run, p] : records.points)
    out << "point " << run << ' ' << p.iteration << ' ' << instant(p.at) << ' ' << p.loss
        << (p.snapshot ? " snapshot" : "") << '\n';
  for (const auto& [run, layers] : records.layers)
    for (const Layer& l : layers)
      out << "layer " << run << ' ' << l.name << ' ' << l.type << ' ' << l.parameters << ' '
          << l.shapes.size() << '\n';
  for (const auto& [run, times] : records.layer_times)
    for (const LayerTime& t : times)
      out << "time " << run << ' ' << t.layer << ' ' << t.forward.count() << ' ' << t.backward.count()
          << '\n';
  out << "rejected " << records.rejected << '\n';
  return out.str();
}

// Reads a log, going through a saved state after every `step`-th line. Runs are told at the end only: what
// was told on the way is overwritten there.
Records restarted(const Format& format, const std::vector<std::string>& lines, std::size_t step,
                  std::size_t first) {
  Tracker tracker(source_of(format));
  TimeContext context;
  context.reference = reference_time();
  Records records;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    tracker.feed(lines[i], format.match(lines[i], context), {}, records);
    if (i % step != first) continue;
    auto restored = Tracker::restore(source_of(format), tracker.save());
    if (!restored) {
      ADD_FAILURE() << restored.error().text();
      return records;
    }
    EXPECT_EQ(restored->save(), tracker.save()) << "after line " << i + 1;
    tracker = std::move(*restored);
  }
  tracker.close(records);
  tracker.flush(records);
  return records;
}

class TrackerState : public testing::TestWithParam<std::string> {};

TEST_P(TrackerState, RestoredAnywhereGivesTheSameRecords) {
  const auto caffe = format_named("caffe");
  const std::vector<std::string> lines = caffe_log(GetParam());
  const std::string whole = described(records_of(*caffe, lines));
  const std::size_t finest = lines.size() < 700 ? 1 : 7;  // the longer ones show nothing else line by line
  for (const std::size_t step : {finest, std::size_t{61}})
    EXPECT_EQ(described(restarted(*caffe, lines, step, step / 2)), whole)
        << "restored after every " << step << " lines";
}

INSTANTIATE_TEST_SUITE_P(CaffeLogs, TrackerState, testing::ValuesIn(caffe_log_names()),
                         [](const auto& p) { return p.param.substr(0, p.param.find('.')); });

TEST(TrackerStateText, OnceTheHeaderIsReadItIsSmall) {
  const auto caffe = format_named("caffe");
  const std::vector<std::string> lines = caffe_log("odd_notest_resnet14.log");
  Tracker tracker(source_of(*caffe));
  TimeContext context;
  Records records;
  for (const std::string& line : lines) tracker.feed(line, caffe->match(line, context), {}, records);
  EXPECT_LT(tracker.save().size(), 2500u);
}

// An older state lacks the numbers that are kept beside the settings which say them.
TEST(TrackerStateText, NumbersThatItLacksAreThoseOfItsSettings) {
  const SourceContext source{"any", "", "", {}};
  const auto event = [](EventKind kind, std::initializer_list<FieldValue> values) {
    Event out;
    out.kind = kind;
    for (const FieldValue& value : values) out.add(value);
    return out;
  };
  Tracker before(source);
  Records records;
  before.feed(
      "", event(EventKind::setting, {{Field::key, 1, "tokens_per_iteration"}, {Field::value, 1, "4,096"}}),
      {}, records);
  before.feed("", event(EventKind::setting, {{Field::sequence_length, 1, "1024"}}), {}, records);
  const std::string state = before.save();
  const std::regex numbers(R"x("(tokens_per_iteration|sequence_length)":\d+,?)x");
  const std::string older = std::regex_replace(state, numbers, "");
  ASSERT_LT(older.size(), state.size());
  for (const std::string& text : {state, older}) {
    auto tracker = Tracker::restore(source, text);
    ASSERT_TRUE(tracker) << text;
    Records out;
    for (const std::int64_t second : {0, 10}) {
      const std::string done = std::to_string(second);
      Event progress = event(EventKind::progress, {{Field::iteration, 1, done}});
      progress.time = Instant(std::chrono::seconds(1'700'000'000 + second));
      tracker->feed("", progress, {}, out);
    }
    ASSERT_EQ(out.segments.size(), 1u) << text;
    EXPECT_EQ(out.segments[0].value.samples_per_iteration, 4) << text;
  }
}

// What members are called in the code may change; what a restart over an update reads of them may not.
TEST(TrackerStateText, ItsKeysAreThoseOfBefore) {
  const std::vector<std::string> kept = {
      R"("window":{"tests":1,"held":[{"phase":1}],"unclocked":true,"broken":true,"tested":true,"tested_unclocked":true})",
      R"("training":{"stood":1,"done_before":2,"paced":true,"leap":"0.5","left":"1.5","block":3,"lossy":true})",
      R"("epochs":{"first":1,"shown":2,"before":3,"told":4,"told_at":5,"line":{"shown":6},"clock":{"shown":"7.5"}})",
      R"("told":[{"field":6,"text":"2"}])"};
  const SourceContext source{"any", "", "", {}};
  const std::string text =
      "{\"current\":{" + kept[0] + "," + kept[1] + "," + kept[2] + "}," + kept[3] + ",\"version\":2}";
  const auto tracker = Tracker::restore(source, text);
  ASSERT_TRUE(tracker) << tracker.error().text();
  for (const std::string& part : kept)
    EXPECT_NE(tracker->save().find(part), std::string::npos) << tracker->save();
}

TEST(TrackerStateText, WhatIsNoStateOfOursIsRefused) {
  const SourceContext source{"caffe", "", "prototext", {}};
  for (const char* text : {"", "{", "[]", "{}", "{\"version\":99}", "{\"version\":2,\"next_ordinal\":\"x\"}",
                           "{\"version\":2,\"current\":[1]}", "{\"version\":2,\"groups\":{}}",
                           "{\"version\":2,\"current\":{\"run\":{\"job\":9}}}"}) {
    const auto restored = Tracker::restore(source, text);
    ASSERT_FALSE(restored) << text;
    EXPECT_FALSE(restored.error().message.empty());
  }
}

}  // namespace
}  // namespace etad::test
