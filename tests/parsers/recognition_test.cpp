// Which format reads a log: the one that explains it, not the one that a line happened to show first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>

#include "parsers/lines/launcher_label.h"
#include "parsers/lines/outer_stamp.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/recogniser.h"
#include "parsers/rules/rule_file.h"
#include "parsers/rules/shape_memory.h"
#include "tests/parsers/log_reader.h"
#include "tests/parsers/other_digits.h"
#include "tests/sanitized.h"

namespace etad::test {
namespace {

LogOptions options() {
  LogOptions out;
  out.formats = &shipped_formats();
  out.host = "lab-7";
  return out;
}

struct Read {
  std::string format;
  std::map<std::int64_t, Run> runs;
  std::int64_t segments = 0;
  std::int64_t seconds = 0;

  void take(Records& records) {
    for (const Run& run : records.runs) runs[run.ordinal] = run;
    for (const auto& [run, segment] : records.segments) {
      ++segments;
      seconds += std::chrono::duration_cast<std::chrono::seconds>(segment.duration).count();
    }
    records.clear();
  }
};

// `restart`: the daemon is killed and started again behind every so many lines.
Read read_log(const std::vector<std::string>& lines, std::size_t restart = 0) {
  LogParser parser(options());
  Records records;
  Read out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    parser.feed(lines[i], {}, reference_time(), records);
    if (restart == 0 || i % restart != 0) continue;
    parser.flush(records);
    out.take(records);
    parser = LogParser::restore(options(), parser.save()).value();
  }
  read_to_end(parser, records);
  out.take(records);
  out.format = parser.format();
  return out;
}

// What a history has of a log that is followed: told of behind every so many lines.
struct FollowedLog {
  std::map<std::int64_t, Run> runs;
  std::map<std::int64_t, std::int64_t> iterations;  // of their segments

  void take(Records& records) {
    if (const auto from = records.withdrawn) {
      runs.erase(runs.lower_bound(*from), runs.end());
      iterations.erase(iterations.lower_bound(*from), iterations.end());
    }
    for (const Run& run : records.runs) runs[run.ordinal] = run;
    for (const auto& [run, segment] : records.segments) iterations[run] += segment.iterations;
    records.clear();
  }
};

FollowedLog follow(const std::vector<std::string>& lines, std::size_t at_once, bool restarts) {
  LogParser parser(options());
  Records records;
  FollowedLog out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    parser.feed(lines[i], {}, reference_time(), records);
    if (i % at_once != 0) continue;
    parser.flush(records);
    out.take(records);
    if (restarts) parser = LogParser::restore(options(), parser.save()).value();
  }
  parser.close(records);
  parser.flush(records);
  out.take(records);
  return out;
}

// A generic format reads the first 500 states of the bar before a line shows whose they are.
TEST(Recognition, AFrameworksRunIsOneThoughAGenericFormatToldOfItFirst) {
  std::vector<std::string> lines{"Fine-tuning a small model, lr 3e-5, batch size 16, 3 epochs"};
  for (int i = 1; i <= 2000; ++i) {
    lines.push_back(
        written("%3d%%|##        | %d/2000 [%02d:%02d<10:00,  2.00it/s]", i / 20, i, i / 120, i / 2 % 60));
    if (i % 500 == 0)
      lines.push_back(
          written("{'loss': 1.25, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': %.2f}", i * 3 / 2000.));
  }
  lines.emplace_back(
      "{'train_runtime': 1000.0, 'train_samples_per_second': 32.0, "
      "'train_steps_per_second': 2.0, 'train_loss': 1.5, 'epoch': 3.0}");
  for (const bool restarts : {false, true}) {
    const FollowedLog log = follow(lines, 40, restarts);
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(log.runs.at(0).framework, "pytorch");
    EXPECT_EQ(log.runs.at(0).state, RunState::finished);
    EXPECT_EQ(log.runs.at(0).iteration, 2000);
    EXPECT_EQ(log.iterations.at(0), log.runs.at(0).train.iterations);
  }
}

