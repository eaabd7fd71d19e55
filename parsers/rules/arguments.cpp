#include "parsers/rules/arguments.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kLongestName = 48, kLongestValue = 64, kMostDigits = 7;

constexpr std::string_view kBlanks = " \t", kSeparators = ":=|", kAroundValue = " \t,;|'\"";
constexpr std::string_view kBehindValue = " \t,;)]}|";  // in a list

bool is_in_option(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
}

bool is_quote(char c) {
  return c == '\'' || c == '"';
}

// As plain_name() gives them, in the order of the alphabet, since they are looked up by halving; so are all lists below.
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

// Parts of names that speak of another phase: "val.batch_size", "eval_batch_size".
constexpr std::array<std::string_view, 6> kOtherPhases = {"dev", "eval",  "test",
                                                          "val", "valid", "validation"};

// What stands for a network and names none.
constexpr std::array<std::string_view, 22> kNoNetwork = {
    "auto", "base",   "best",  "cpu",  "cuda", "custom",     "default", "eval", "false", "gpu",  "large",
    "last", "latest", "model", "none", "null", "pretrained", "small",   "test", "train", "true", "unknown"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::binary_search(words.begin(), words.end(), word);
}

// "cfg.TRAIN.Batch-Size" is "batch_size"; empty: of another phase.
std::string plain_name(std::string_view written) {
  std::string name = lower_case(written.substr(0, kLongestName));
  for (char& c : name)
    if (c == '-' || c == ' ') c = '_';
  std::size_t part = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '.') continue;
    if (i < name.size() && is_one_of(kOtherPhases, std::string_view(name).substr(part, i - part))) return {};
    if (i < name.size()) part = i + 1;
  }
  return name.substr(part);
}

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
  for (const std::string_view ending :
       {".pt", ".pth", ".ckpt", ".bin", ".h5", ".pkl", ".tar", ".safetensors", ".onnx", ".keras"})
    if (name.ends_with(ending)) return {};
  const auto fits = [](char c) { return is_in_option(c) || c == '+'; };
  if (name.size() < 2 || !is_letter(name.front()) || !std::all_of(name.begin(), name.end(), fits)) return {};
  const std::string plain = lower_case(name);
  const bool saved = plain.starts_with("checkpoint") || plain.starts_with("ckpt");
  return saved || is_one_of(kNoNetwork, plain) ? std::string_view() : name;
}

bool is_count(std::string_view value) {
  return !value.empty() && value.size() <= kMostDigits && value.front() != '0' &&
         std::all_of(value.begin(), value.end(), is_digit);
}

bool add(Event& event, Field field, std::string_view value) {
  return !event.has(field) && event.add(field, 1, value);
}

bool take(std::string_view name, std::string_view value, Event& event) {
  const std::string plain = plain_name(name);
  if (is_one_of(kNetwork, plain)) {
    const std::string_view network = network_of(value);
    return !network.empty() && add(event, Field::network, network);
  }
  if (!is_count(value)) return false;
  if (is_one_of(kBatch, plain)) return add(event, Field::batch_size, value);
  return is_one_of(kGlobalBatch, plain) && add(event, Field::global_batch_size, value);
}

// The value at the head of `text`, without its quotes; what follows it ends the list's item.
std::string_view value_at(std::string_view text) {
  const bool quoted = !text.empty() && is_quote(text.front());
  const char quote = quoted ? text.front() : '\0';
  if (quoted) text.remove_prefix(1);
  const auto ends = [&](char c) { return quoted ? c == quote : kBehindValue.find(c) != kBehindValue.npos; };
  const auto end = std::find_if(text.begin(), text.end(), ends);
  if (quoted && end == text.end()) return {};
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// What stands between a name and its value in a list of options: "=", "': ", or a blank behind "--name". Nullopt: the
// name is none of an option.
std::optional<std::size_t> separator(std::string_view behind, bool dashed, bool quoted) {
  if (quoted) {
    if (behind.size() < 3 || !is_quote(behind[0]) || behind[1] != ':') return {};
    return behind[2] == ' ' ? 3 : 2;
  }
  if (behind.size() < 2) return {};
  if (behind[0] == '=' && behind[1] != '=') return 1;
  if (dashed && behind[0] == ' ') return behind.find_first_not_of(' ');
  return {};
}

// Options wherever they stand in the message.
bool take_list(std::string_view message, Event& event) {
  bool found = false;
  for (std::size_t at = 0; at < message.size();) {
    if (!is_letter(message[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < message.size() && is_in_option(message[end])) ++end;
    const bool dashed = at >= 2 && message[at - 1] == '-' && message[at - 2] == '-';
    const bool quoted = at >= 1 && is_quote(message[at - 1]);
    const std::string_view behind = message.substr(end);
    if (const auto between = separator(behind, dashed, quoted); between && *between < behind.size())
      found |= take(message.substr(at, end - at), value_at(behind.substr(*between)), event);
    at = end;
  }
  return found;
}

// An option that is all of the message: "Batch size (per GPU): 64", "model ........ resnet18".
bool take_alone(std::string_view message, Event& event) {
  while (!message.empty() && !is_letter(message.front())) message.remove_prefix(1);
  std::size_t end = 0;
  while (end < message.size() && (is_in_option(message[end]) || message[end] == ' ')) ++end;
  std::string_view name = message.substr(0, end), rest = message.substr(end);
  if (const std::size_t dots = name.find(".."); dots != name.npos) {
    rest = message.substr(std::min(message.find_first_not_of('.', dots), message.size()));
    name = name.substr(0, dots);
  } else {
    if (rest.starts_with('(')) rest.remove_prefix(std::min(rest.find(')'), rest.size() - 1) + 1);
    if (!rest.empty() && is_quote(rest.front())) rest.remove_prefix(1);
    rest = trim(rest, kBlanks);
    if (rest.empty() || kSeparators.find(rest.front()) == kSeparators.npos) return false;
    rest.remove_prefix(1);
  }
  const std::string_view value = trim(rest, kAroundValue);
  const bool one_word = value.size() <= kLongestValue && value.find(' ') == value.npos;
  return one_word && take(trim(name, kBlanks), value, event);
}

}  // namespace

bool add_arguments(std::string_view message, Event& event) {
  const bool listed = take_list(message, event);
  return listed || take_alone(message, event);
}

}  // namespace etad
