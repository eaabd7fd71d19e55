#include "parsers/base/device_count.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "parsers/base/number.h"
#include "parsers/base/options.h"
#include "parsers/base/samples.h"
#include "parsers/base/text.h"

namespace etad {
namespace {

constexpr std::int64_t kMostDevices = 99999;

// Both in the order of the alphabet.
constexpr std::array<std::string_view, 3> kOptionsOfAll = {"dist_world_size", "distributed_world_size",
                                                           "world_size"};
constexpr std::array<std::string_view, 3> kOptionsOfNodes = {"nnodes", "num_machines", "num_nodes"};
constexpr std::string_view kOptionOfNode = "nproc_per_node";

// srun's: where it says both, it starts a process a device.
constexpr std::string_view kTasks = "ntasks", kTasksOfNode = "ntasks_per_node";

// A number, what stands before it, and what behind it; "\n": nothing more.
using DevicesSentence = std::pair<std::string_view, std::string_view>;
constexpr std::array<DevicesSentence, 17> kDevicesSentences = {
    {{"MEMBER: 1/", ""},
     {"Starting with ", " processes\n"},
     {"device per process.Process 0, total ", ", device"},
     {"Num processes: ", "\n"},
     {"GPUs used: ", ""},
     {"total gpus is: ", ""},
     {"Number of accelerators: ", ""},
     {"rank 0, world_size ", ""},
     {"assert world_size == ", ""},
     {"using: ", " TPU cores"},
     {"using: ", " HPUs"},
     {" with world_size ", ""},
     {"`--num_processes` was set to a value of `", "`"},
     {" nranks ", " cudaDev "},
     {"nccl context nranks: ", " local rank: "},
     {"store_based_barrier_key:1 with ", " nodes"},  // by all processes, as PyTorch begins
     {"_n_gpu=", ","}}};                             // of a process of Hugging Face's

std::int64_t counted_devices(std::string_view text) {
  return parse_number<std::int64_t>(text, 1, kMostDevices).value_or(0);
}

std::string_view digits_at_head(std::string_view text) {
  return text.substr(0, digits_at(text, 0));
}

std::int64_t devices_of_sentence(std::string_view message) {
  for (const auto& [before, behind] : kDevicesSentences) {
    const std::size_t at = message.find(before);
    if (at == message.npos) continue;
    const std::string_view rest = message.substr(at + before.size());
    const std::string_view digits = digits_at_head(rest);
    const std::string_view then = rest.substr(digits.size());
    const bool ends = behind.ends_with('\n') && trim(then, " .,;)\r") == trim(behind, " \n");
    if (!digits.empty() && (ends || then.starts_with(behind))) return counted_devices(digits);
  }
  return 0;
}

// Whether what a line says of devices is not what it trains with: those that are there, or of something else.
bool is_of_others(std::string_view line) {
  const std::string lower = lower_case(line);
  for (const std::string_view word : {"detected", "found", "available", "pretrain", "pre-train", "evaluat"})
    if (lower.find(word) != lower.npos) return true;
  return false;
}

// "Running on 8 GPUs", "Using 1 GPUs"; not "Using 2 of 8 GPUs", nor those that are only there.
std::int64_t devices_by_name(std::string_view line) {
  constexpr std::array<std::string_view, 4> kUses = {"on", "use", "using", "with"};
  const std::size_t at = std::min(line.find(" GPU"), line.find(" gpu"));
  if (at == line.npos || at == 0) return 0;
  const std::string_view before = line.substr(0, at);
  const std::size_t number = before.rfind(' ');
  if (number == before.npos) return 0;
  const std::string_view words = before.substr(0, number);
  const std::size_t word = words.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (!is_one_of(kUses, lower_case(words.substr(word == words.npos ? 0 : word + 1)))) return 0;
  return is_of_others(line) ? 0 : counted_devices(before.substr(number + 1));
}

// "world_size = 8": options have no blanks there. Not that of a part of them ("model_parallel_world_size = 2").
std::int64_t devices_of_world(std::string_view line) {
  constexpr std::string_view kName = "world_size = ";
  const std::size_t at = line.find(kName);
  if (at == line.npos || (at > 0 && line[at - 1] != ' ')) return 0;
  const std::int64_t n = counted_devices(digits_at_head(line.substr(at + kName.size())));
  return n == 1 ? 0 : n;
}

// "[rank-7/8]": as Primus begins its lines.
std::int64_t devices_of_rank(std::string_view line) {
  constexpr std::string_view kRank = "[rank-";
  const std::size_t at = line.find(kRank);
  if (at == line.npos) return 0;
  std::string_view rest = line.substr(at + kRank.size());
  rest.remove_prefix(digits_at_head(rest).size());
  if (!rest.starts_with('/')) return 0;
  const std::string_view all = rest.substr(1, rest.find(']') - 1);
  return rest.size() > all.size() + 1 ? counted_devices(all) : 0;
}

// How many of "0,1,3" or "[0, 1, 3]" stand there, with or without quotes: numbers of devices, one larger than the other.
std::int64_t numbers_at_head(std::string_view rest) {
  constexpr std::int64_t kMostOfNode = 16;
  rest.remove_prefix(std::min(rest.find_first_not_of(" '\"[("), rest.size()));
  std::int64_t found = 0;
  for (std::int64_t last = -1;; ++found) {
    const std::string_view digits = digits_at_head(rest);
    const auto number = parse_number<std::int64_t>(digits, last + 1, kMostOfNode - 1);
    if (!number) return 0;
    last = *number;
    rest.remove_prefix(digits.size());
    if (!rest.starts_with(',')) break;
    rest.remove_prefix(rest.starts_with(", ") ? 2 : 1);
  }
  const bool goes_on =
      !rest.empty() && (is_letter(rest.front()) || rest.front() == '.' || rest.front() == '%');
  return goes_on ? 0 : found + 1;
}

// What stands behind a name and "=" or ":", quotes and brackets around it: "CUDA_VISIBLE_DEVICES'] = '3'".
std::optional<std::string_view> value_behind(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" '\"])"), rest.size()));
  if (rest.empty() || (rest.front() != '=' && rest.front() != ':')) return {};
  return rest.substr(1);
}

