// Networks shown as text: which form it is, and what each form tells.
#include "parsers/network/net_text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parsers/known_nets.h"
#include "tests/parsers/log_reader.h"
#include "tests/parsers/network_sums.h"

namespace etad {
namespace {

LayerCosts whole_of(const Result<NetText>& net) {
  EXPECT_TRUE(net) << (net ? "" : net.error().text());
  return net ? whole_of(net->layers) : LayerCosts{};
}

const char* const kKeras = R"(Using TensorFlow backend.
x_train shape: (60000, 28, 28, 1)
Model: "mnist"
_________________________________________________________________
Layer (type)                 Output Shape              Param #
=================================================================
conv2d_1 (Conv2D)            (None, 26, 26, 32)        320
_________________________________________________________________
conv2d_2 (Conv2D)            (None, 24, 24, 64)        18496
_________________________________________________________________
max_pooling2d_1 (MaxPooling2 (None, 12, 12, 64)        0
_________________________________________________________________
flatten_1 (Flatten)          (None, 9216)              0
_________________________________________________________________
dense_1 (Dense)              (None, 128)               1,179,776
_________________________________________________________________
dense_2 (Dense)              (None, 10)                1290
=================================================================
Total params: 1,199,882
other_1 (Dense)              (None, 10)                1290
)";

// 32*9*26^2 + 64*32*9*24^2 + 9216*128 + 128*10, and a step for each of the 24*24*64 elements pooled. The
// first kernel is not to be told from a 10-weight one without a bias but for its being square.
TEST(NetText, KerasSummary) {
  const auto net = read_network(kKeras, Phase::train);
  const LayerCosts whole = whole_of(net);
  EXPECT_EQ(net->format, "keras");
  EXPECT_EQ(net->name, "mnist");
  EXPECT_EQ(net->layers.size(), 6u);
  EXPECT_EQ(whole.parameters, 1199882);
  EXPECT_EQ(whole.operations, 194688. + 10616832 + 1179648 + 1280 + 36864);
  EXPECT_FALSE(whole.backward_operations == 0);
}

TEST(NetText, KerasSummaryOfABranchedModelInABox) {
  const auto net = read_network(R"(
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ in (InputLayer)     │ (None, 8, 8, 16)  │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ a (Conv2D)          │ (None, 8, 8, 16)  │      2,304 │ in[0][0]          │
│ bn (BatchNormalizat │ (None, 8, 8, 16)  │         64 │ a[0][0]           │
│ add (Add)           │ (None, 8, 8, 16)  │          0 │ bn[0][0],         │
│                     │                   │            │ in[0][0]          │
└─────────────────────┴───────────────────┴────────────┴───────────────────┘
 Total params: 2,368
)",
                                Phase::train);
  const LayerCosts whole = whole_of(net);
  ASSERT_EQ(net->layers.size(), 4u);
  EXPECT_EQ(net->layers[1].costs.operations, 2304. * 64);  // without a bias: 3 x 3 x 16 x 16
  EXPECT_EQ(net->layers[3].costs.inputs, 2. * 8 * 8 * 16);
  EXPECT_EQ(whole.parameters, 2304 + 32);
}

// A name, a type or a shape that is too long for its cell goes on in the next line.
TEST(NetText, KerasSummaryWhoseCellsAreWrapped) {
  const auto net = read_network(R"(
┏━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓
┃ Layer (type)        ┃ Output Shape      ┃    Param # ┃ Connected to      ┃
┡━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩
│ images (InputLayer) │ (None, 32, 32, 3) │          0 │ -                 │
├─────────────────────┼───────────────────┼────────────┼───────────────────┤
│ first_convolution   │ (None, 30, 30,    │        280 │ images[0][0]      │
│ (Conv2D)            │ 10)               │            │                   │
│ second (Conv2D)     │ (None, 28, 28,    │      1,820 │ first_convoluti…  │
│                     │ 20)               │            │                   │
│ sum_of_the_two      │ (None, 28, 28,    │          0 │ second[0][0],     │
│ (Add)               │ 20)               │            │ second[0][0]      │
)",
                                Phase::train);
  const LayerCosts whole = whole_of(net);
  ASSERT_EQ(net->layers.size(), 4u);
  EXPECT_EQ(net->layers[1].name, "first_convolution");
  EXPECT_EQ(net->layers[1].costs.operations, 270. * 30 * 30);
  EXPECT_EQ(net->layers[2].costs.operations, 1800. * 28 * 28);
  EXPECT_EQ(net->layers[3].costs.inputs, 2. * 28 * 28 * 20);
  EXPECT_EQ(whole.parameters, 280 + 1820);
}

TEST(NetText, KerasLayersThatHideTheirWorkStayUnknown) {
  std::string text = kKeras;
  const std::string from = "max_pooling2d_1 (MaxPooling2";
  text.replace(text.find(from), from.size(), "lambda_1 (Lambda)           ");
  const LayerCosts whole = whole_of(read_network(text, Phase::train));
  EXPECT_FALSE(whole.operations);
  EXPECT_TRUE(whole.parameters);
}

TEST(NetText, PyTorchModulesTellWeightsAndNoOperations) {
  const auto net = read_network(R"(Net(
  (conv1): Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(3, 3), bias=False)
  (bn1): BatchNorm2d(64, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
  (relu): ReLU(inplace=True)
  (blocks): ModuleList(
    (0-11): 12 x Block(
      (ln): LayerNorm((768,), eps=1e-05, elementwise_affine=True)
      (fc): Linear(in_features=768, out_features=3072, bias=True)
    )
  )
  (rnn): LSTM(10, 20, num_layers=2)
)
(something): Linear(in_features=1, out_features=1, bias=True)
)",
                                Phase::train);
  const LayerCosts whole = whole_of(net);
  EXPECT_EQ(net->name, "Net");
  ASSERT_EQ(net->layers.size(), 6u);
  EXPECT_EQ(net->layers[3].name, "blocks.0-11.ln");
  // An LSTM's four gates have two biases: 4*20*(10+20+2) and 4*20*(20+20+2).
  EXPECT_EQ(whole.parameters, 9408 + 128 + 12 * (1536. + 768 * 3072 + 3072) + 2560 + 3360);
  EXPECT_FALSE(whole.operations);
}

