// On how many devices a training runs, as far as a line of its launcher or of its communication says it:
//
//   torchrun --nnodes=2 --nproc_per_node=8 train.py     distributed init (rank 0), world_size: 8
//   Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8     All distributed processes registered. Starting with 8 …
//
// Launchers are common to all frameworks, so it is looked for in the lines of all formats alike that come before a
// training's first step, and counts where nothing surer says it. Pure; one pass over the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace etad {

// 0: the line does not say it. An option that says 1 says nothing: it is what such options are where nobody sets them.
std::int64_t devices_in(std::string_view line);

// "JAX process: 0 / 2" and "JAX local devices: [CudaDevice(id=0), CudaDevice(id=1)]": programs on JAX say how many
// processes there are, and which devices the one has that writes the log. 0: the line does not say it.
std::int64_t jax_processes_in(std::string_view line);
std::int64_t local_devices_in(std::string_view line);

// MLPerf's rules want some lines of each process of a training, so that there are as many processes as such lines of one
// kind. `launched` is written by the script that starts one, by some for all of them and by some twice.
enum class OfEachProcess : std::uint8_t { initialized, seeded, launched };
std::optional<OfEachProcess> of_each_process(std::string_view line);

// The process that wrote the line, as PyTorch labels its warnings: "[rank1]:". Nullopt: the line has no such label.
std::optional<std::int64_t> rank_in(std::string_view line);

}  // namespace etad
