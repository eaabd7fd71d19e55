#include "prediction/description.h"

#include <gtest/gtest.h>

#include "parsers/network/net_text.h"

namespace etad::prediction {
namespace {

const char* const kNet =
    "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } }\n"
    "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' convolution_param { num_output: 4 "
    "kernel_size: 3 } }\n"
    "layer { name: 'r' type: 'ReLU' bottom: 'c' top: 'c' }\n"
    "layer { name: 'f' type: 'Flatten' bottom: 'c' top: 'f' }\n";

TEST(NetCosts, ALayerThatComputesIsOneOfTheEstimators) {
  const auto net = read_network(kNet, Phase::test);
  ASSERT_TRUE(net);
  const auto costs = costs_of(net->layers);
  ASSERT_TRUE(costs);
  ASSERT_EQ((*costs)->layers.size(), 2u);  // neither the input nor the view
  const estimators::LayerCosts& conv = (*costs)->layers.front();
  EXPECT_TRUE(conv.matrix);
  EXPECT_EQ(conv.operations, 4. * 27 * 36);
  EXPECT_EQ(conv.lowered, 27. * 36);
  EXPECT_EQ(conv.elements, 3. * 64 + 4 * 36);
  EXPECT_EQ(conv.weights, 4. * 27 + 4);
  EXPECT_FALSE((*costs)->layers.back().matrix);
}

TEST(NetCosts, WhatIsNotKnownOfOneLayerIsNotKnownOfTheNetwork) {
  std::string text = kNet;
  text.replace(text.find("'ReLU'"), 6, "'Mine'");
  const auto net = read_network(text, Phase::test);
  ASSERT_TRUE(net);
  const auto unknown = costs_of(net->layers);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), "what layer \"r\" of type Mine computes is not known");
  EXPECT_FALSE(costs_of({}));
}

}  // namespace
}  // namespace etad::prediction
