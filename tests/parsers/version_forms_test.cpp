// Forms that frameworks' code prints in its several versions and modes: gone on with, broken off, with evaluations amid the
// steps, numbered from 0, and what loggers write behind bars.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/lines/line.h"
#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Texts = std::vector<std::string>;

Texts states_of_bar(std::string line) {
  std::vector<std::string_view> found;
  LineLosses losses;
  clean_states(line, 4096, found, losses);
  return {found.begin(), found.end()};
}

// Both are written to one stream, and a bar has no newline.
TEST(VersionForms, WhatALoggerWritesBehindABarIsALineOfItsOwn) {
  const std::string bar = "50%|# | 4/8 [00:30<00:30, 7.50s/it, lr=[1e-05]]";
  for (const std::string line : {"[INFO|trainer.py:3410] 2025-03-04 05:06:07,250 >> Saving",
                                 "03/04/2025 05:06:07 - INFO - __main__ - epoch 0: {'acc': 0.5}",
                                 "INFO 2025-03-04 05:06:07 step:200", "***** Running Evaluation *****"})
    EXPECT_EQ(states_of_bar("25%|# | 2/8 [00:15<00:45, 7.50s/it]\r" + bar + line),
              (Texts{"25%|# | 2/8 [00:15<00:45, 7.50s/it]", bar, line}));
  const std::string words = bar + "Epoch 15 | Energy 0.125";
  EXPECT_EQ(states_of_bar("\r" + words), Texts{words});
}

// The bar goes on while a checkpoint is written, of which the logger tells right behind it.
TEST(VersionForms, ASaveToldBehindABarIsNoTraining) {
  std::string log = "***** Running training *****\n  Total optimization steps = 1200\n";
  int seconds = 0;
  for (int i = 1; i <= 1200; ++i) {
    if (i % 2 == 0) ++seconds;
    log +=
        written("\r%3d%%|#  | %d/1200 [%02d:%02d<09:00,  2.00it/s]", i / 12, i, seconds / 60, seconds % 60);
    if (i % 100 != 0) continue;
    log += "Saving model checkpoint to out/checkpoint\n";
    seconds += 4;
  }
  Texts lines;
  for (std::string line : lines_of(log))
    for (std::string& state : states_of_bar(line)) lines.push_back(std::move(state));
  EXPECT_NEAR(step_time(only_run(lines)), 0.5, 0.01);
}

TEST(VersionForms, TorchtitanSharesItsWorkInManyWays) {
  for (const char* form :
       {"Building 3-D device mesh with ['pp', 'dp_shard', 'tp'], [2, 2, 4]",
        "Building 2-D device mesh with ('dp', 'tp'), [2, 8]",
        "Building device mesh with parallelism: pp=2, dp_replicate=2, dp_shard=1, cp=2, tp=2, ep=4"}) {
    Texts lines = {form, "Training starts at step 1."};
    for (int i = 10; i <= 50; i += 10)
      lines.push_back(
          written("step: %d  loss:  7.1250  memory: 40.25GiB(50.31%%)  tps: 6,125  mfu: 35.40%%", i));
    for (std::size_t i = 0; i < lines.size(); ++i)
      lines[i] = "[rank0]:[titan] 2026-03-04 " + time_of_day(5, 10 * static_cast<int>(i)) +
                 ",500 - root - INFO - " + lines[i];
    EXPECT_EQ(only_run(lines).devices, 16) << form;
  }
}

// MaxText numbers its steps from 0, and tells where it goes on; the first step then compiles again.
TEST(VersionForms, MaxtextGoesOn) {
  Texts lines = {"Config param steps: 140", "restoring from this run's directory step 99"};
  for (int i = 100; i < 140; ++i)
    lines.push_back(written(
        "completed step: %d, seconds: %.3f, TFLOP/s/device: 120.500, Tokens/s/device: 3855.059, loss: 9.250",
        i, i == 100 ? 42.5 : 2.125));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 140);
  EXPECT_NEAR(step_time(run), 2.125, 1e-9);
  EXPECT_EQ(run.state, RunState::finished);
}