TEST(NetText, TrainValHoldsTwoNets) {
  const std::string text = R"(name: "two"
layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TRAIN }
  transform_param { crop_size: 8 mean_value: 104 mean_value: 117 mean_value: 123 } data_param { batch_size: 64 } }
layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TEST }
  transform_param { crop_size: 8 } data_param { batch_size: 50 } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 10 } }
layer { name: "acc" type: "Accuracy" bottom: "fc" bottom: "label" top: "acc" include { phase: TEST } }
layer { name: "loss" type: "SoftmaxWithLoss" bottom: "fc" bottom: "label" top: "loss" }
)";
  const auto train = read_network(text, Phase::train), test = read_network(text, Phase::test);
  ASSERT_TRUE(train && test);
  EXPECT_EQ(train->batch_size, 64);
  EXPECT_EQ(test->batch_size, 50);
  EXPECT_EQ(train->layers.size(), 3u);
  EXPECT_EQ(test->layers.size(), 4u);
  EXPECT_EQ(train->architecture, test->architecture);
  EXPECT_EQ(whole_of(train->layers).parameters, 1930);
}

// One rule that is met is enough; a layer of both phases has a rule for each.
TEST(NetText, ALayerMayHaveSeveralRules) {
  const std::string text = R"(name: "rules"
layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 4 dim: 3 dim: 8 dim: 8 } } }
layer { name: "both" type: "InnerProduct" bottom: "d" top: "a" inner_product_param { num_output: 10 }
  include { phase: TRAIN } include { phase: TEST } }
layer { name: "staged" type: "InnerProduct" bottom: "a" top: "b" inner_product_param { num_output: 10 }
  include { stage: "x" } }
