// The generic formats: trainings of no known framework are read, and nothing else is.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <map>

#include "parsers/log/log_parser.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

struct WhatWasRead {
  std::string format;
  std::map<std::int64_t, etad::Run> runs;
};

// `apart`: seconds between two lines that are seen coming; 0: an old log.
WhatWasRead read(const std::vector<std::string>& lines, int apart = 0, std::size_t batch = 1000) {
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto at = reference_time() + std::chrono::seconds(apart * static_cast<int>(i));
    parser.feed(lines[i], apart > 0 ? std::optional(at) : std::nullopt, reference_time(), records);
    if ((i + 1) % batch == 0) parser.flush(records);
  }
  read_to_end(parser, records);
  WhatWasRead out{parser.format(), {}};
  for (const etad::Run& run : records.runs) out.runs[run.ordinal] = run;
  return out;
}

TEST(Generic, EpochsFrom0WhoseTotalNamesTheLast) {
  const auto out =
      read(lines_by(10, [](int i) { return written("Epoch %d/9 train_loss=0.5 epoch_time=62.5s", i); }));
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 10);
  EXPECT_EQ(out.runs.at(0).max_iterations, 10);
}

TEST(Generic, AStepShownAgainWhereItsEpochIsSavedBeginsNone) {
  std::vector<std::string> lines;
  for (int i = 0; i < 12; ++i) {
    lines.push_back(written("[ep %d step %4d t= %5ds] loss 0.5", i / 4, 64 * i, 40 * i));
    if (i % 4 == 3)
      lines.push_back(written("saved base.pt (epoch %d, step %d) loss 0.5", i / 4, 64 * (i + 1)));
  }
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 64 * 12);
  EXPECT_EQ(step_time(out.runs.at(0)), 0.625);
}

TEST(Generic, WhatLiesBetweenTwoEpochsMayBeAValidation) {
  std::vector<std::string> lines;
  int at = 0;
  for (int epoch = 1; epoch <= 4; ++epoch, at += 600)
    for (int step = 100; step <= 400; step += 100, at += 50)
      lines.push_back(written("2026-03-01 1%d:%02d:%02d Epoch [%d/9], Step [%d/400], Loss: 0.5000", at / 3600,
                              at / 60 % 60, at % 60, epoch, step));
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 1600);
  EXPECT_EQ(step_time(out.runs.at(0)), 0.5);
}

TEST(Generic, EpochsUnderHeadingsWhoseTimeTheEndTells) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 5; ++epoch)
    for (const char* line :
         {"----------", "train Loss: 0.5000 Acc: 0.7500", "val Loss: 0.4000 Acc: 0.8000", ""}) {
      if (*line == '-') lines.push_back(written("Epoch %d/4", epoch));
      lines.emplace_back(line);
    }
  lines.emplace_back("Training complete in 2m 5s");
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).state, RunState::finished);
  EXPECT_EQ(out.runs.at(0).iteration, 5);
  EXPECT_EQ(step_time(out.runs.at(0)), 25);
}

TEST(Generic, SamplesCountedBehindTheLoss) {
  std::vector<std::string> lines;
  for (int epoch = 0, at = 0; epoch < 3; ++epoch) {
    lines.push_back(written("2026-03-01 10:%02d:00 - ====> Epoch: %d", at, epoch + 1));
    for (int i = 0; i < 6; ++i, ++at)
      lines.push_back(written("2026-03-01 10:%02d:00 - loss: 0.412500  accuracy: 46.250000 [%5d/66000]", at,
                              64 + 12000 * i));
  }
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 3 * 66000);  // the next line would have been beyond them
  EXPECT_EQ(step_time(out.runs.at(0)), 0.005);
}

TEST(Generic, RowsOfATableOfBatches) {
  std::vector<std::string> lines{
      "2021-03-04 05:00:00 [INFO]:    Epoch       Batch       box      total      time"};
  for (int i = 0; i < 8; ++i)
    lines.push_back(written("2021-03-04 05:%02d:00 [INFO]:     %d/9      %3d/80    0.0125    0.25      6.25",
                            i, i / 2, i % 2 * 40));
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 3 * 80 + 40);
  EXPECT_EQ(step_time(out.runs.at(0)), 1.5);
}

