#include "parsers/base/precision.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "parsers/base/options.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::size_t kLongestSentence = 200;
constexpr std::string_view kMixed = "amp";

// All lists of names are in the order of the alphabet, since they are looked up by halving.
using Names = std::pair<std::string_view, std::string_view>;
constexpr std::array<Names, 21> kTypes = {
    {{"16", "fp16"},      {"32", "fp32"},      {"64", "fp64"},    {"bf16", "bf16"},  {"bfloat16", "bf16"},
     {"double", "fp64"},  {"f16", "fp16"},     {"f32", "fp32"},   {"float", "fp32"}, {"float16", "fp16"},
     {"float32", "fp32"}, {"float64", "fp64"}, {"float8", "fp8"}, {"fp16", "fp16"},  {"fp32", "fp32"},
     {"fp64", "fp64"},    {"fp8", "fp8"},      {"full", "fp32"},  {"half", "fp16"},  {"single", "fp32"},
     {"tf32", "tf32"}}};

// Options whose value is what is computed in.
constexpr std::array<std::string_view, 13> kPrecision = {"amp",
                                                         "amp_dtype",
                                                         "amp_type",
                                                         "autocast_dtype",
                                                         "compute_dtype",
                                                         "half_precision",
                                                         "mixed_precision",
                                                         "mixed_precision_training",
                                                         "mixed_precision_type",
                                                         "precision",
                                                         "train_precision",
                                                         "trainer_precision",
                                                         "training_precision"};

// Options whose value is what the parameters are kept in: what is short is computed in, too, but a mixed training keeps
// them in fp32.
constexpr std::array<std::string_view, 7> kStored = {
    "data_type", "dtype", "model_dtype", "param_dtype", "params_dtype", "torch_dtype", "weight_dtype"};

// Options that are switched on or off.
constexpr std::array<std::string_view, 25> kSwitches = {"amp",
                                                        "amp_enabled",
                                                        "apex_amp",
                                                        "bf16",
                                                        "bf16_enabled",
                                                        "bfloat16",
                                                        "bfloat16_enabled",
                                                        "enable_amp",
                                                        "enable_bf16",
                                                        "enable_fp16",
                                                        "fp16",
                                                        "fp16_enabled",
                                                        "fp16_run",
                                                        "fp8",
                                                        "half",
                                                        "half_precision",
                                                        "mixed_precision",
                                                        "mixed_precision_training",
                                                        "native_amp",
                                                        "use_amp",
                                                        "use_bf16",
                                                        "use_fp16",
                                                        "use_fp8",
                                                        "use_half",
                                                        "use_mixed_precision"};

constexpr std::array<std::string_view, 7> kOn = {"", "1", "o1", "o2", "on", "true", "yes"};
constexpr std::array<std::string_view, 5> kOff = {"0", "false", "no", "none", "off"};

// "torch.bfloat16", "bf16-mixed", "mixed_float16", "amp_bf16", "32-true", "16bit". Empty: none of them.
std::string_view type_of(std::string_view word) {
  for (const std::string_view before : {"torch.", "jnp.", "tf.", "amp_", "mixed_"})
    if (word.starts_with(before)) word.remove_prefix(before.size());
  for (const std::string_view behind : {"-mixed", "-true", "_mixed", "_true", "-bit", "bit"})
    if (word.ends_with(behind)) word.remove_suffix(behind.size());
  const auto at =
      std::lower_bound(kTypes.begin(), kTypes.end(), word,
                       [](const Names& type, std::string_view name) { return type.first < name; });
  return at != kTypes.end() && at->first == word ? at->second : std::string_view();
}

// What an option that is switched on by itself says: "use_fp16".
std::string_view named_by(std::string_view option) {
  if (option.find("bf") != option.npos) return "bf16";
  if (option.find("fp8") != option.npos) return "fp8";
  if (option.find("16") != option.npos || option.find("half") != option.npos) return "fp16";
  return kMixed;
}

std::string_view if_short(std::string_view type) {
  return type == "bf16" || type == "fp16" || type == "fp8" ? type : std::string_view();
}

std::string_view of_option(std::string_view name, std::string_view written) {
  const std::string option = plain_option_name(name), value = lower_case(written);
  if (is_one_of(kPrecision, option)) {
    if (const std::string_view type = type_of(value); !type.empty() && value.size() > 1) return type;
    if (option.starts_with("mixed_precision") && value == "no") return "fp32";
  }
  if (is_one_of(kStored, option)) return if_short(type_of(value));
  return is_one_of(kSwitches, option) && is_one_of(kOn, value) ? named_by(option) : std::string_view();
}

// "Using bfloat16 Automatic Mixed Precision (AMP)", "Training in mixed precision.", "batch size 48 and precision fp32",
// "distributed training: False, compute dtype: torch.bfloat16".
// Not what advises it, or says that it is not so.
std::string_view of_sentence(std::string_view message) {
  const std::string text = lower_case(message.substr(0, kLongestSentence));
  if (text.find("precision") == text.npos && text.find("dtype") == text.npos) return {};
  for (const std::string_view doubt : {"not ", "n't", "without", "disabl", "can ", "could", "consider",
                                       "recommend", " if ", "fail", "?", "support", "no ", "=="})
    if (text.find(doubt) != text.npos) return {};
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; };
  std::string_view before, last, rest = text;  // what is said just before, and the last word
  while (!rest.empty()) {
    rest.remove_prefix(
        static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), in_word) - rest.begin()));
    const auto length = std::find_if_not(rest.begin(), rest.end(), in_word) - rest.begin();
    const std::string_view word = trim(rest.substr(0, static_cast<std::size_t>(length)), ".");
    rest.remove_prefix(static_cast<std::size_t>(length));
    std::string_view type = word.size() > 2 ? type_of(word) : std::string_view();  // 16 may be anything
    if (word == "half" || word == "mixed") type = before.empty() ? kMixed : before;
    if (last == "precision" && is_one_of(kOff, word)) return {};
    if (last == "precision") return type.empty() ? before : type;
    if (last == "dtype") return if_short(type);
    if (word != "precision" && word != "automatic" && word != "native") before = type;
    last = word;
  }
  return last == "precision" ? before : std::string_view();
}

// Most lines are told here to say nothing of it.
bool may_say(std::string_view message) {
  for (const std::string_view sign : {"16", "32", "recision", "amp", "AMP", "half", "fp8", "float"})
    if (message.find(sign) != message.npos) return true;
  return false;
}

}  // namespace

bool says_more(std::string_view told, std::string_view known) {
  return !told.empty() && (known.empty() || (known == kMixed && told != kMixed));
}

std::string_view precision_in(std::string_view message) {
  if (!may_say(message)) return {};
  std::string_view found;
  visit_options(message, [&](std::string_view name, std::string_view value) {
    const std::string_view told = of_option(name, value);
    if (says_more(told, found)) found = told;
    return !told.empty();
  });
  return found.empty() ? of_sentence(message) : found;
}

}  // namespace etad
