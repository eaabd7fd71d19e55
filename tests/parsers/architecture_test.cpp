#include "parsers/network/architecture.h"

#include <gtest/gtest.h>

#include <sstream>

namespace etad {
namespace {

struct LayerLines {
  std::string layer;
  std::vector<std::string> shapes;
};

Net net_of(const std::string& description, const std::vector<LayerLines>& lines = {}) {
  NetBuilder builder;
  PrototextReader reader;
  std::istringstream in(description);
  for (std::string line; std::getline(in, line);) reader.feed(line, builder);
  builder.end_description(reader.balanced());
  for (const LayerLines& line : lines) {
    builder.set_up(line.layer);
    for (const std::string& dims : line.shapes) builder.shape(dims);
  }
  return builder.net();
}

std::string data(const std::string& batch, const std::string& phase) {
  return "layer { name: 'data' type: 'Data' top: 'data' top: 'label' include { phase: " + phase +
         " } data_param { batch_size: " + batch + " } }\n";
}

const std::string kConv =
    "layer { name: 'conv1' type: 'Convolution' bottom: 'data' top: 'conv1'\n"
    " convolution_param { num_output: 20 kernel_size: 5 } }\n";
const std::string kRelu = "layer { name: 'relu1' type: 'ReLU' bottom: 'conv1' top: 'conv1' }\n";
const std::string kFc =
    "layer { name: 'fc' type: 'InnerProduct' bottom: 'conv1' top: 'fc' inner_product_param { num_output: 10 "
    "} }\n";
const std::string kLoss =
    "layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'fc' bottom: 'label' top: 'loss' }\n";
const std::string kAccuracy =
    "layer { name: 'accuracy' type: 'Accuracy' bottom: 'fc' bottom: 'label' top: 'accuracy' }\n";
const std::string kBody = kConv + kRelu + kFc;
const std::string kNet = data("64", "TRAIN") + kBody + kLoss;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Fingerprint, EightHexadecimalDigits) {
  const std::string digits = fingerprint(net_of(kNet));
  EXPECT_EQ(digits.size(), 8u);
  EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string::npos);
}

// A constant, so that no change of the code makes strangers of a history's networks unnoticed.
TEST(Fingerprint, StaysTheSameFromVersionToVersion) {
  EXPECT_EQ(fingerprint(net_of(kNet)), "7a4a2788");
}

TEST(Fingerprint, TheSameForTrainNetTestNetAndTimedNet) {
  const std::string train = fingerprint(net_of(kNet));
  EXPECT_EQ(fingerprint(net_of(data("100", "TEST") + kBody + kAccuracy + kLoss)), train);
  EXPECT_EQ(fingerprint(net_of("input: 'data' input_dim: 8 input_dim: 1\n" + kBody +
                               "layer { name: 'prob' type: 'Softmax' bottom: 'fc' top: 'prob' }")),
            train);
  EXPECT_EQ(
      fingerprint(net_of(
          "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 8 } } }\n" + kBody)),
      train);
}

TEST(Fingerprint, WhatOnlyLeadsToALossOrAnEvaluationStaysOut) {
  const std::string train = fingerprint(net_of(kNet));
  const std::string evaluated = kBody +
                                "layer { name: 'r' type: 'Reshape' bottom: 'fc' top: 'r' }\n"
                                "layer { name: 's' type: 'Softmax' bottom: 'r' top: 's' }\n"
                                "layer { name: 'f' type: 'Flatten' bottom: 's' top: 'f' }\n"
                                "layer { name: 'd' type: 'DetectionOutput' bottom: 'f' top: 'd' }\n"
                                "layer { name: 'e' type: 'DetectionEvaluate' bottom: 'd' top: 'e' }\n";
  EXPECT_EQ(fingerprint(net_of(data("1", "TEST") + evaluated)), train);
}