TEST(Generic, RatesBehindTheirName) {
  const auto out = read(lines_by(6, [](int i) {
    return written("Iter %d: Train loss 2.250, It/sec 2.500, Tokens/sec 812.5", 10 * i + 10);
  }));
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 60);
  EXPECT_EQ(step_time(out.runs.at(0)), 0.4);
}

TEST(Generic, EpochsThatStateTheirTime) {
  const auto out = read(lines_by(
      6, [](int i) { return written("Epoch %d/10, Train Loss: %.4f, Time: 62.5s", i + 1, 2.0 / (i + 1)); }));
  ASSERT_EQ(out.runs.size(), 1U);
  const etad::Run& run = out.runs.at(0);
  EXPECT_EQ(run.framework, "generic");
  EXPECT_EQ(run.iteration, 6);
  EXPECT_EQ(run.max_iterations, 10);
  EXPECT_EQ(step_time(run), 62.5);
}

TEST(Generic, StepsOfEpochsThatAreSeenComing) {
  const auto lines = lines_by(40, [](int i) {
    return written("Train Epoch: %d [%d/60000 (%d%%)]\tLoss: 0.5000", 1 + i / 20, i % 20 * 3000, i % 20 * 5);
  });
  for (const std::size_t batch : {1U, 7U, 1000U}) {
    const auto out = read(lines, 15, batch);
    ASSERT_EQ(out.runs.size(), 1U) << batch;
    EXPECT_EQ(out.format, "generic");
    EXPECT_NEAR(step_time(out.runs.at(0)), 15.0 / 3000, 1e-4);
  }
  EXPECT_EQ(read(lines).runs.size(), 0U) << "without times there is nothing to learn";
}

TEST(Generic, StepsThatAreStamped) {
  const auto out = read(lines_by(20, [](int i) {
    return written("2026-03-01 10:%02d:00,250 - INFO - step %d/5000 | train loss 2.3125 | lr 3e-4", i,
                   100 * (i + 1));
  }));
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).max_iterations, 5000);
  EXPECT_DOUBLE_EQ(step_time(out.runs.at(0)), 0.6);
}

TEST(Generic, AFormatThatALaterLineOfTheBatchShowsGoesBeforeIt) {
  auto lines = lines_by(20, [](int i) {
    return written(" %2d%%|##   | %d/100 [%d:00<10:00, 60.00s/it]", i + 10, i + 10, i + 10);
  });
  lines.emplace_back("Epoch 1 is over");
  EXPECT_EQ(read(lines).format, "generic");
  lines.emplace_back("{'loss': 1.25, 'learning_rate': 4.5e-05, 'epoch': 0.5}");
  EXPECT_EQ(read(lines).format, "huggingface");
}

// What generates texts or evaluates draws the same bars for as long.
TEST(Generic, ABarWithoutANameIsATrainingWhereALineSaysSo) {
  const auto bars = lines_by(20, [](int i) {
    return written(" %2d%%|##   | %d/100 [%d:00<10:00, 60.00s/it]", i + 10, i + 10, i + 10);
  });
  const auto with = [&bars](const std::string& line, bool before) {
    std::vector<std::string> lines = bars;
    lines.insert(before ? lines.begin() : lines.end(), line);
    return read(lines);
  };
  EXPECT_EQ(read(bars).runs.size(), 0U);
  for (const char* word : {"Loading checkpoint shards: 100%|#####| 2/2 [00:02<00:00,  1.22s/it]",
                           "Generating train split: 100%|#####| 520/520 [00:00<00:00, 9250.00 examples/s]",
                           "/srv/training/generate.py:12: UserWarning: the optimizers/lr_scheduler.py is old",
                           "You should probably TRAIN this model on a down-stream task to be able to use it.",
                           "Prompt 12: How do I lose weight?", "BLEU: 31.25", "loaded 200 prompts"}) {
    EXPECT_EQ(with(word, true).runs.size(), 0U) << word;
    EXPECT_EQ(with(word, false).runs.size(), 0U) << word;
  }
  for (const char* word :
       {"Epoch 1/3", "--- Phase 1: Adam (100 epochs) ---", "Start training", "train_loss = 0.5",
        "2026-03-01 10:00:12,750 - INFO - ***** Running training *****", "lr: 3e-4", "fold 2"}) {
    for (const bool before : {true, false}) {
      const auto out = with(word, before);
      ASSERT_EQ(out.runs.size(), 1U) << word;
      EXPECT_EQ(out.runs.at(0).iteration, 29);
      const bool of_three = std::string_view(word) == "Epoch 1/3" && before;
      EXPECT_EQ(out.runs.at(0).max_iterations, of_three ? 300 : 100);
    }
  }
}