// "CUDA_VISIBLE_DEVICES=3", and of Lightning "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [3]": what a process may use. A single
// device is what it uses.
std::int64_t devices_where_one_is_visible(std::string_view line) {
  constexpr std::string_view kMayUse = "CUDA_VISIBLE_DEVICES", kRank = "LOCAL_RANK: ";
  const std::size_t at = line.find(kMayUse), rank = line.substr(0, at).find(kRank);
  if (at == line.npos || (rank != line.npos && !line.substr(rank + kRank.size()).starts_with("0 "))) return 0;
  const auto value = value_behind(line.substr(at + kMayUse.size()));
  return value && numbers_at_head(*value) == 1 ? 1 : 0;
}

// "GPUs: 0,1,2,3", "gpu_ids='0,1'", "Using GPUS: [0, 1]", "DEVICE_ID: ('0,1')": one by one. One number alone may be how
// many there are.
std::int64_t devices_one_by_one(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t gpu = std::min(line.find("GPU", at), line.find("gpu", at));
    const std::size_t device = std::min(line.find("DEVICE_ID", at), line.find("device_id", at));
    at = std::min(gpu, device);
    if (at == line.npos) return 0;
    std::string_view rest = line.substr(at + (at == gpu ? 3U : 6U));
    for (const std::string_view ending : {"s", "S", "_ids", "_IDS", " IDs", " ids", "_id", "_ID"})
      if (rest.starts_with(ending)) rest.remove_prefix(ending.size());
    const auto value = value_behind(rest);
    if (const std::int64_t n = value ? numbers_at_head(*value) : 0; n > 1) return n;
  }
  return 0;
}

// "Start training with (gpu(0),gpu(1))": MXNet's own names of them, one larger than the other.
std::int64_t devices_of_contexts(std::string_view line) {
  constexpr std::string_view kName = "gpu(";
  std::size_t at = std::min(line.find("(gpu("), line.find("[gpu("));
  std::int64_t found = 0, last = -1;
  for (++at; at != 0 && line.substr(std::min(at, line.size())).starts_with(kName); ++found) {
    const std::string_view digits = digits_at_head(line.substr(at + kName.size()));
    const auto number = parse_number<std::int64_t>(digits, last + 1, kMostDevices);
    at += kName.size() + digits.size() + 1;
    if (!number || at >= line.size() || line[at - 1] != ')') return 0;
    last = *number;
    if (line[at] != ',') return found + 1;
    at += line.substr(at).starts_with(", ") ? 2U : 1U;
  }
  return 0;
}

// "Adding visible gpu devices: 0", "Num GPUs Available: 1", "{'gpu_count': 1, …", "Num GPUs = 1. Max memory: …": where
// there is but one, that is what is used. Of several, perhaps some.
std::int64_t devices_where_one_is_there(std::string_view line) {
  constexpr std::array<std::string_view, 3> kOne = {"Adding visible gpu devices: 0", "Num GPUs Available: 1",
                                                    "Num GPUs Available:  1"};
  for (const std::string_view one : kOne) {
    const std::size_t at = line.find(one);
    if (at != line.npos && line.find_first_of("0123456789,", at + one.size()) == line.npos) return 1;
  }
  for (const std::string_view one :
       {"'gpu_count': 1", "\"gpu_count\": 1", " Num GPUs = 1", " Num GPUs used = 1"}) {
    const std::size_t at = line.find(one);
    if (at != line.npos && digits_at_head(line.substr(at + one.size())).empty()) return 1;
  }
  return 0;
}

