#include "parsers/network/architecture_layers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parsers/network/architecture.h"

namespace etad {
namespace {

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Renaming = std::pair<std::string_view, std::string_view>;

// The enumeration of 2014's `layers { type: CONVOLUTION }` beside the names of today.
constexpr std::array<Renaming, 40> kOldTypes = {{
    {"ABSVAL", "AbsVal"},
    {"ACCURACY", "Accuracy"},
    {"ARGMAX", "ArgMax"},
    {"BNLL", "BNLL"},
    {"CONCAT", "Concat"},
    {"CONTRASTIVE_LOSS", "ContrastiveLoss"},
    {"CONVOLUTION", "Convolution"},
    {"DATA", "Data"},
    {"DECONVOLUTION", "Deconvolution"},
    {"DROPOUT", "Dropout"},
    {"DUMMY_DATA", "DummyData"},
    {"ELTWISE", "Eltwise"},
    {"EUCLIDEAN_LOSS", "EuclideanLoss"},
    {"EXP", "Exp"},
    {"FLATTEN", "Flatten"},
    {"HDF5_DATA", "HDF5Data"},
    {"HDF5_OUTPUT", "HDF5Output"},
    {"HINGE_LOSS", "HingeLoss"},
    {"IM2COL", "Im2col"},
    {"IMAGE_DATA", "ImageData"},
    {"INFOGAIN_LOSS", "InfogainLoss"},
    {"INNER_PRODUCT", "InnerProduct"},
    {"LRN", "LRN"},
    {"MEMORY_DATA", "MemoryData"},
    {"MULTINOMIAL_LOGISTIC_LOSS", "MultinomialLogisticLoss"},
    {"MVN", "MVN"},
    {"POOLING", "Pooling"},
    {"POWER", "Power"},
    {"RELU", "ReLU"},
    {"SIGMOID", "Sigmoid"},
    {"SIGMOID_CROSS_ENTROPY_LOSS", "SigmoidCrossEntropyLoss"},
    {"SILENCE", "Silence"},
    {"SLICE", "Slice"},
    {"SOFTMAX", "Softmax"},
    {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
    {"SPLIT", "Split"},
    {"TANH", "TanH"},
    {"THRESHOLD", "Threshold"},
    {"WINDOW_DATA", "WindowData"},
    {"NONE", ""},
}};

constexpr std::array<std::string_view, 7> kJudges = {
    "Accuracy", "Silence", "DetectionOutput", "DetectionEvaluate", "HDF5Output", "LabelSequenceAccuracy",
    "Print"};

constexpr std::array<std::string_view, 7> kReshapers = {"Softmax", "ArgMax",  "Reshape",   "Flatten",
                                                        "Split",   "Permute", "LogSoftmax"};

constexpr std::array<std::string_view, 20> kLearningKeys = {"param",
                                                            "include",
                                                            "exclude",
                                                            "blobs",
                                                            "blobs_lr",
                                                            "weight_decay",
                                                            "loss_weight",
                                                            "loss_param",
                                                            "phase",
                                                            "blob_share_mode",
                                                            "weight_filler",
                                                            "bias_filler",
                                                            "filler",
                                                            "dropout_param",
                                                            "dropout_ratio",
                                                            "use_global_stats",
                                                            "moving_average_fraction",
                                                            "transform_param",
                                                            "top",
                                                            "bottom"};

constexpr std::array<Renaming, 16> kDefaults = {{
    {"stride", "1"},
    {"stride_h", "1"},
    {"stride_w", "1"},
    {"pad", "0"},
    {"pad_h", "0"},
    {"pad_w", "0"},
    {"group", "1"},
    {"dilation", "1"},
    {"bias_term", "true"},
    {"axis", "1"},
    {"pool", "MAX"},
    {"global_pooling", "false"},
    {"engine", "DEFAULT"},
    {"negative_slope", "0"},
    {"norm_region", "ACROSS_CHANNELS"},
    {"transpose", "false"},
}};

}  // namespace

std::string_view current_layer_type(std::string_view type) {
  const auto* const at =
      std::find_if(kOldTypes.begin(), kOldTypes.end(), [&](const Renaming& r) { return r.first == type; });
  return at == kOldTypes.end() ? type : at->second;
}

bool is_loss(std::string_view type) {
  return type.ends_with("Loss") || type.ends_with("loss");
}

bool is_judge(std::string_view type) {
  return among(kJudges, type) || type.ends_with("Accuracy");
}

bool only_reshapes(std::string_view type) {
  return among(kReshapers, type);
}

bool is_learning_key(std::string_view key) {
  return key.ends_with("_filler") || among(kLearningKeys, key);
}

bool is_default(std::string_view key, std::string_view value) {
  return std::find(kDefaults.begin(), kDefaults.end(), Renaming{key, value}) != kDefaults.end();
}

}  // namespace etad