TEST(Generic, WhatALineHasSaidOfATrainingOutlivesTheDaemon) {
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  const auto feed = [&](const std::string& line) { parser.feed(line, {}, reference_time(), records); };
  feed("  0%|     | 0/100 [00:00<?, ?it/s]");
  feed("Start training");
  // So much that the line is held no more.
  for (int i = 0; i < 2000; ++i)
    feed(written("note %d of something that no rule knows, whatever it may be", i));
  auto again = LogParser::restore(options, parser.save());
  ASSERT_TRUE(again);
  parser = std::move(*again);
  for (int i = 10; i < 20; ++i) feed(written(" %2d%%|##   | %d/100 [%d:00<10:00, 60.00s/it]", i, i, i));
  parser.flush(records);
  EXPECT_EQ(parser.format(), "generic");
}

TEST(Generic, WhatIsNoTrainingIsNothing) {
  const std::vector<std::function<std::string(int)>> forms = {
      [](int i) { return written("[%d/345] Building CXX object src/loss_%d.cpp.o", i + 1, i); },
      [](int i) { return written("[ %d%%] Building CXX object CMakeFiles/step.dir/a%d.cpp.o", i, i); },
      [](int i) { return written("Step %d/120 : RUN make -j8 iteration", i + 1); },
      [](int i) {
        return written("2026-03-01 10:%02d:00 Get:%d http://deb.example.org stable/main amd64 step %d", i, i,
                       i);
      },
      [](int i) {
        return written("10.1.2.3 - - [01/Mar/2026:10:%02d:00 +0000] \"GET /epoch/%d/100 HTTP/1.1\" 200 512",
                       i, i);
      },
      [](int i) { return written("[%5d.250000] usb 1-1: new device number %d of 100", i, i); },
      [](int i) {
        return written("Downloading model: %d%%|##  | %d/100 [%02d:00<01:00, 1.00MB/s]", i, i, i);
      },
      [](int i) { return written("Loading shards: %d%%|##  | %d/100 [%02d:00<01:00, 1.00s/it]", i, i, i); },
      [](int i) { return written(" %d%%|##  | %d/100 [00:%02d<01:00, 1.00s/it]", i, i, i); },
      [](int i) { return written("tests/test_step.py::test_loss_%d PASSED [ %d%%]", i, i); },
      [](int i) {
        return written("2026-03-01 10:%02d:00 Unpacking libepoch%d (1.0-%d) ... %d/100", i, i, i, i);
      },
      [](int i) { return written("#%d [stage %d/100] COPY train.py loss.py /app", i, i); },
      [](int i) { return written("Mar  1 10:%02d:00 host systemd[1]: Started session %d of user.", i, i); },
      [](int i) {
        return written("  %d,450,000 %d%%  1.2MB/s 0:00:%02d (xfr#%d, to-chk=%d/100)", i, i, i, i, 100 - i);
      },
      [](int i) {
        return written("2026-03-01 10:%02d:00 consensus: epoch %d/512 final, %d slots missed", i, i, i);
      },
      [](int i) { return written("2026-03-01 10:%02d:00 consensus: epoch %d took 2.5 s", i, i); },
      [](int i) { return written("2026-03-01 10:%02d:00 Validation epoch %d loss: 0.5000", i, i); },
      [](int i) { return written("2026-03-01 10:%02d:00 test step %d/100 loss 0.5000", i, i); },
      [](int i) {
        return written("2026-03-01 10:%02d:00 - ping - probe %d/100: packet loss 0%%, 12.5 ms", i, i);
      },
      [](int i) {
        return written("Map (num_proc=4): %d%%|## | %d/100 [%02d:00<01:00, 1.00 examples/s]", i, i, i);
      },
      [](int i) { return written("Collecting epoch-loss==1.%d.0 (%d/100), 1.2 MB/s", i, i); },
      [](int i) { return written("   Compiling lossless v0.%d.%d (%d/100), 2.5 it/s", i, i, i); },
  };
  for (std::size_t form = 0; form < forms.size(); ++form) {
    const auto lines = lines_by(50, forms[form]);
    for (const int apart : {0, 30}) EXPECT_TRUE(read(lines, apart).runs.empty()) << lines.front();
  }
}

