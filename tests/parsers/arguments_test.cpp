#include "parsers/rules/arguments.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/parsers/log_reader.h"

namespace etad {
namespace {

std::string said_by(std::string_view message) {
  Event event;
  const bool found = add_arguments(message, event);
  std::string out;
  for (const FieldValue& v : event.values()) {
    if (!out.empty()) out += ' ';
    out += std::string(name_of(v.field)) + "=" + std::string(v.text);
  }
  EXPECT_EQ(found, !out.empty());
  return out;
}

TEST(Arguments, StandInListsOfManyForms) {
  EXPECT_EQ(said_by("Namespace(arch='resnet18', batch_size=64, lr=0.1)"), "network=resnet18 batch_size=64");
  EXPECT_EQ(said_by("Config: {'model': 'vit_small', 'train_bs': 128, 'lr': 0.1}"),
            "network=vit_small batch_size=128");
  EXPECT_EQ(said_by(R"({"model_name": "google/bert-tiny", "batch_size": 32})"),
            "network=bert-tiny batch_size=32");
  EXPECT_EQ(said_by("+ python -u train.py --model resnet50 --epochs 3 --batch-size 128"),
            "network=resnet50 epochs=3 batch_size=128");
  EXPECT_EQ(said_by("python train.py --arch=resnet50 --batch_size=128"), "network=resnet50 batch_size=128");
  EXPECT_EQ(said_by("model=lstm device=cuda seed=42"), "network=lstm");
  EXPECT_EQ(said_by("  - NVCC architecture flags: -gencode;arch=compute_80,code=sm_80"), "");
}

TEST(Arguments, BatchIsASizeAmongTheProgramsOptionsAlone) {
  EXPECT_EQ(said_by("Namespace(batch=64, steps=200, arch='resnet50')"), "batch_size=64 network=resnet50");
  EXPECT_EQ(said_by("+ python train.py --batch 16 --model yolov8n"), "batch_size=16 network=yolov8n");
  EXPECT_EQ(said_by("epoch=3 batch=64 loss=0.5"), "");
  EXPECT_EQ(said_by("batch: 64"), "");
}

TEST(Arguments, StandOnALineOfTheirOwn) {
  EXPECT_EQ(said_by("batch_size: 64"), "batch_size=64");
  EXPECT_EQ(said_by("  \"batch_size\": 64,"), "batch_size=64");
  EXPECT_EQ(said_by("- Model: densenet121"), "network=densenet121");
  EXPECT_EQ(said_by("| Batch size | 64 |"), "batch_size=64");
  EXPECT_EQ(said_by("cfg.training.batch_size            : 256"), "batch_size=256");
  EXPECT_EQ(said_by("train_batch_size ................ 8"), "global_batch_size=8");
  EXPECT_EQ(said_by("Total train batch size (w. parallel, distributed & accumulation) = 64"),
            "global_batch_size=64");
  EXPECT_EQ(said_by("Batch size per GPU: 12"), "batch_size=12");
  EXPECT_EQ(said_by("2026-03-01 10:00:12,750 - INFO - Batch size: 16"), "batch_size=16");
  EXPECT_EQ(said_by("2026-03-01 10:00:12 [INFO] train: Batch size: 16"), "");
  EXPECT_EQ(said_by("model = configs/yolo-tiny.yaml"), "network=yolo-tiny");
}

TEST(Arguments, OfAnotherPhaseAreNotTheTrainings) {
  for (const char* each : {"val_batch_size=128", "--eval-batch-size 16", "eval.batch_size: 16",
                           "BATCH_SIZE_EVAL: 8", "'valid': 8", "{'test_batch_size': 100}"})
    EXPECT_EQ(said_by(each), "") << each;
}

TEST(Arguments, WhatNamesNoNetworkIsNone) {
  for (const char* each :
       {"Model: models/mlp_best.pth", "model: ", "model=None", "--model_name_or_path out/checkpoint-800",
        "Model: a transformer with an encoder", "model: ResNet(", "'model': {'type': 'x'}", "model: True",
        "net: 18", "net: \"models/train_val.prototxt\"", "model: nn.Module,", "Save best model: MAE: 13.79",
        "Loading model weights: x.bin", "model == resnet"})
    EXPECT_EQ(said_by(each), "") << each;
}

TEST(Arguments, WhatIsNoCountIsNoBatch) {
  for (const char* each :
       {"batch_size=None", "batch_size=64.5", "batch_size=-1", "batch_size=0", "batch_size: 64 of 100",
        "batch_size=12345678", "batch_size", "batch_size=", "batch_size ....", "..", "batch_size(",
        "batch_size (64", "Stage(batch_size=8 * 2048, lr=1.0)", "batch_size = 64 // world",
        "Output shape: [batch_size, seq_len, 50257]", "'batch_size'", "'batch_size':"})
    EXPECT_EQ(said_by(each), "") << each;
}

// Were each one's end looked for in all that stands behind it, this would take minutes.
TEST(Arguments, InALongLineOfNothingButNames) {
  std::string line;
  while (line.size() < 300'000) line += "a=";
  EXPECT_EQ(said_by(line), "");
  EXPECT_EQ(said_by(line + " batch_size=64"), "batch_size=64");
}

TEST(Arguments, TheFirstOfSeveralCounts) {
  EXPECT_EQ(said_by("{'train': {'batch_size': 64}, 'other': {'batch_size': 32}}"), "batch_size=64");
}

// What is said before a training in a format that has no word of its own for it.
TEST(Arguments, AreHeardBeforeTheFirstStepOfAnyFormat) {
  std::vector<std::string> lines = {"Namespace(arch='vit_small', batch_size=64, epochs=2, lr=0.1)"};
  for (int epoch = 0; epoch < 2; ++epoch)
    for (int i = 0; i <= 100; i += 20)
      lines.push_back(test::written("Epoch: [%d][%d/101]\tTime 0.250 (0.250)\tLoss 1.125 (1.125)", epoch, i));
  const etad::Run run = test::only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.network, "vit_small");
  EXPECT_EQ(run.train.samples_per_iteration, 64);
  EXPECT_EQ(run.state, RunState::finished) << "its last epoch is over";
}

// PyTorch's rule of the batch takes the line, and leaves the network.
TEST(Arguments, AreHeardInASettingsLineToo) {
  std::vector<std::string> lines = {"Namespace(arch=\"vit_small\", epochs=2, batch_size=64)"};
  for (int i = 0; i <= 100; i += 20)
    lines.push_back(test::written("Epoch: [0][%d/101]\tTime 0.250 (0.250)\tLoss 1.125 (1.125)", i));
  const etad::Run run = test::only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.network, "vit_small");
  EXPECT_EQ(run.train.samples_per_iteration, 64);
}

// Another program's options, and then the training's own word.
TEST(Arguments, GiveWayToWhatIsSaidOfTheTraining) {
  std::vector<std::string> lines = {
      "python prepare.py --batch-size 512",
      "2026-03-01 10:00:00.250 | INFO     | yolox.core.trainer:before_train:126 - "
      "args: Namespace(batch_size=8, devices=1, exp_file='a.py')"};
  for (int i = 10; i <= 100; i += 10)
    lines.push_back(test::written(
        "2026-03-01 10:01:%02d.250 | INFO     | yolox.core.trainer:after_iter:253 - epoch: 1/5, iter: "
        "%d/200, mem: 2000Mb, iter_time: 0.250s, data_time: 0.001s, total_loss: 1.5, lr: 1.0e-03, size: "
        "640, ETA: 0:10:00",
        i / 10, i));
  const etad::Run run = test::only_run(lines);
  EXPECT_EQ(run.framework, "pytorch");
  EXPECT_EQ(run.train.samples_per_iteration, 8);
  EXPECT_EQ(run.train.batch_size, 8);
}

// Settings printed as a tree, in the order of the alphabet.
TEST(Arguments, BelowAnotherPhasesHeadingAreNotTheTrainings) {
  std::optional<std::int64_t> heading;
  const auto other = [&](const std::string& header, const std::string& message) {
    const std::string line = header + message;
    return is_of_other_phase(line, std::string_view(line).substr(header.size()), heading);
  };
  EXPECT_FALSE(other("10:00 INFO: ", "DataLoader :"));
  EXPECT_TRUE(other("10:00 INFO: ", "    Eval :"));
  EXPECT_TRUE(other("10:00 INFO: ", "        sampler :"));
  EXPECT_TRUE(other("10:00 INFO: ", "            batch_size : 256"));
  EXPECT_TRUE(other("10:00 INFO: ", "------"));
  EXPECT_FALSE(other("10:00 INFO: ", "    Train :"));
  EXPECT_FALSE(other("10:00 INFO: ", "            batch_size : 128"));
  EXPECT_TRUE(other("", "test_dataloader = dict("));
  EXPECT_TRUE(other("", "    batch_size=1,"));
  EXPECT_FALSE(other("", "train_dataloader = dict("));
  EXPECT_FALSE(other("", "test_interval : 5"));
  EXPECT_FALSE(other("", "    batch_size=1,"));
}

// A batch is no measure of an epoch.
TEST(Arguments, OfATrainingReadByEpochsAreNotItsIterationsSize) {
  std::vector<std::string> lines = {"{'model': 'mlp', 'batch_size': 1024, 'epochs': 6}"};
  for (int epoch = 1; epoch <= 6; ++epoch)
    lines.push_back(test::written("Epoch %d | loss 0.8125 | accuracy 0.75 | time 62.5s", epoch));
  const etad::Run run = test::only_run(lines);
  EXPECT_EQ(run.network, "mlp");
  EXPECT_EQ(run.iteration, 6);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_FALSE(run.train.samples_per_iteration);
  EXPECT_EQ(run.settings.at("derived"), "iterations: epochs");
}

}  // namespace
}  // namespace etad
