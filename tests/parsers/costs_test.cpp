// The costs of networks against the literature's figures and against what is worked out by hand here.
#include "parsers/network/costs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parsers/network/net_text.h"
#include "tests/parsers/known_nets.h"
#include "tests/parsers/log_reader.h"
#include "tests/parsers/network_sums.h"

namespace etad {
namespace {

NetText read(const std::string& text, Phase phase = Phase::test) {
  auto net = read_network(text, phase);
  EXPECT_TRUE(net) << (net ? "" : net.error().text());
  return net ? *net : NetText{};
}

struct Known {
  const char* name;
  std::string text;
  double macs, macs_tolerance, parameters;
};

class KnownNet : public testing::TestWithParam<Known> {};

TEST_P(KnownNet, CostsWhatItsAuthorsSay) {
  const NetText net = read(GetParam().text);
  const LayerCosts whole = whole_of(net.layers);
  EXPECT_TRUE(whole.operations);
  EXPECT_NEAR(macs_of(net.layers), GetParam().macs, GetParam().macs_tolerance);
  ASSERT_TRUE(whole.parameters);
  EXPECT_DOUBLE_EQ(*whole.parameters, GetParam().parameters);
}

// LeNet by hand: 20*25*24^2 + 50*20*25*8^2 + 800*500 + 500*10. The others: Krizhevsky 2012 (grouped, 60.97
// million), Simonyan and Zisserman 2015 (138 million, 15.5e9), Szegedy 2015 (7 million, 1.6e9), He 2016
// (25.6 million, 3.8e9).
INSTANTIATE_TEST_SUITE_P(Literature, KnownNet,
                         testing::Values(Known{"LeNet", lenet(), 2293000, 0, 431080},
                                         Known{"AlexNet", alexnet(), 0.7244e9, 1e5, 60965224},
                                         Known{"VGG16", vgg16(), 15.4703e9, 1e5, 138357544},
                                         Known{"GoogLeNet", googlenet(), 1.59e9, 2e7, 6998552},
                                         Known{"ResNet50", resnet50(), 3.86e9, 2e7, 25557032}),
                         [](const auto& test) { return std::string(test.param.name); });

// Else whoever shows a network first would say what it costs.
TEST(Costs, WhatTheFingerprintLeavesOutCostsNothing) {
  const NetText net = read(lenet(), Phase::train);
  for (const std::string type : {"Convolution", "Mystery", "SoftmaxWithLoss"}) {
    const std::string more =
        "layer { name: 'more' type: '" + type + "' bottom: 'data' top: 'more'\n" +
        " include { phase: TRAIN } convolution_param { num_output: 100000 kernel_size: 5 } }\n";
    const NetText other = read(lenet() + more, Phase::train);
    EXPECT_EQ(other.layers.size(), net.layers.size() + 1);
    EXPECT_EQ(other.architecture, net.architecture);
    EXPECT_EQ(whole_of(other.layers).operations, whole_of(net.layers).operations) << type;
    EXPECT_EQ(whole_of(other.layers).inputs, whole_of(net.layers).inputs) << type;
  }
}

TEST(Costs, BackwardIsTwiceForwardButForTheFirstLayer) {
  const NetText net = read(alexnet());
  double backward = 0, forward = 0, first = 0;
  for (const Layer& layer : net.layers) {
    if (layer.type != "Convolution" && layer.type != "InnerProduct") continue;
    if (first == 0) first = *layer.costs.operations;
    forward += *layer.costs.operations;
    backward += *layer.costs.backward_operations;
  }
  EXPECT_DOUBLE_EQ(first, 96. * 3 * 121 * 55 * 55);
  EXPECT_DOUBLE_EQ(backward, 2 * forward - first);
}

TEST(Costs, ATypeNobodyKnowsMakesTheWholeUnknownNotZero) {
  std::string text = lenet();
  text.replace(text.find("\"ReLU\""), 6, "\"Python\"");
  EXPECT_FALSE(whole_of(read(text).layers).operations);
}

TEST(Costs, NumbersThatMakeNoSenseAreUnknown) {
  for (const char* conv : {"num_output: 0 kernel_size: 3", "num_output: 1000000001 kernel_size: 3",
                           "num_output: 4 kernel_size: 99999999999", "num_output: 4 kernel_size: 3 stride: 0",
                           "num_output: -4 kernel_size: 3", "num_output: 4 kernel_size: 300"}) {
    const std::string text =
        "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 3 dim: 9 dim: 9 } "
        "} }\n"
        "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' convolution_param { " +
        std::string(conv) + " } }\n";
    EXPECT_FALSE(whole_of(read(text).layers).operations) << conv;
  }
}

TEST(Costs, GroupsDilationAndTransposition) {
  const std::string input =
      "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 8 dim: 10 dim: 10 } "
      "} }\n";
  const auto of = [&](const std::string& type, const std::string& parameters) {
    return read(input + "layer { name: 'c' type: '" + type +
                "' bottom: 'data' top: 'c' convolution_param { " + parameters + " } }\n")
        .layers.back();
  };
  const Layer dilated = of("Convolution", "num_output: 4 kernel_size: 3 dilation: 2 bias_term: false");
  EXPECT_EQ(dilated.shapes.front(), (std::vector<std::int64_t>{4, 6, 6}));
  EXPECT_EQ(dilated.costs.operations, 4. * 8 * 9 * 36);
  EXPECT_EQ(dilated.costs.parameters, 4. * 8 * 9);
  EXPECT_EQ(dilated.costs.lowered, 8. * 9 * 36);
  const Layer grouped = of("Convolution", "num_output: 8 kernel_h: 1 kernel_w: 3 group: 8");
  EXPECT_EQ(grouped.shapes.front(), (std::vector<std::int64_t>{8, 10, 8}));
  EXPECT_EQ(grouped.costs.operations, 8. * 3 * 80);
  const Layer up = of("Deconvolution", "num_output: 2 kernel_size: 4 stride: 2 pad: 1 bias_term: false");
  EXPECT_EQ(up.shapes.front(), (std::vector<std::int64_t>{2, 20, 20}));
  EXPECT_EQ(up.costs.operations, 8. * 2 * 16 * 100);
}

// What a log shows of its first net, and what is read of it.
struct LogShown {
  std::string net;  // as printed
  std::string architecture;
  std::vector<Layer> layers;
  std::int64_t batch = 0;
  double memory_for_data = 0;  // bytes: the last figure before the next net
};

LogShown shown_by(const std::string& name) {
  LogShown out;
  const std::vector<std::string> lines = test::caffe_log(name);
  const Records records = test::records_of(*test::format_named("caffe"), lines);
  EXPECT_FALSE(records.layers.empty());
  if (!records.layers.empty()) out.layers = records.layers.front().value;
  out.architecture = records.runs.front().architecture;
  out.batch = records.runs.front().train.batch_size.value_or(0);
  bool inside = false;
  int nets = 0;
  for (const std::string& line : lines) {
    const bool header = line.find("] ") < 60;
    if (header) inside = false;
    if (inside && nets == 1) out.net += line + "\n";
    if (line.find("] Initializing net from parameters") != line.npos) inside = true, ++nets;
    const std::size_t at = line.find("Memory required for data: ");
    if (at != line.npos && nets == 1) out.memory_for_data = std::stod(line.substr(at + 26));
  }
  return out;
}

// A log states its shapes; the same net's prototxt must imply them, and then be the same architecture.
TEST(Costs, APrototxtIsTheNetworkThatItsLogShows) {
  for (const char* log : {"googlenet_mini_snap.log"}) {
    const LogShown shown = shown_by(log);
    const NetText net = read(shown.net, Phase::train);
    EXPECT_EQ(net.architecture, shown.architecture) << log;
  }
}

// What Caffe itself prints when it has set a net up.
TEST(Costs, MemoryForDataIsWhatCaffePrints) {
  for (const char* log : {"googlenet_mini_snap.log", "odd_notest_resnet14.log", "cifar10_quick_snap.log",
                          "lenet_b32_i500_tb50_ti50.log"}) {
    const LogShown shown = shown_by(log);
    const LayerCosts whole = whole_of(shown.layers);
    ASSERT_TRUE(whole.outputs && whole.copies) << log;
    const double bytes = 4.0 * static_cast<double>(shown.batch) * (*whole.outputs + *whole.copies);
    EXPECT_NEAR(bytes, shown.memory_for_data, 1e-3 * shown.memory_for_data) << log;
  }
}

}  // namespace
}  // namespace etad