TEST(Generic, APaceIsATimeWhereverItStandsInTheLine) {
  const auto pace = [](const std::vector<std::string>& lines) {
    const auto out = read(lines);
    return out.runs.size() == 1U ? step_time(out.runs.at(0)) : 0.0;
  };
  EXPECT_NEAR(pace(lines_by(20,
                            [](int i) {
                              return written(
                                  "[%06d/005000] net-a | loss 0.5000 | GPU 92%% | 2.50 it/s | ETA 254.0 min",
                                  100 * i);
                            })),
              0.4, 1e-9);
  EXPECT_NEAR(pace(lines_by(20,
                            [](int i) {
                              return written("- Train | Epoch %d | %d/500 | 2.50 it/sec | Loss 0.5000",
                                             1 + i / 5, 100 * (i % 5));
                            })),
              0.4, 1e-9);
  EXPECT_NEAR(
      pace(lines_by(20, [](int i) { return written("step %d/5000 | loss 0.5000 | 400 ms/step", 100 * i); })),
      0.4, 1e-9);
}

TEST(Generic, EpochsOfNoKnownNumber) {
  const auto stated =
      read(lines_by(6, [](int i) { return written("Train(%d), loss: 0.500000, time: 62 s", i); }));
  ASSERT_EQ(stated.runs.size(), 1U);
  EXPECT_EQ(stated.runs.at(0).iteration, 6);
  EXPECT_EQ(to_seconds(stated.runs.at(0).train.duration), 6 * 62.0);
  const auto stamped = read(lines_by(12, [](int i) {
    return written("2026-03-01 10:%02d:%02d,250 - INFO - Epoch %d - %s loss: 0.5000", i / 2, i % 2 * 20,
                   1 + i / 2, i % 2 == 0 ? "Batch" : "Average Train");
  }));
  ASSERT_EQ(stamped.runs.size(), 1U);
  EXPECT_EQ(stamped.runs.at(0).train.iterations, 5) << "the last epoch has not ended";
  EXPECT_EQ(to_seconds(stamped.runs.at(0).train.duration), 5 * 60.0);
}

TEST(Generic, TheTimeOfAnEpochCountsWhereItsStepsShowNone) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (int step = 0; step < 500; step += 100)
      lines.push_back(
          written("INFO:__main__:Epoch %d | Step %4d/500 | Loss: 0.5000 | Grad: 1.250", epoch, step));
    lines.push_back(written("INFO:__main__:Epoch %d completed in 250.00s | Avg Loss: 0.5000", epoch));
  }
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.format, "generic");
  EXPECT_EQ(out.runs.at(0).train.iterations, 2000);
  EXPECT_EQ(to_seconds(out.runs.at(0).train.duration), 1000.0);
}

TEST(Generic, ABarDrawnAnewForEachEpochIsOneRun) {
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (int step = 1; step <= 10; ++step)
      lines.push_back(
          written("%3d%%|## | %d/10 [%02d:00<10:00, 60.00s/it, loss=0.5]", 10 * step, step, step));
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 30);
  EXPECT_EQ(out.runs.at(0).max_iterations, 30);
  EXPECT_EQ(step_time(out.runs.at(0)), 60.0);
}

TEST(Generic, ABarThatBrokeOffAndBeginsAgainIsAnotherRun) {
  std::vector<std::string> lines;
  for (int run = 0; run < 2; ++run)
    for (int step = 1; step <= 5; ++step)
      lines.push_back(
          written("%3d%%|## | %d/10 [%02d:00<10:00, 60.00s/it, loss=0.5]", 10 * step, step, step));
  EXPECT_EQ(read(lines, 0, 1).runs.size(), 2U);
}