// NeMo 2 tells every tenth step, numbered from 0, with the mean time of all ten.
TEST(VersionForms, NemosStepsAreNumberedFromZero) {
  Texts lines;
  for (int i = 9; i < 100; i += 10)
    lines.push_back(written(
        "Training epoch 0, iteration %d/99 | lr: 1.499e-07 | global_batch_size: 64 | global_step: %d | "
        "reduced_train_loss: 11.03 | train_step_timing in s: %.3f | consumed_samples: %d",
        i, i, i == 9 ? 3.25 : 1.25, 64 * (i + 1)));
  lines.emplace_back("`Trainer.fit` stopped: `max_steps=100` reached.");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 100);
  EXPECT_NEAR(step_time(run), 1.25, 1e-9);
}

// An evaluation's line says but how much time has passed: what passed behind the step's own line is no training. Where
// the step before it had no line, nothing says when it began.
TEST(VersionForms, LlamaFactorysEvaluationsAreNoTraining) {
  for (const int every : {10, 30}) {
    Texts lines;
    int seconds = 0;
    const auto line = [&](int step, const char* loss) {
      lines.push_back(
          written("{\"current_steps\": %d, \"total_steps\": 600, \"%s\": 1.25, \"epoch\": 1.0, "
                  "\"percentage\": 12.5, \"elapsed_time\": \"0:%02d:%02d\", \"remaining_time\": "
                  "\"0:00:10\"}",
                  step, loss, seconds / 60, seconds % 60));
    };
    for (int step = 1; step <= 600; ++step) {
      seconds += 3;
      if (step % every == 0) line(step, "loss");
      if (step % 100 != 0) continue;
      seconds += 40;
      line(step, "eval_loss");
    }
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 600) << every;
    EXPECT_NEAR(step_time(run), 3, 0.03) << every;
  }
}

// Neither OLMo's stamps nor GPT-NeoX's stated times are without the evaluations amid them.
TEST(VersionForms, EvaluationsAmidStampedSteps) {
  Texts lines;
  int seconds = 0;
  for (int step = 1; step <= 200; ++step) {
    const auto say = [&](const std::string& words) {
      lines.push_back("2025-03-04 " + time_of_day(5, seconds) + ".250\tnode-1:0\tolmo.train:908\tINFO\t" +
                      words);
    };
    seconds += 2;
    if (step % 10 == 0) say(written("[step=%d/200,epoch=0]", step));
    if (step % 50 != 0) continue;
    say("Running evaluation for 'c4-validation'...");
    seconds += 15;
    say("eval/c4/CrossEntropyLoss=8.125");
  }
  EXPECT_NEAR(step_time(only_run(lines)), 2, 1e-9);
}

// LeRobot tells its steps in whole thousands from 1000 on: a log that begins amid them does not say where.
TEST(VersionForms, StepsToldInThousands) {
  for (const int begin : {0, 10000}) {
    Texts lines;
    for (int step = begin + 200; step <= 20000; step += 200) {
      const std::string count = step < 1000 ? written("%d", step) : written("%dK", (step + 500) / 1000);
      lines.push_back("INFO 2025-07-14 " + time_of_day(12, (step - begin) / 4) +
                      " ts/train.py:233 step:" + count +
                      " smpl:2M ep:4K epch:3.25 loss:0.125 grdn:1.250 lr:1.0e-05 updt_s:0.240 data_s:0.005");
    }
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 20000) << begin;
    EXPECT_NEAR(step_time(run), 0.25, 1e-3) << begin;
  }
}