// A trainer fails as soon as it has begun, twice, and then a script trains without it.
TEST(Recognition, WhatHasMeasuredNothingLeavesNoRunBehind) {
  std::vector<std::string> lines;
  for (int i = 0; i < 3; ++i) {
    lines.emplace_back("***** Running training *****");
    lines.emplace_back("  Num examples = 64,000");
    lines.emplace_back("  Total optimization steps = 2,000");
    if (i == 2) break;
    lines.emplace_back("Traceback (most recent call last):");
    lines.emplace_back("  File \"train.py\", line 88, in <module>");
    lines.emplace_back("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
  }
  for (int i = 1; i <= 100; ++i)
    lines.push_back(
        written("2026-03-01 10:%02d:%02d,250 INFO step %d/2000 loss 2.512", i / 12, i % 12 * 5, i * 10));
  for (const bool restarts : {false, true}) {
    const FollowedLog log = follow(lines, 10, restarts);
    ASSERT_EQ(log.runs.size(), 1U);
    EXPECT_EQ(log.runs.at(0).framework, "generic");
    EXPECT_EQ(log.runs.at(0).state, RunState::lost);
    EXPECT_EQ(log.iterations.at(0), 990);
  }
}

// The first format is adopted by a line amid them; the one that takes over reads those above as well.
TEST(Recognition, WhatStandsAboveTheFirstTellingLineIsReadByAllFormats) {
  const std::vector<std::string> lines = {
      "[2026-03-01 10:00:00,250] [INFO] [launch.py:164:main] dist_world_size=6",
      "[2026-03-01 10:00:09,250] [INFO] [logging.py:96:log_dist] [Rank 0] step=0, skipped=0, lr=[0.0], "
      "mom=[0.9]",
      "{'loss': 1.25, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'epoch': 0.5}",
      "{'train_runtime': 400.0, 'train_samples_per_second': 24.0, 'train_steps_per_second': 0.75, "
      "'train_loss': 1.25, 'epoch': 1.0}"};
  for (std::size_t restart = 0; restart <= lines.size(); ++restart) {
    const Read read = read_log(lines, restart);
    EXPECT_EQ(read.format, "huggingface") << restart;
    ASSERT_EQ(read.runs.size(), 1U) << restart;
    EXPECT_EQ(read.runs.begin()->second.devices, 6) << restart;
  }
}

// A program prints its settings first, and between them and its first step more than is kept of a log that is not known.
std::vector<std::string> steps_far_below_their_settings() {
  std::vector<std::string> lines = {"data = dict(samples_per_gpu=16,", "gpu_ids = range(0, 4)"};
  for (int i = 0; i < 3000; ++i)
    lines.push_back(
        written("backbone.stage%d.branches.%d.weight - torch.Size([64, 64, 3, 3]):", i / 50, i % 50));
  for (int step = 1; step <= 5; ++step)
    lines.push_back(
        written("2026-03-01 10:0%d:10,250 - tinypose - INFO - Epoch [1][%d/250]\tlr: 1.000e-04, "
                "time: 1.250, data_time: 0.125, loss: 2.5125",
                step, 50 * step));
  return lines;
}

TEST(Recognition, SettingsAreReadHoweverFarAboveTheFirstTellingLineTheyStand) {
  const auto lines = steps_far_below_their_settings();
  for (const std::size_t restart : {0U, 700U}) {
    const Read read = read_log(lines, restart);
    EXPECT_EQ(read.format, "mmdetection");
    ASSERT_EQ(read.runs.size(), 1U);
    EXPECT_EQ(read.runs.at(0).devices, 4);
    EXPECT_EQ(read.runs.at(0).train.batch_size, 16);
  }
}

// DeepSpeed's word that it begins is said by whatever trains with it: behind it a format shows itself by its first step.
TEST(Recognition, WhatIsSaidBeforeTheFirstStepSettlesNothing) {
  const Read read = read_log({
      "[2026-03-01 10:00:00,250] [INFO] [logging.py:96:log_dist] [Rank 0] step=0, skipped=0, lr=[0.0], "
      "mom=[(0.9, 0.999)]",
      "***** Running training *****",
      "  0%|          | 0/1000 [00:00<?, ?it/s]",
      "  0%|          | 1/1000 [00:12<3:19:48, 12.00s/it]",
      "  0%|          | 2/1000 [00:24<3:19:36, 12.00s/it]",
  });
  EXPECT_EQ(read.format, "huggingface");
  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs.at(0).iteration, 2);
}