// A bar of the steps of each epoch, and one of the epochs around them.
TEST(Generic, BarsOfIterationsWithinABarOfEpochs) {
  std::vector<std::string> lines = {"Training starts"};
  for (int epoch = 1; epoch <= 4; ++epoch) {
    for (int step = 20; step <= 100; step += 20)
      lines.push_back(written("Iteration: %d%%|##| %d/100 [00:%02d<00:10,  2.00it/s]", step, step, step / 2));
    lines.push_back(written("Epoch: %d%%|##| %d/4 [%02d:00<01:00, 52.00s/it]", 25 * epoch, epoch, epoch));
  }
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 400);
  EXPECT_NEAR(step_time(out.runs.at(0)), 0.5, 1e-6);
}

// A generic format is believed at the end of a batch of lines; what was over by then is told as well.
TEST(Generic, SeveralTrainingsInOneBatchOfLinesAreAsManyRuns) {
  std::vector<std::string> lines;
  for (const int epochs : {9, 5, 7})
    for (int epoch = 0; epoch < epochs; ++epoch)
      lines.push_back(written("Train(%d), loss: 0.500000, time: %d s", epoch, 10 * epochs));
  for (int epoch = 0; epoch < 3; ++epoch) lines.push_back(written("Epoch %d: train_loss=0.5000", epoch));
  for (const std::size_t batch : {1U, 1000U}) {
    const auto out = read(lines, 0, batch);
    ASSERT_GE(out.runs.size(), 3U) << batch;
    EXPECT_EQ(out.runs.at(0).iteration, 9);
    EXPECT_EQ(to_seconds(out.runs.at(1).train.duration), 5 * 50.0);
    EXPECT_EQ(out.runs.at(2).train.iterations, 7);
    EXPECT_NE(out.runs.at(0).state, RunState::running);
  }
}

// An epoch's number and a step's, each without a total, and the time since the training began.
TEST(Generic, StepsOfEpochsByTheTimeElapsed) {
  const auto out = read(lines_by(12, [](int i) {
    return written("Epoch %d, Step %d, total used time %.4f (s), avg loss so far is 0.4125", i / 4,
                   25 * (i % 4 + 1), 7.5 * i + 10);
  }));
  ASSERT_EQ(out.runs.size(), 1U);
  const etad::Run& run = out.runs.at(0);
  EXPECT_EQ(out.format, "generic");
  EXPECT_EQ(run.iteration, 300);
  EXPECT_NEAR(step_time(run), 0.3, 1e-6);
}

TEST(Generic, StampedStepsWithoutATotal) {
  auto lines = lines_by(10, [](int i) {
    return written("2026-03-01 10:%02d:00,250 - app.trainer - INFO - Step %d | Loss: 1.2500 | LR: 9.5e-05", i,
                   50 * i + 50);
  });
  lines.emplace_back("2026-03-01 10:10:00,250 - __main__ - INFO - Training completed successfully!");
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  const etad::Run& run = out.runs.at(0);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.iteration, 500);
  EXPECT_NEAR(step_time(run), 1.2, 1e-6);
}

// Paddle's high-level API: the steps of each epoch, counted anew, and evaluations of another length in between.
TEST(Generic, StepsThatBeginAgainAreTheNextEpochs) {
  std::vector<std::string> lines;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    lines.push_back(written("Epoch %d/3", epoch));
    for (int step = 10; step <= 60; step += 10)
      lines.push_back(written("step %2d/60 - loss: 0.1250 - acc: 0.8125 - 250ms/step", step));
    lines.emplace_back("Eval begin...");
    lines.emplace_back("step 10/20 - loss: 0.2250 - acc: 0.7125 - 90ms/step");
    lines.emplace_back("step 20/20 - loss: 0.2250 - acc: 0.7125 - 90ms/step");
  }
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 180);
  EXPECT_NEAR(step_time(out.runs.at(0)), 0.25, 1e-6);
}