TEST(Fingerprint, ASoftmaxInTheMiddleIsPartOfTheNetwork) {
  const std::string attention =
      "layer { name: 'a' type: 'Softmax' bottom: 'conv1' top: 'a' }\n"
      "layer { name: 'm' type: 'Eltwise' bottom: 'a' bottom: 'conv1' top: 'm' }\n";
  const std::string plain = "layer { name: 'm' type: 'Eltwise' bottom: 'conv1' bottom: 'conv1' top: 'm' }\n";
  EXPECT_NE(fingerprint(net_of(data("1", "TRAIN") + kBody + attention)),
            fingerprint(net_of(data("1", "TRAIN") + kBody + plain)));
}

TEST(Fingerprint, HowItLearnsDoesNotCount) {
  const std::string train = fingerprint(net_of(kNet));
  const std::string other =
      replaced(replaced(kNet, "top: 'conv1'\n",
                        "top: 'conv1' param { lr_mult: 2 decay_mult: 0 } param { name: 'w' }\n"),
               "kernel_size: 5",
               "kernel_size: 5 weight_filler { type: 'gaussian' std: 0.01 } bias_filler { value: 1 }");
  EXPECT_EQ(fingerprint(net_of(other)), train);
  EXPECT_EQ(fingerprint(net_of(replaced(kNet, "top: 'loss'", "top: 'loss' loss_weight: 0.3"))), train);
}

TEST(Fingerprint, ADropoutCountsAndItsRatioDoesNot) {
  const auto with_ratio = [](const std::string& ratio) {
    return fingerprint(net_of(kNet +
                              "layer { name: 'd' type: 'Dropout' bottom: 'fc' top: 'fc' dropout_param { " +
                              "dropout_ratio: " + ratio + " } }"));
  };
  EXPECT_EQ(with_ratio("0.5"), with_ratio("0.2"));
  EXPECT_NE(with_ratio("0.5"), fingerprint(net_of(kNet)));
}

TEST(Fingerprint, ADefaultWrittenOutIsNoChange) {
  EXPECT_EQ(fingerprint(net_of(replaced(kNet, "kernel_size: 5", "pad: 0 kernel_size: 5 group: 1 stride: 1"))),
            fingerprint(net_of(kNet)));
}

TEST(Fingerprint, EveryRealChangeCounts) {
  const std::string train = fingerprint(net_of(kNet));
  const std::string pool =
      "layer { name: 'pool' type: 'Pooling' bottom: 'fc' top: 'pool' pooling_param { pool: MAX kernel_size: "
      "2 } }\n";
  const std::string pooled = kNet + pool;
  const std::vector<std::string> others = {
      replaced(kNet, "num_output: 20", "num_output: 21"),
      replaced(kNet, "kernel_size: 5", "kernel_size: 3"),
      replaced(kNet, "kernel_size: 5", "kernel_size: 5 stride: 2"),
      replaced(kNet, "kernel_size: 5", "kernel_size: 5 pad: 2"),
      replaced(kNet, "kernel_size: 5", "kernel_size: 5 group: 2"),
      replaced(kNet, "'ReLU'", "'PReLU'"),
      data("64", "TRAIN") + kConv + kFc + kLoss,                                // a layer less
      replaced(kNet, "bottom: 'conv1' top: 'fc'", "bottom: 'data' top: 'fc'"),  // wired otherwise
      pooled,
      replaced(pooled, "MAX", "AVE"),
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    EXPECT_NE(fingerprint(net_of(others[i])), train) << others[i];
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(fingerprint(net_of(others[i])), fingerprint(net_of(others[j])));
  }
}

TEST(Fingerprint, NamesDoNotCount) {
  std::string renamed = kNet;
  for (auto at = renamed.find("'fc'"); at != std::string::npos; at = renamed.find("'fc'"))
    renamed.replace(at, 4, "'x'");
  EXPECT_EQ(fingerprint(net_of(renamed)), fingerprint(net_of(kNet)));
}