// Nothing names the bar a training's but what the trainer says beside it.
TEST(Recognition, TheTrainersOwnSentencesShowItsBar) {
  const std::string began = "  0%|          | 0/500 [00:00<?, ?it/s]";
  const std::string bar = " 30%|###       | 150/500 [05:00<11:40,  2.00s/it]";
  const auto format_of = [&](const std::vector<std::string>& lines) {
    const Read read = read_log(lines);
    for (const auto& [ordinal, run] : read.runs) EXPECT_EQ(run.iteration, 150) << ordinal;
    return read.format;
  };
  const std::string tokenizer =
      "You're using a TinyTokenizerFast tokenizer. Please note that with a fast tokenizer, …";
  const std::string columns =
      "The following columns in the evaluation set don't have a corresponding argument …";
  EXPECT_EQ(format_of({began + tokenizer, bar}), "huggingface");
  EXPECT_EQ(format_of({began, bar + columns}), "huggingface");
  EXPECT_EQ(format_of({began, bar,
                       "Could not estimate the number of tokens of the input, floating-point operations "
                       "will not be computed"}),
            "huggingface");
  EXPECT_EQ(
      format_of(
          {began, bar, "Traceback (most recent call last):", "  File \"train.py\", line 20, in <module>",
           "    trainer.train()",
           "  File \"/opt/lib/python3.11/site-packages/transformers/trainer.py\", line 1500, in train"}),
      "huggingface");
  // An evaluation alone, whose columns are told before its bar, and those of several.
  EXPECT_EQ(format_of({columns, began, bar}), "");
  EXPECT_EQ(format_of({began, "100%|##########| 500/500 [05:00<00:00,  1.67it/s]" + columns}), "");
  EXPECT_EQ(format_of({tokenizer, began, bar}), "");
}

// A launcher's line that another format claims, and then the trainer's own.
std::vector<std::string> trainer_behind_a_launcher() {
  std::vector<std::string> lines = {
      "[2026-03-01 10:00:00,250] [INFO] [logging.py:96:log_dist] [Rank 0] step=0, skipped=0, lr=[0.0], "
      "mom=[0.9]",
      "***** Running training *****", "  Instantaneous batch size per device = 8",
      "  Total train batch size (w. parallel, distributed & accumulation) = 32",
      "  Total optimization steps = 600"};
  for (int step = 100; step <= 600; step += 100) {
    const int elapsed = step / 2;
    char bar[96];
    std::snprintf(bar, sizeof bar, " %2d%%|##        | %d/600 [%02d:%02d<05:00,  2.00it/s]", step / 6, step,
                  elapsed / 60, elapsed % 60);
    lines.emplace_back(bar);
    lines.push_back("{'loss': 1.25, 'learning_rate': 4.5e-05, 'epoch': 0.5}");
  }
  lines.push_back(
      "{'train_runtime': 300.5, 'train_samples_per_second': 63.9, 'train_steps_per_second': 1.997}");
  return lines;
}

std::vector<std::string> mxnet_run(int batches) {
  std::vector<std::string> lines;
  for (int batch = 20; batch <= batches; batch += 20)
    lines.push_back("2026-03-01 09:00:" + std::to_string(10 + batch / 10) + ",500 Node[0] Epoch[0] Batch [" +
                    std::to_string(batch) + "]\tSpeed: 512.00 samples/sec");
  return lines;
}

TEST(Recognition, TheFormatThatMeasuresTakesThePlaceOfTheOneThatWasShownFirst) {
  const Read read = read_log(trainer_behind_a_launcher());
  EXPECT_EQ(read.format, "huggingface");
  ASSERT_EQ(read.runs.size(), 1U) << "the first reading's run came to nothing";
  const etad::Run& run = read.runs.at(0);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.train.samples_per_iteration, 32);
  EXPECT_EQ(run.train.iterations, 600) << "what was measured before the decision counts";
  EXPECT_EQ(read.seconds, 300);
}

TEST(Recognition, ARestartAtAnyLineChangesNothing) {
  auto lines = trainer_behind_a_launcher();
  const Read whole = read_log(lines);
  for (const std::size_t every : {1U, 2U, 3U, 7U}) {
    const Read read = read_log(lines, every);
    EXPECT_EQ(read.format, whole.format);
    ASSERT_EQ(read.runs.size(), whole.runs.size());
    EXPECT_EQ(read.runs.at(0).train.iterations, whole.runs.at(0).train.iterations);
    EXPECT_EQ(read.segments, whole.segments);
    EXPECT_EQ(read.seconds, whole.seconds);
  }
}

TEST(Recognition, TwoProgramsInOneFileAreReadByTheFormatOfEach) {
  auto lines = mxnet_run(200);
  for (int i = 0; i < 70; ++i) lines.push_back("loading shard " + std::to_string(i));
  for (const std::string& line : trainer_behind_a_launcher()) lines.push_back(line);
  for (const std::size_t restart : {0U, 1U}) {
    const Read read = read_log(lines, restart);
    ASSERT_EQ(read.runs.size(), 2U);
    EXPECT_EQ(read.runs.at(0).framework, "mxnet");
    EXPECT_EQ(read.runs.at(1).framework, "pytorch");
    EXPECT_EQ(read.runs.at(1).state, RunState::finished);
  }
}