TEST(Generic, NumbersPaddedWithinBracketsAreOneRun) {
  const auto out = read(lines_by(24, [](int i) {
    return written(
        "2026-03-01 10:%02d:00,250 - INFO - Epoch: [%2d/30] Iter [%4d/1200] || Time: %.4f sec || lr: 0.01 || "
        "Loss: 1.2500",
        i, i / 12, 100 * (i % 12 + 1), 60.0 * i);
  }));
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).max_iterations, 36000);
  EXPECT_EQ(out.runs.at(0).iteration, 2400);
}

TEST(Generic, StepsBehindAnEpochInBrackets) {
  auto lines = lines_by(12, [](int i) {
    return written(
        "03/01/2026 10:%02d:00 - INFO - app.trainer -   [%d/40] Step: %d/400, Training Loss: 1.2500.", i,
        1 + i / 4, 100 * (i % 4));
  });
  lines.emplace_back(
      "03/01/2026 10:12:00 - INFO - app.trainer -   Validation performance didn't improve for 2 "
      "epochs. Training stops.");
  const auto out = read(lines);
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).iteration, 1100);
  EXPECT_EQ(out.runs.at(0).max_iterations, 16000);
  EXPECT_NEAR(step_time(out.runs.at(0)), 0.6, 1e-6);
  EXPECT_EQ(out.runs.at(0).state, RunState::finished);
}

TEST(Generic, EpochsBehindAClockOrADateWithDots) {
  for (const char* form : {"10:%02d:00  [FT] Ep %03d | Loss 0.8125 | AUC 0.7125",
                           "2023.01.19 10:%02d:00 Epoch %d, train loss: 0.8125"}) {
    const auto out = read(lines_by(8, [form](int i) { return written(form, i, i + 1); }));
    ASSERT_EQ(out.runs.size(), 1U) << form;
    EXPECT_EQ(out.format, "generic_epochs");
    EXPECT_EQ(out.runs.at(0).iteration, 8);
    EXPECT_NEAR(step_time(out.runs.at(0)), 60, 1e-6);
  }
}

// PaddleSeg's, copied from a terminal or logged by another's logger.
TEST(Generic, LeavesPaddleSegToItsFormat) {
  const auto out = read(lines_by(20, [](int i) {
    return written(
        "[TRAIN] epoch: 1, iter: %d/2000, loss: 0.5125, lr: 0.010000, batch_cost: 0.3125, reader_cost: "
        "0.05000, ips: 12.8000 samples/sec | ETA 00:09:%02d",
        20 * (i + 1), 40 - i);
  }));
  EXPECT_EQ(out.format, "paddle");
  EXPECT_EQ(step_time(out.runs.at(0)), 0.3125);
}

// PaddleVideo shows the first batch of each epoch, and not how many there are.
TEST(Generic, AnEpochOfUnknownLengthIsMeasuredFromItsFirstBatch) {
  const auto out = read(lines_by(8, [](int i) {
    return written(
        "[05/06 07:%02d:00] epoch:[ %2d/25 ] train step:%-4d loss: 2.5 lr: 0.01 batch_cost: 9.5 sec, ips: "
        "25.6 instance/sec.",
        2 * i, i / 2 + 1, 100 * (i % 2));
  }));
  EXPECT_EQ(out.format, "paddle");
  ASSERT_EQ(out.runs.size(), 1U);
  EXPECT_EQ(out.runs.at(0).train.segments, 4);
  EXPECT_NEAR(step_time(out.runs.at(0)), 1.2, 1e-6);
}

// What was best is named at the end: no second run.
TEST(Generic, TheBestEpochIsNoNewRun) {
  std::vector<std::string> lines = lines_by(6, [](int i) {
    return written("2026-03-01 10:%02d:00,250 INFO Epoch %d/6: av_auc:0.8125 | v_auc:0.6125", 2 * i, i);
  });
  lines.emplace_back(
      "2026-03-01 10:10:00,500 INFO Best Performance in Epoch 2: av_auc:0.8125 | v_auc:0.6125");
  const auto runs = runs_of(lines);
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.at(0).state, RunState::finished);
  EXPECT_DOUBLE_EQ(step_time(runs.at(0)), 120);
}

}  // namespace
}  // namespace etad::test