std::vector<LayerLines> set_up(const std::string& batch, const std::string& size) {
  return {{"data", {batch + " 1 28 28 ", batch}},
          {"label_data_1_split", {batch, batch}},
          {"conv1", {batch + " 20 " + size}},
          {"relu1", {batch + " 20 " + size}},
          {"fc", {batch + " 10"}},
          {"loss", {""}}};
}

TEST(Fingerprint, ShapesCountWithoutTheBatch) {
  const std::string train = fingerprint(net_of(kNet, set_up("64", "24 24")));
  EXPECT_EQ(fingerprint(net_of(kNet, set_up("128", "24 24"))), train);
  EXPECT_NE(fingerprint(net_of(kNet, set_up("64", "20 20"))), train) << "another input size";
}

TEST(Fingerprint, FourDimensionsOf2014AreNoChange) {
  std::vector<LayerLines> old = set_up("64", "24 24");
  old[4].shapes = {"64 10 1 1"};
  EXPECT_EQ(fingerprint(net_of(kNet, old)), fingerprint(net_of(kNet, set_up("64", "24 24"))));
}

TEST(Fingerprint, LayersOf2014AreThoseOfToday) {
  std::string old = kNet;
  for (const auto& [now, then] :
       {std::pair<std::string, std::string>{"'Convolution'", "CONVOLUTION"},
        {"'ReLU'", "RELU"},
        {"'InnerProduct'", "INNER_PRODUCT"},
        {"'SoftmaxWithLoss'", "SOFTMAX_LOSS"},
        {"'Data'", "DATA"},
        {"top: 'conv1'\n", "top: 'conv1' blobs_lr: 1 blobs_lr: 2 weight_decay: 1\n"}})
    old = replaced(old, now, then);
  for (auto at = old.find("layer {"); at != std::string::npos; at = old.find("layer {", at + 8))
    old.insert(at + 5, "s");
  EXPECT_EQ(fingerprint(net_of(old)), fingerprint(net_of(kNet)));
}

// The description breaks off at one layer in the train net and at another in the test net.
TEST(Fingerprint, OfACutDescriptionIsTheSameWhereverItIsCut) {
  const std::string whole = data("64", "TRAIN") + kBody;
  const auto cut_at = [&](const std::string& text) { return whole.substr(0, whole.find(text)); };
  const auto lines = set_up("64", "24 24");
  const std::string within_conv = fingerprint(net_of(cut_at("num_output: 20"), lines));
  EXPECT_FALSE(within_conv.empty());
  EXPECT_EQ(fingerprint(net_of(cut_at("name: 'fc'"), lines)), within_conv);
  EXPECT_EQ(fingerprint(net_of(cut_at("layer { name: 'fc'"), lines)), within_conv) << "between two layers";
  auto with_accuracy = lines;
  with_accuracy.push_back({"accuracy", {""}});
  EXPECT_EQ(fingerprint(net_of(cut_at("'relu1'"), with_accuracy)), within_conv);
  EXPECT_NE(fingerprint(net_of(cut_at("'relu1'"), set_up("64", "20 20"))), within_conv);
}

TEST(Fingerprint, OfNothingIsNothing) {
  EXPECT_EQ(fingerprint(net_of("")), "");
  EXPECT_EQ(fingerprint(net_of(data("64", "TRAIN"))), "");
  EXPECT_EQ(fingerprint(net_of("garbage } { layer layer")), "");
}

