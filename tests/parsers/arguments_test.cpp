#include "parsers/rules/arguments.h"

#include <gtest/gtest.h>

#include <string>

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
        "net: 18", "Save best model: MAE: 13.79", "Loading model weights: x.bin", "model == resnet"})
    EXPECT_EQ(said_by(each), "") << each;
}

TEST(Arguments, WhatIsNoCountIsNoBatch) {
  for (const char* each :
       {"batch_size=None", "batch_size=64.5", "batch_size=-1", "batch_size=0", "batch_size: 64 of 100",
        "batch_size=12345678", "batch_size", "batch_size=", "batch_size ....", "..", "batch_size(",
        "batch_size (64", "Output shape: [batch_size, seq_len, 50257]", "'batch_size'", "'batch_size':"})
    EXPECT_EQ(said_by(each), "") << each;
}

TEST(Arguments, TheFirstOfSeveralCounts) {
  EXPECT_EQ(said_by("{'train': {'batch_size': 64}, 'other': {'batch_size': 32}}"), "batch_size=64");
}

}  // namespace
}  // namespace etad