layer { name: "tests" type: "Accuracy" bottom: "b" top: "c" include { phase: TEST } include { phase: TEST } }
layer { name: "trains" type: "Dropout" bottom: "b" top: "b" exclude { phase: TEST } }
)";
  const auto names = [&text](Phase phase) {
    const auto net = read_network(text, phase);
    std::string out;
    for (const auto& layer : net->layers) out += layer.name + ' ';
    return out;
  };
  EXPECT_EQ(names(Phase::train), "d both staged trains ");
  EXPECT_EQ(names(Phase::test), "d both staged tests ");
}

TEST(NetText, ASliceAtImpossiblePointsHasNoShape) {
  const auto net = read_network(R"(name: "sliced"
layer { name: "d" type: "Input" top: "d" input_param { shape { dim: 4 dim: 6 dim: 8 dim: 8 } } }
layer { name: "s" type: "Slice" bottom: "d" top: "a" top: "b" slice_param { slice_point: -9223372036854775807 } }
layer { name: "f" type: "InnerProduct" bottom: "a" top: "f" inner_product_param { num_output: 10 } }
)",
                                Phase::train);
  ASSERT_TRUE(net);
  EXPECT_FALSE(net->layers.back().costs.operations);
}

TEST(NetText, InputsOfOldNetsAndOldLayerNames) {
  const auto net = read_network(
      "name: 'old'\ninput: 'data'\ninput_dim: 10\ninput_dim: 3\ninput_dim: 8\ninput_dim: 8\n"
      "layers {\n name: 'c'\n type: CONVOLUTION\n bottom: 'data'\n top: 'c'\n"
      " convolution_param { num_output: 4 kernel_size: 3 }\n}\n",
      Phase::test);
  EXPECT_EQ(whole_of(net).operations, 4. * 3 * 9 * 36);
}

TEST(NetText, WhatSaysTooLittleIsAnErrorThatSaysWhatIsMissing) {
  const auto hint = [](const std::string& text) {
    const auto net = read_network(text, Phase::train);
    EXPECT_FALSE(net) << text;
    return net ? std::string{} : net.error().text();
  };
  EXPECT_NE(hint("").find("no network"), std::string::npos);
  EXPECT_NE(hint("I1121 00:00:00.0 1 caffe.cpp:1] Use CPU.\n").find("no network"), std::string::npos);
  EXPECT_NE(hint(lenet().substr(0, 300)).find("breaks off"), std::string::npos);
  EXPECT_NE(hint("layer { name: 'd' type: 'Data' top: 'data' data_param { batch_size: 4 } }\n")
                .find("samples look"),
            std::string::npos);
}

TEST(NetText, ALogIsNoNetAndAnyBytesAreSurvived) {
  for (const std::string& name : test::caffe_log_names()) {
    std::string text;
    for (const std::string& line : test::caffe_log(name)) text += line + "\n";
    EXPECT_FALSE(shows_network(text)) << name;
  }
  const std::string texts[] = {lenet(), kKeras, "Net(\n  (a): Conv2d(3, 4, kernel_size=(3, 3))\n)\n"};
  std::uint32_t seed = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string text = texts[i % 3];
    for (int change = 0; change < 8; ++change) {
      seed = seed * 1664525u + 1013904223u;
      text[(seed >> 8) % text.size()] = static_cast<char>("\n(){},:0918 \"x\xe2"[(seed >> 4) % 15]);
    }
    for (const auto& read :
         {read_prototxt(text, Phase::train), read_keras_summary(text), read_pytorch_modules(text)}) {
      if (!read) continue;
      const LayerCosts whole = whole_of(read->layers);
      EXPECT_TRUE(!whole.operations || (std::isfinite(*whole.operations) && *whole.operations >= 0)) << text;
      EXPECT_TRUE(!whole.parameters || (std::isfinite(*whole.parameters) && *whole.parameters >= 0)) << text;
    }
  }
}

// Of a request's body: each bracket once went back over all before it.
TEST(NetText, AKerasSummaryOfAMegabyteOfBracketsIsReadAtOnce) {
  std::string text =
      "Layer (type)    Output Shape      Param #   Connected to\nconv (Conv2D)   (None, 8, 8, 4)   40   ";
  text.append(1'000'000, '[').append("\n");
  const auto read = read_network(text, Phase::train);
  EXPECT_FALSE(read && read->layers.size() > 1);
}

}  // namespace
}  // namespace etad