// Lightning draws its bar once more as it is closed: behind its end, amid an epoch, and behind an exception.
TEST(VersionForms, LightningsBarBehindItsEnd) {
  const std::string last = "Epoch 1:  50%|#  | 100/200 [00:25<00:25,  4.00it/s, v_num=0, train_loss=0.5]";
  const std::vector<std::pair<std::string, RunState>> ends = {
      {"`Trainer.fit` stopped: `max_steps=300` reached.", RunState::finished},
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", RunState::failed},
      {"Detected KeyboardInterrupt, attempting graceful shutdown ...", RunState::stopped}};
  for (const auto& [end, state] : ends) {
    Texts lines;
    for (int batch = 20; batch <= 200; batch += 20)
      lines.push_back(
          written("Epoch 0: %3d%%|#  | %d/200 [00:%02d<00:10,  4.00it/s, v_num=0, train_loss=0.5]", batch / 2,
                  batch, batch / 4));
    for (int batch = 20; batch <= 80; batch += 20)
      lines.push_back(
          written("Epoch 1: %3d%%|#  | %d/200 [00:%02d<00:10,  4.00it/s, v_num=0, train_loss=0.5]", batch / 2,
                  batch, batch / 4));
    lines.insert(lines.end(), {last, end, last});
    const etad::Run run = only_run(lines);
    EXPECT_EQ(run.iteration, 300) << end;
    EXPECT_EQ(run.state, state) << end;
  }
}

TEST(VersionForms, LightningsEarlyStop) {
  const Texts lines = {
      "Epoch 0: 100%|##########| 200/200 [00:50<00:00,  4.00it/s, v_num=0, val_loss=0.5]",
      "Epoch 1: 100%|##########| 200/200 [00:50<00:00,  4.00it/s, v_num=0, val_loss=0.5]",
      "Monitored metric val_loss did not improve in the last 2 records. Best score: 0.400. Signaling Trainer "
      "to stop.",
  };
  EXPECT_EQ(only_run(lines).state, RunState::finished);
}

// The first step again, behind an exception, or behind another plan: a training begun anew. Where neither was told, another
// process may say what it did.
TEST(VersionForms, StatedStepsBegunAnew) {
  const auto steps = [](Texts& lines, int count) {
    for (int i = 1; i <= count; ++i)
      lines.push_back(written("step:%d - actor/pg_loss:0.125 - timing_s/gen:12.5 - timing_s/step:40.25", i));
  };
  for (const char* between : {"KeyboardInterrupt", "Total training steps: 40", "Final validation"}) {
    Texts lines = {"Total training steps: 40"};
    steps(lines, 20);
    lines.insert(lines.end(), {"Traceback (most recent call last):", between});
    if (std::string_view(between) != "KeyboardInterrupt") lines.erase(lines.end() - 2);
    steps(lines, 40);
    const auto runs = runs_of(lines);
    const bool anew = std::string_view(between) != "Final validation";
    EXPECT_EQ(runs.size(), anew ? 2U : 1U) << between;
    EXPECT_EQ(runs.rbegin()->second.iteration, 40) << between;
  }
}

Texts nanogpts_steps() {
  Texts out = {"tokens per iteration will be: 491,520"};
  for (int i = 0; i < 300; i += 10)
    out.push_back(written("iter %d: loss 4.1250, time 250.00ms, mfu 45.12%%", i));
  return out;
}