TEST(Net, BatchSizeOfEveryKindOfInput) {
  EXPECT_EQ(net_of(kNet).batch_size(), 64);
  for (const char* text :
       {"layer { type: 'DummyData' dummy_data_param { shape { dim: 32 dim: 3 } shape { dim: 7 } } }",
        "layer { type: 'Input' input_param { shape { dim: 32 dim: 3 } } }",
        "layer { type: 'DummyData' dummy_data_param { num: 32 channels: 3 } }",
        "layers { type: IMAGE_DATA image_data_param { batch_size: 32 } }",
        "layer { type: 'HDF5Data' hdf5_data_param { batch_size: 32 } }",
        "layer { type: 'MemoryData' memory_data_param { batch_size: 32 channels: 1 } }",
        "layer { type: 'AnnotatedData' data_param { batch_size: 32 } }",
        "input: 'data' input_dim: 32 input_dim: 3", "input: 'data' input_shape { dim: 32 dim: 3 }"})
    EXPECT_EQ(net_of(text).batch_size(), 32) << text;
  EXPECT_EQ(net_of("layer { type: 'Python' top: 'data' }").batch_size(), std::nullopt);
  EXPECT_EQ(net_of("layer { data_param { batch_size: -3 } }").batch_size(), std::nullopt);
}

TEST(Net, TheBatchAsSetUpIsTheFirstDataLayers) {
  EXPECT_EQ(net_of(kNet, set_up("16", "24 24")).batch_set_up, 16);
  EXPECT_EQ(net_of(kNet).batch_set_up, std::nullopt);
}

TEST(Net, StaysBounded) {
  NetBuilder builder;
  PrototextReader reader;
  for (int i = 0; i < 10'000; ++i)
    reader.feed("layer { name: 'x' type: 'Convolution' p { a: 1 } p { b: 2 } bottom: 'x' }", builder);
  EXPECT_LE(builder.net().layers.size(), Net::kMaxLayers);
  for (int i = 0; i < 10'000; ++i) reader.feed("layer { bottom: 'b' top: 't' p { a: 1 }", builder);
  builder.set_up("x");
  for (int i = 0; i < 10'000; ++i) builder.shape("1 2 3 4 5 6 7 8 9 10 11 12");
  for (const NetLayer& layer : builder.net().layers) {
    EXPECT_LE(layer.layer.shapes.size(), Net::kMaxShapes);
    EXPECT_LE(layer.bottoms.size(), 256u);
  }
  EXPECT_LE(builder.state().parameters.size(), 64u);
}

// Shapes that no net has would overflow what is computed of them.
TEST(Net, KeepsNoShapeThatNoNetHas) {
  NetBuilder builder;
  PrototextReader reader;
  reader.feed("layer { name: 'a' type: 'Input' top: 'a' }", builder);
  reader.feed(
      "layer { name: 'b' type: 'Convolution' bottom: 'a' top: 'b' convolution_param { num_output: 2 } }",
      builder);
  builder.set_up("a");
  builder.shape("1 1 9223372036854775807 1");
  EXPECT_TRUE(builder.net().layers.at(0).layer.shapes.empty());
  EXPECT_EQ(layers_of(builder.net()).size(), 2U);
}

// Each of a net's parts is bounded, and all of them together.
TEST(Net, WithAsMuchInEachLayerAsOneMayHaveStaysBounded) {
  NetBuilder builder;
  PrototextReader reader;
  for (int i = 0; i < 4096; ++i) {
    reader.feed("layer { name: 'x' type: 'Concat'", builder);
    for (int k = 0; k < 256; ++k) reader.feed("bottom: 'a' top: 'b' concat_param { axis: 3 }", builder);
    reader.feed("}", builder);
  }
  for (int i = 0; i < 10'000; ++i) {
    builder.set_up("layer" + std::to_string(i));
    builder.shape("64 20 24 24");
  }
  const Net& net = builder.net();
  EXPECT_TRUE(net.cut);
  std::size_t ends = 0;
  for (const NetLayer& layer : net.layers) ends += layer.bottoms.size() + layer.tops.size();
  EXPECT_GT(ends, 10'000u);
  EXPECT_LE(ends * sizeof(std::string) + net.layers.size() * sizeof(NetLayer),
            static_cast<std::size_t>(NetBuilder::kMostBytesOfLog));
}

}  // namespace
}  // namespace etad