// However few looks are taken at the log: imported it says what it does where it is followed.
TEST(Recognition, ATrainingOfNoFrameworkIsKeptBeforeOneOfAFramework) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 12; ++i)
    lines.push_back(written("Epoch %d/12 - train loss: 0.5125 - val loss: 0.6125 - time: 21s", i));
  for (const std::string& line : caffe_log("lenet_b32_i500_tb50_ti50.log")) lines.push_back(line);
  for (const std::size_t restart : {0U, 5U}) {
    const Read read = read_log(lines, restart);
    ASSERT_EQ(read.runs.size(), 2U) << restart;
    EXPECT_EQ(read.runs.at(0).framework, "generic");
    EXPECT_EQ(read.runs.at(0).iteration, 12);
    EXPECT_EQ(read.runs.at(1).framework, "caffe");
  }
}

TEST(Recognition, AFormatThatMeasuresIsNotGivenUpForALineOfAnother) {
  std::vector<std::string> lines = trainer_behind_a_launcher();
  const auto bench = mxnet_run(60);
  lines.insert(lines.end() - 4, bench.begin(), bench.end());
  const Read read = read_log(lines);
  EXPECT_EQ(read.format, "huggingface");
  EXPECT_EQ(read.runs.size(), 1U);
}

// A bar with a name and the dictionaries of a Trainer tell of the same steps.
TEST(Recognition, AShortRunThatTwoFormatsExplainIsToldOnce) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 20; ++i) {
    lines.push_back(written("Train: %3d%%|#####     | %d/20 [00:%02d<00:10,  2.00s/it]", 5 * i, i, 2 * i));
    lines.push_back(
        written("{'loss': '1.25', 'grad_norm': '8.5', 'learning_rate': '5e-06', 'epoch': '0.01', "
                "'global_step/max_steps': '%d/20', 'elapsed_time': '%ds', 'remaining_time': '10s'}",
                i, 2 * i));
  }
  lines.emplace_back(
      "{'train_runtime': '40.5', 'train_samples_per_second': '4.0', 'train_steps_per_second': '0.494', "
      "'train_loss': '1.25', 'epoch': '0.01'}");
  const Read read = read_log(lines);
  ASSERT_EQ(read.runs.size(), 1U);
  EXPECT_EQ(read.runs.at(0).iteration, 20);
  // What ms-swift says before shows whose bar it is.
  lines.insert(lines.begin(), "[INFO:swift] Setting args.lazy_tokenize: True");
  const Read told = read_log(lines);
  ASSERT_EQ(told.runs.size(), 1U);
  EXPECT_EQ(told.format, "huggingface");
}

// All formats asked at once say what each of them says alone.
TEST(Recognition, TheSetOfAllPatternsAgreesWithEachOfThem) {
  const auto& all = shipped_formats().all();
  const Recogniser recogniser(all);
  const auto one_by_one = [&](std::string_view line) {
    std::vector<std::uint16_t> out, behind;
    const auto length_of = [](const auto& front) { return front ? front->length : 0; };
    const auto stamp = outer_stamp(line);
    const std::string_view stamped = line.substr(length_of(stamp));
    const bool generic_too = !stamp || stamp->names_origin;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]->recognises(line)) out.push_back(static_cast<std::uint16_t>(i));
      const auto shows = [&](std::string_view rest) {
        const auto shows_alone = [&](std::string_view message) {
          return message.size() != line.size() && all[i]->recognises(message);
        };
        return shows_alone(rest) || shows_alone(all[i]->stripped(rest));
      };
      const bool behind_stamp = (generic_too || !all[i]->is_generic()) &&
                                (shows(stamped) || shows(stamped.substr(length_of(launcher_label(stamped)))));
      if (shows(line.substr(length_of(launcher_label(line)))) || behind_stamp)
        behind.push_back(static_cast<std::uint16_t>(i));
    }
    if (!std::all_of(out.begin(), out.end(), [&](std::uint16_t id) { return all[id]->is_generic(); }))
      return out;
    std::vector<std::uint16_t> both;
    std::set_union(out.begin(), out.end(), behind.begin(), behind.end(), std::back_inserter(both));
    return both;
  };
  std::size_t shown = 0;
  int cases = 0;
  for (const auto& format : all)
    for (const SampleSpec& sample : format->file().samples)
      for (const char* const before :
           {"", " 3: ", "[default0]:", "INFO:root:", "  ", "[trainer.py:12] ", "| ", "2026-03-04T05:06:07Z ",
            "Mar 04 05:06:07 node-3 train.sh[71]: "}) {
        if (cases++ % kOneCaseIn != 0) continue;
        const std::string line = before + sample.text;
        EXPECT_EQ(recogniser.formats_of(line), one_by_one(line)) << line;
        shown += recogniser.formats_of(line).size();
      }
  EXPECT_GT(shown, all.size());
}