// What is said last of a process that is gone by what ran it: a shell, the language's runtime, launchers, batch systems.
TEST(VersionForms, EndsWithoutAnException) {
  const std::vector<std::pair<RunState, Texts>> ends = {
      {RunState::failed,
       {"Segmentation fault (core dumped)",
        "run.sh: line 12:  4711 Segmentation fault      (core dumped) python train.py",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "Bus error (core dumped)",
        "Fatal Python error: Aborted",
        "srun: error: node1: task 3: Exited with exit code 1",
        "mpirun noticed that process rank 3 with PID 4711 on node n1 exited on signal 9 (Killed).",
        "mpiexec noticed that process rank 0 with PID 0 on node n1 exited on signal 9 (Killed).",
        "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
        "E0304 05:10:01.250000 4711 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: "
        "1) local_rank: 3",
        "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 0 (pid: 4711)",
        "[2025-03-04 05:10:01,250] [ERROR] [launch.py:325:sigkill_handler] ['python', 'train.py'] exits with "
        "return code = 1",
        "make: *** [Makefile:12: train] Error 1",
        "Command exited with non-zero status 1",
        "##[error]Process completed with exit code 137.",
        "Error: Process completed with exit code 1.",
        "ERROR conda.cli.main_run:execute(49): `conda run python train.py` failed. (See above for error)",
        "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
        "Exited with exit code 1.",
        "Exited with signal termination: Killed."}},
      {RunState::finished, {"Successfully completed."}},
      {RunState::stopped,
       {"srun: error: node1: task 0: Terminated",
        "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
        "=>> PBS: job killed: walltime 86412 exceeded limit 86400",
        "[2025-03-04 05:10:01,250] [ERROR] [launch.py:325:sigkill_handler] ['python', '" +
            std::string(600, 'x') + "'] exits with return code = -15",
        "wandb: Ctrl + C detected. Stopping sync.", "##[error]The operation was canceled.",
        "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -15) local_rank: 0 (pid: "
        "4711)"}},
      {RunState::lost, {"Aborting nothing", "Sequence length 2048", "Starting evaluation"}}};
  for (const auto& [state, words] : ends)
    for (const std::string& word : words) {
      Texts lines = nanogpts_steps();
      lines.push_back(word);
      EXPECT_EQ(only_run(lines).state, state) << word;
      lines.insert(lines.end() - 2, word);  // amid the run it was another process
      if (state != RunState::lost) lines.pop_back();
      EXPECT_EQ(only_run(lines).state, RunState::lost) << word;
    }
}

// In words of people's own: why it stops, and that it does. What only counts how long nothing got better stops nothing.
TEST(VersionForms, EarlyStopsInOtherWords) {
  const std::vector<std::pair<RunState, Texts>> ends = {
      {RunState::finished,
       {"No improvement for 10 epochs, stopping", "Patience exceeded. Stopping training.", "Stopping early",
        "EarlyStopping triggered", "[EarlyStopping] Stop training", "early stopping: no improvement",
        "val_loss has not improved for 10 epochs - stopping", "Stop training because of no improvement",
        "Reached max steps (5000). Stopping training."}},
      {RunState::lost,
       {"EarlyStopping counter: 3 out of 10", "callbacks: EarlyStopping",
        "No improvement (early stopping patience 10)", "val_loss has not improved for 3 epochs",
        "Stopping criterion: patience"}}};
  for (const auto& [state, words] : ends)
    for (const std::string& word : words) {
      Texts lines = nanogpts_steps();
      lines.push_back(word);
      EXPECT_EQ(only_run(lines).state, state) << word;
    }
}

// HEDNet's lines in a log that its bar of epochs has shown to be tqdm's, which knows them for others that tell the epochs.
TEST(VersionForms, HednetsStepsAreReadBehindABarOfEpochs) {
  Texts lines = {"2026-03-01 10:00:00,250   INFO  CUDA_VISIBLE_DEVICES=0,1",
                 "epochs:   0%|          | 0/20 [00:00<?, ?it/s]",
                 "Epoch 0/20:  10%|█         | 2/20 [00:01<00:09,  2.00it/s]"};
  for (int step = 1; step <= 12; ++step)
    lines.push_back(
        "2026-03-01 " + time_of_day(10, 25 * step) +
        written(",250   INFO  epoch: 0/20, acc_iter=%d, cur_iter=%d/1250, batch_size=2, "
                "time_cost(epoch): 00:25/10:12, time_cost(all): 00:25/3:00:12, loss=2.125, "
                "d_time=0.00(0.02), f_time=0.25(0.50), b_time=0.51(0.62), norm=3.125, lr=0.000125",
                50 * step, 50 * step - 1));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.iteration, 600);
  EXPECT_EQ(run.max_iterations, 25000);
  EXPECT_NEAR(step_time(run), 0.5, 1e-9);
  EXPECT_EQ(run.devices, 2);
}

}  // namespace
}  // namespace etad::test
