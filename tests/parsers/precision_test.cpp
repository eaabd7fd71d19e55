// What lines say of the numbers that a training computes in.
#include "parsers/base/precision.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

struct Said {
  std::string line, precision;
};

void expect_all(const std::vector<Said>& lines) {
  for (const Said& said : lines) EXPECT_EQ(precision_in(said.line), said.precision) << said.line;
}

TEST(Precision, OfOptions) {
  expect_all({{"Namespace(arch='resnet18', batch_size=64, fp16=True)", "fp16"},
              {"Namespace(arch='resnet18', amp=True, amp_dtype='bfloat16')", "bf16"},
              {"python train.py --arch resnet18 --bf16 --lr 0.1", "bf16"},
              {"python train.py --arch resnet18 --lr 0.1 --amp", "amp"},
              {"{'model': 'resnet18', 'precision': '16-mixed'}", "fp16"},
              {"precision: 32-true", "fp32"},
              {"| precision | BF16 |", "bf16"},
              {"Mixed precision type: no", "fp32"},
              {"Mixed precision type: fp16", "fp16"},
              {"  fp16_enabled ................. True", "fp16"},
              {"  params_dtype ................. torch.float16", "fp16"},
              {"  bf16=True,", "bf16"},
              {"precision: amp_bf16", "bf16"}});
}

TEST(Precision, OfSentences) {
  expect_all({{"Using bfloat16 Automatic Mixed Precision (AMP)", "bf16"},
              {"Using 16bit native Automatic Mixed Precision (AMP)", "fp16"},
              {"Using native Torch AMP. Training in mixed precision.", "amp"},
              {"Using auto half precision backend", "amp"},
              {"Mixed precision: True", "amp"},
              {"in eager mode with input batch size 48 and precision fp32.", "fp32"},
              {"device: cuda:0, distributed training: False, compute dtype: torch.bfloat16", "bf16"}});
}

TEST(Precision, OfLinesThatDoNotSayIt) {
  expect_all({{"Namespace(fp16=False, bf16=False, half_precision_backend='auto')", ""},
              {"Namespace(amp='apex', apex_amp_opt_level='O2', fp16=False)", ""},
              {"torch_dtype: float32", ""},
              {"2026-03-01 10:00:12,750 - INFO - Mixed precision: False", ""},
              {"precision: 0.875 recall: 0.75", ""},
              {"Epoch 16 precision 0.875", ""},
              {"val.precision=16", ""},
              {"You can use mixed precision to train faster.", ""},
              {"Precision bf16-mixed is not supported by the model summary.", ""},
              {"weights = numpy.zeros(16, dtype=torch.float64)", ""},
              {"scaler = torch.cuda.amp.GradScaler(enabled=(dtype == 'float16'))", ""},
              {"example of 16 samples", ""},
              {"", ""}});
}

// Of an old log's runs, in their order, whether the parser is saved and restored amid it or not.
std::vector<std::string> precisions_in(const std::string& log) {
  std::vector<std::string> out;
  for (const auto& [ordinal, run] : runs_of(lines_of(log), 2)) {
    const auto at = run.settings.find("precision");
    out.push_back(at == run.settings.end() ? "" : at->second);
  }
  return out;
}

constexpr const char* kEpoch =
    "Epoch: [0][ 1/20]\tTime  0.500 ( 0.500)\tLoss 1.2500 (1.2500)\n"
    "Epoch: [0][10/20]\tTime  0.500 ( 0.500)\tLoss 1.2500 (1.2500)\n"
    "Epoch: [0][20/20]\tTime  0.500 ( 0.500)\tLoss 1.2500 (1.2500)\n";

using Precisions = std::vector<std::string>;

TEST(Precision, IsARunsSettingWhateverTheFormat) {
  const std::string said = "Using bfloat16 Automatic Mixed Precision (AMP)\n";
  EXPECT_EQ(precisions_in(said + "=> creating model 'resnet18'\n" + kEpoch), Precisions{"bf16"});
  EXPECT_EQ(precisions_in(said + "step 10/60 loss 1.25 dt 250.0ms\nstep 20/60 loss 1.25 dt 250.0ms\n"
                                 "step 30/60 loss 1.25 dt 250.0ms\nstep 40/60 loss 1.25 dt 250.0ms\n"),
            Precisions{"bf16"});
}

TEST(Precision, OfTheSecondProgramInALog) {
  const std::string first =
      "Namespace(arch='resnet18', batch_size=64, fp16=True)\n=> creating model 'resnet18'\n";
  const std::string second =
      "Namespace(arch='resnet18', batch_size=64, bf16=True)\n=> creating model 'resnet18'\n";
  EXPECT_EQ(precisions_in(first + kEpoch + second + kEpoch), (Precisions{"fp16", "bf16"}));
}

// Lines amid a training that no rule knows are not asked: they are many.
TEST(Precision, IsNotTakenFromLinesAmidATraining) {
  const std::string begin = "=> creating model 'resnet18'\n";
  EXPECT_EQ(precisions_in(begin + kEpoch + "precision: fp16\n" + kEpoch).front(), "");
}

}  // namespace
}  // namespace etad::test
