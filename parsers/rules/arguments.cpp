#include "parsers/rules/arguments.h"

#include <algorithm>
#include <array>
#include <string>

#include "parsers/base/options.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kMostDigits = 7;

// As plain_option_name() gives them, in the order of the alphabet, since they are looked up by halving; so are all
// lists below.
constexpr std::array<std::string_view, 21> kBatch = {"batch_per_gpu",
                                                     "batch_size",
                                                     "batch_size_per_device",
                                                     "batch_size_per_gpu",
                                                     "batch_size_train",
                                                     "batchsize",
                                                     "bs",
                                                     "ims_per_gpu",
                                                     "instantaneous_batch_size_per_device",
                                                     "instantaneous_batch_size_per_gpu",
                                                     "instantaneous_train_batch_size",
                                                     "mini_batch_size",
                                                     "minibatch_size",
                                                     "per_device_batch_size",
                                                     "per_device_train_batch_size",
                                                     "per_gpu_batch_size",
                                                     "per_gpu_train_batch_size",
                                                     "samples_per_gpu",
                                                     "train_batch",
                                                     "train_bs",
                                                     "training_batch_size"};
// "train_batch_size" is that of all in DeepSpeed's configurations, and in scripts after Hugging Face's first examples.
constexpr std::array<std::string_view, 8> kGlobalBatch = {
    "effective_batch_size", "global_batch_size",      "global_train_batch_size", "ims_per_batch",
    "total_batch_size",     "total_train_batch_size", "train_batch_size",        "train_global_batch_size"};
constexpr std::array<std::string_view, 11> kEpochs = {
    "epochs",  "max_epoch", "max_epochs", "n_epoch",      "n_epochs",    "nb_epochs",
    "nepochs", "num_epoch", "num_epochs", "total_epochs", "train_epochs"};
constexpr std::array<std::string_view, 15> kNetwork = {"arch",
                                                       "arch_name",
                                                       "architecture",
                                                       "base_model",
                                                       "model",
                                                       "model_arch",
                                                       "model_name",
                                                       "model_name_or_path",
                                                       "model_type",
                                                       "net",
                                                       "net_name",
                                                       "net_type",
                                                       "network",
                                                       "network_name",
                                                       "pretrained_model_name_or_path"};

// What stands for a network and names none.
constexpr std::array<std::string_view, 26> kNoNetwork = {
    "auto",  "base",   "best",       "cpu",   "cuda",   "custom", "default",         "eval",
    "false", "gpu",    "large",      "last",  "latest", "model",  "module",          "nn.module",
    "none",  "null",   "pretrained", "small", "str",    "test",   "torch.nn.module", "train",
    "true",  "unknown"};

std::string_view file_name(std::string_view path) {
  while (!path.empty() && (path.back() == '/' || path.back() == '\\')) path.remove_suffix(1);
  const std::size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

// "configs/resnet18.yaml" and "google/vit-base" name one, a file of weights does not.
std::string_view network_of(std::string_view value) {
  std::string_view name = file_name(value);
  for (const std::string_view ending : {".yaml", ".yml", ".json", ".py", ".cfg"})
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  for (const std::string_view ending : {".pt", ".pth", ".ckpt", ".bin", ".h5", ".pkl", ".tar", ".safetensors",
                                        ".onnx", ".keras", ".prototxt"})
    if (name.ends_with(ending)) return {};
  const auto fits = [](char c) { return is_in_option(c) || c == '+'; };
  if (name.size() < 2 || !is_letter(name.front()) || !std::all_of(name.begin(), name.end(), fits)) return {};
  const std::string plain = lower_case(name);
  const bool saved = plain.starts_with("checkpoint") || plain.starts_with("ckpt");
  constexpr std::string_view kOfCuda =
      "compute_";  // "-gencode;arch=compute_80,…": what its compiler was told
  const bool cuda =
      plain.starts_with(kOfCuda) && plain.find_first_not_of("0123456789", kOfCuda.size()) == plain.npos;
  return saved || cuda || is_one_of(kNoNetwork, plain) ? std::string_view() : name;
}

bool is_count(std::string_view value) {
  return !value.empty() && value.size() <= kMostDigits && value.front() != '0' &&
         std::all_of(value.begin(), value.end(), is_digit);
}

bool add(Event& event, Field field, std::string_view value) {
  return !event.has(field) && event.add(field, 1, value);
}

// Among a program's options "batch" is their size; elsewhere it counts them.
bool is_batch_of_command(std::string_view message, std::string_view plain) {
  return plain == "batch" &&
         (message.find("Namespace(") != message.npos || message.find(" --batch") != message.npos);
}

bool take(std::string_view message, std::string_view name, std::string_view value, Event& event) {
  const std::string plain = plain_option_name(name);
  if (is_one_of(kNetwork, plain)) {
    const std::string_view network = network_of(value);
    return !network.empty() && add(event, Field::network, network);
  }
  if (!is_count(value)) return false;
  if (is_one_of(kEpochs, plain)) return add(event, Field::epochs, value);
  if (is_one_of(kBatch, plain) || is_batch_of_command(message, plain))
    return add(event, Field::batch_size, value);
  return is_one_of(kGlobalBatch, plain) && add(event, Field::global_batch_size, value);
}

// What stands behind a name that has no value, but settings below it.
bool opens_settings(std::string_view behind) {
  constexpr std::string_view kDict = "dict";
  if (const std::size_t at = behind.find(kDict); at != behind.npos && at + kDict.size() < behind.size())
    behind = behind.substr(0, at);
  constexpr std::string_view kOpening = " \t'\":={([";
  return !behind.empty() && behind.find_first_not_of(kOpening) == behind.npos;
}

}  // namespace

bool is_of_other_phase(std::string_view line, std::string_view message,
                       std::optional<std::int64_t>& heading) {
  const auto begin = std::find_if(message.begin(), message.end(), is_letter);
  if (begin == message.end()) return heading.has_value();
  const auto indent = static_cast<std::int64_t>(line.size() - message.size()) + (begin - message.begin());
  if (heading && indent > *heading) return true;
  heading.reset();
  const auto end = std::find_if_not(begin, message.end(), is_in_option);
  const std::string_view name(begin, end), behind(end, message.end());
  if (!opens_settings(behind) || !names_other_phase(name)) return false;
  heading = indent;
  return true;
}

bool add_arguments(std::string_view message, Event& event) {
  return visit_options(message, [&](std::string_view name, std::string_view value) {
    return take(message, name, value, event);
  });
}

}  // namespace etad