// Behind an environment's stamp a line shows the formats that it shows without.
TEST(Recognition, AStampHidesNoFormat) {
  const auto shows = [](const std::string& line, const Format& format) {
    const auto shown = shipped_formats().shown_by(line);
    return std::any_of(shown.begin(), shown.end(), [&](const auto& f) { return f->name() == format.name(); });
  };
  int cases = 0, shown = 0;
  for (const auto& format : shipped_formats().all())
    for (const SampleSpec& sample : format->file().samples) {
      if (format->is_generic() || format->is_table() || format->names_rows()) continue;
      if (cases++ % kOneCaseIn != 0 || !shows(sample.text, *format)) continue;
      ++shown;
      for (const char* const stamp : {"2026-03-04T05:06:07.250Z ", "Mar 04 05:06:07 node-3 train.sh[71]: "})
        EXPECT_TRUE(shows(stamp + sample.text, *format)) << stamp << sample.text;
    }
  EXPECT_GT(shown, 100);
}

// What is remembered of lines like it changes nothing of what a line shows.
void expect_same_formats(const std::vector<std::shared_ptr<const Format>>& formats,
                         const std::vector<std::string>& lines) {
  const Recogniser recogniser(formats);
  std::mt19937 random(1823);
  ShapeMemory shapes;
  for (const std::string& line : lines)
    for (int i = 0; i < 6; ++i) {
      const std::string like = i % 3 == 0 ? line : with_other_digits(line, random);
      EXPECT_EQ(recogniser.formats_of(like, &shapes), recogniser.formats_of(like)) << like;
    }
}

TEST(Recognition, WhatLinesShowedBeforeChangesNothing) {
  std::vector<std::string> lines;
  int cases = 0;
  for (const auto& format : shipped_formats().all())
    for (const SampleSpec& sample : format->file().samples)
      for (const char* const before : {"", " 3: ", "[default0]:", "[trainer.py:12] ", "| ", "  [rank 3] ",
                                       "2026-11-26 10:11:12,345 INFO [GPU 0] "})
        if (cases++ % kOneCaseIn == 0) lines.push_back(before + sample.text);
  for (const char* const bar : {" 45%|####5     | 450/1000 [09:59<12:12,  1.33s/it]",
                                " 45%|####5     | 450/1000 [10:00<12:13,  1.33s/it]"})
    lines.emplace_back(bar);
  expect_same_formats(shipped_formats().all(), lines);
}

// Patterns that tell digits apart, in what formats are told by and in what is taken off before that.
TEST(Recognition, LinesThatAPatternTellsApartByADigitAreEachAskedAbout) {
  const auto load = [](const std::string& name, const std::string& patterns) {
    const std::string rule = R"(
[[rule]]
name = "a"
event = "progress"
pattern = 'a (?P<iteration>\d+)'
[[sample]]
line = 'a 1'
event = "progress"
[[sample]]
line = 'b'
event = ""
)";
    return Format::load(name, "format = '" + name + "'\n" + patterns + rule).value();
  };
  const std::vector<std::shared_ptr<const Format>> formats = {
      load("digit", R"(recognise = ['^a \d', '^rank 0 speaks'])"),
      load("strip", "strip = ['at7> ']\nrecognise = ['^a \\d', '^step \\d']"),
      load("second_strip", "strip = ['> ', 'pid 5 ']\nrecognise = ['^a \\d', '^loss \\d']")};
  const Recogniser recogniser(formats);
  const auto shown = [&](std::string_view line) { return recogniser.formats_of(line); };
  using Ids = std::vector<std::uint16_t>;
  EXPECT_EQ(shown("rank 0 speaks"), Ids{0});
  EXPECT_EQ(shown("at7> step 4"), Ids{1});
  EXPECT_EQ(shown("> pid 5 loss 3"), Ids{2});
  for (const char* const line : {"rank 1 speaks", "at8> step 4", "> pid 6 loss 3"})
    EXPECT_TRUE(shown(line).empty()) << line;
  const std::vector<std::string> lines = {"rank 1 speaks",  "rank 0 speaks",  "at8> step 4", "at7> step 4",
                                          "> pid 6 loss 3", "> pid 5 loss 3", "step 9",      "only 4 here"};
  expect_same_formats(formats, lines);
  auto in_doubt = formats;
  in_doubt.push_back(load("in_doubt", R"(recognise = ['^a \d', '^only [^5] here'])"));
  expect_same_formats(in_doubt, lines);
}

}  // namespace
}  // namespace etad::test