// "JAX backend: gpu | devices: [CudaDevice(id=0)]": the only one of a list as JAX prints it. Of several, perhaps some.
std::int64_t devices_of_jax_list(std::string_view line) {
  constexpr std::string_view kOne = "Device(id=", kOfProcess = "local devices";
  const std::size_t at = line.find(kOne);
  if (at == line.npos || line.find(kOne, at + 1) != line.npos || line.find(kOfProcess) != line.npos) return 0;
  const std::size_t before = line.find_last_of(" [(,", at);
  return before != line.npos && line[before] == '[' && line.find(']', at) != line.npos ? 1 : 0;
}

// Most lines are told here to say nothing of it.
bool may_count_devices(std::string_view message) {
  for (const std::string_view sign : {"orld", "WORLD_SIZE=", "rocess", "nproc", "ntasks", "MEMBER", "[rank-",
                                      "GPU", "gpu", " TPU cores", " HPUs", "accelerators", " nranks",
                                      "CUDA_VISIBLE", "barrier_key", "DEVICE_ID", "device_id", "Device(id="})
    if (message.find(sign) != message.npos) return true;
  return false;
}

}  // namespace

std::optional<OfEachProcess> of_each_process(std::string_view line) {
  if (line.find("STARTING TIMING RUN AT") != line.npos) return OfEachProcess::launched;
  if (line.find(":::MLLOG ") == line.npos) return {};
  if (line.find("\"key\": \"init_start\"") != line.npos) return OfEachProcess::initialized;
  if (line.find("\"key\": \"seed\"") != line.npos) return OfEachProcess::seeded;
  return {};
}

// Behind a bar's last state, which ends no line, too.
std::optional<std::int64_t> rank_in(std::string_view line) {
  constexpr std::string_view kLabel = "[rank", kBar = "][rank";
  if (const std::size_t bar = line.find(kBar); bar != line.npos)
    line.remove_prefix(bar + kBar.size() - kLabel.size());
  if (!line.starts_with(kLabel)) return {};
  const std::string_view digits = digits_at_head(line.substr(kLabel.size()));
  if (!line.substr(kLabel.size() + digits.size()).starts_with("]:")) return {};
  return parse_number<std::int64_t>(digits, 0, kMostDevices);
}

std::int64_t devices_in(std::string_view line) {
  if (!may_count_devices(line)) return 0;
  std::int64_t all = 0, of_node = 0, nodes = 1, tasks = 0, tasks_of_node = 0;
  visit_options(line, [&](std::string_view name, std::string_view value) {
    const std::string option = plain_option_name(name);
    const std::int64_t n = counted_devices(value);
    if (is_one_of(kOptionsOfAll, option)) all = std::max(all, n);
    if (is_one_of(kOptionsOfNodes, option)) nodes = std::max<std::int64_t>(1, n);
    if (option == kOptionOfNode) of_node = n;
    if (option == kTasks) tasks = n;
    if (option == kTasksOfNode) tasks_of_node = n;
    return n > 0 && (option == kOptionOfNode || is_one_of(kOptionsOfAll, option));
  });
  all = std::max(all, samples_product(of_node, nodes));
  if (tasks_of_node > 0) all = std::max(all, tasks);
  if (all > 1) return all;
  return std::max({devices_of_sentence(line), devices_by_name(line), devices_of_rank(line),
                   devices_of_world(line), devices_where_one_is_visible(line), devices_one_by_one(line),
                   devices_of_contexts(line), devices_where_one_is_there(line), devices_of_jax_list(line)});
}

std::int64_t local_devices_in(std::string_view line) {
  constexpr std::string_view kList = "local devices: [", kOne = "Device(id=";
  std::int64_t found = 0;
  for (std::size_t at = line.find(kList); at != line.npos && found < kMostDevices;) {
    at = line.find(kOne, at + 1);
    if (at != line.npos) ++found;
  }
  return found;
}

std::int64_t jax_processes_in(std::string_view line) {
  constexpr std::string_view kName = "JAX process: ";
  const std::size_t at = line.find(kName);
  if (at == line.npos) return 0;
  const std::string_view rest = line.substr(at + kName.size());
  const std::string_view then = rest.substr(digits_at_head(rest).size());
  return then.starts_with(" / ") ? counted_devices(digits_at_head(then.substr(3))) : 0;
}

}  // namespace etad
