// What lines of launchers say of the number of devices.
#include "parsers/base/device_count.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

TEST(DeviceCount, OfLaunchersAndOfWhatTheySetUp) {
  const std::vector<std::pair<std::string, std::int64_t>> lines = {
      {"torchrun --nproc_per_node=8 train.py --lr 0.1", 8},
      {"python -m torch.distributed.run --nnodes=2 --nproc_per_node 8 train.py", 16},
      {"Namespace(arch='resnet18', world_size=4)", 4},
      {"  world_size ................... 16", 16},
      {"dist_world_size=4", 4},
      {"Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8", 8},
      {"All distributed processes registered. Starting with 2 processes", 2},
      {"1 device per process.Process 0, total 4, device cuda:0.", 4},
      {"training on multiple gpus, this gpu 0, rank 0, world_size 4", 4},
      {"[20250506 07:08:09][rank-7/8][INFO ] [------trainer.py:1236] : building", 8},
      {"+ srun --mpi=none --ntasks=16 --ntasks-per-node=8 --container-name=a python train.py --lr 0.1", 16},
      {"+ export WORLD_SIZE=32", 32},
      {"2026-03-01 10:00:12,750 bench INFO: Using 64 GPUs", 64},
      {"Running on 7 GPUs", 7},
      {"GPUs used: 2", 2},
      {"total gpus is: 4", 4},
      {"Backend: gpu | devices: [CudaDevice(id=0)]", 1},
      {"2026-03-01 10:00:12.750: I tensorflow/core/gpu_device.cc:1212] Adding visible gpu devices: 0", 1},
      {"Num GPUs Available:  1", 1},
      {"   \\\\   /|    NVIDIA L4. Num GPUs = 1. Max memory: 22.125 GB. Platform: Linux.", 1},
      {"   \\\\   /|    NVIDIA L4. Num GPUs = 4. Max memory: 22.125 GB. Platform: Linux.", 0},
      {"04-06 21:48:08, Using 1 gpus", 1},
      {"2026-03-01 10:00:12.750 | INFO     | __main__:train:311 - Using 1 GPUs", 1},
      {"[2026-03-01 10:00:12,250] [INFO] [config.py:684:__init__] Config mesh_device None world_size = 8", 8},
      {"\t`--num_processes` was set to a value of `4`", 4},
      {"node-0:4711:4712 [3] NCCL INFO ncclCommInitRank comm 0x12500000 rank 3 nranks 8 cudaDev 3", 8},
      {"I0301 10:00:12.250000  4711 nccl_context.cc:74] init nccl context nranks: 4 local rank: 0 gpu id: 0",
       4},
      {"I0301 10:00:12.250000 140000000000000 train.py:471] Number of accelerators: 2", 2},
      {"Running PyTorch 2.11.0 compiled for CUDA 12.8 on NVIDIA H200 with world_size 1", 1},
      {"[12/09/26 13:59:32] INFO   LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [3]", 1},
      {"INFO:pytorch_lightning.utilities.rank_zero:TPU available: False, using: 32 TPU cores", 32},
      {"HPU available: True, using: 8 HPUs", 8},
      {"assert world_size == 8 # this code is designed for 8xH100", 8},
      {"Num processes: 1", 1},
      {"Starting with 8 processes.", 8},
      {"key:store_based_barrier_key:1 with 8 nodes.", 8},
      {"_n_gpu=1,", 1},
      {"CUDA_VISIBLE_DEVICES=2 python train.py --lr 0.1", 1},
      {"os.environ['CUDA_VISIBLE_DEVICES'] = '0'", 1},
      {"Config: flat | GPUs: 0,1,2,3,4,5 | Log: INFO", 6},
      {"Using GPUS: [1, 3]", 2},
      {"  DEVICE_ID: ('0,1,2')", 3},
      {"device_ids: [0, 1]", 2},
      {"Start training with (gpu(0),gpu(2)) from pretrained model a", 2},
      {"INFO:root:start with [gpu(0), gpu(1), gpu(2)]", 3},
      {"Resume training with (gpu(3)) from epoch 12", 1},
      {"Namespace(batch_size=4, gpu_ids='0,1,2')", 3}};
  for (const auto& [line, devices] : lines) EXPECT_EQ(devices_in(line), devices) << line;
}

TEST(DeviceCount, OfLinesThatDoNotSayIt) {
  for (const std::string line : {"Namespace(arch='resnet18', world_size=1)",
                                 "Namespace(num_processes=16, num_steps=128)",
                                 "world_size: -1",
                                 "data_parallel_world_size=2",
                                 "Hello world 4",
                                 "num_gpus=8 num_sockets = 2",
                                 "Starting with 3 warm-up epochs",
                                 "MEMBER: 1/",
                                 "[rank-7]",
                                 "srun --ntasks=16 prepare.sh",
                                 "srun --ntasks=1 --ntasks-per-node=1 a.sh",
                                 "INFO: Using 2 of 8 GPUs",
                                 "devices: [CudaDevice(id=0), CudaDevice(id=1)]",
                                 "JAX local devices: [CudaDevice(id=0)]",
                                 "Adding visible gpu devices: 0, 1",
                                 "Adding visible gpu devices: 3",
                                 "Num GPUs Available: 12",
                                 "Num GPUs Available: 8",
                                 "[rank-7/8",
                                 "",
                                 " GPU",
                                 "8 GPUs found",
                                 "System with 4 GPUs detected; training on cuda:0",
                                 "Pretrained on 64 GPUs for 3 days",
                                 "Evaluation will run on 4 GPUs",
                                 "Starting with 8 processes for data loading",
                                 "Num processes: 16 (dataloader workers)",
                                 "data parallel world size: 2",
                                 "world_size: 1",
                                 "tensor_model_parallel_world_size = 2",
                                 "world_size =",
                                 "using  GPUs",
                                 "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
                                 "LOCAL_RANK: 1 - CUDA_VISIBLE_DEVICES: [0]",
                                 "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [GPU-1]",
                                 "CUDA_VISIBLE_DEVICES=0,1,2,3 python train.py",
                                 "CUDA_VISIBLE_DEVICES=-1",
                                 "key:store_based_barrier_key:2 with 4 nodes.",
                                 "GPU: 1",
                                 "DEVICE_ID: 3",
                                 "(gpu(1),gpu(0))",
                                 "(gpu(0),",
                                 "(gpu()",
                                 "GPUs: 8, 16.5 GB each",
                                 "gpu: 3, 98%",
                                 "gpus: 4, 2",
                                 "TPU available: False, using: 0 TPU cores",
                                 "IPU available: False, using: 0 IPUs",
                                 "assert batch_size % world_size == 0",
                                 "World size"})
    EXPECT_EQ(devices_in(line), 0) << line;
}

// The words of Lightning's Fabric, which no rule of LitGPT's asks for.
TEST(DeviceCount, IsHeardBeforeTheFirstStepOfAnyFormat) {
  std::vector<std::string> lines = {"All distributed processes registered. Starting with 2 processes"};
  for (int i = 1; i <= 40; ++i)
    lines.push_back(
        written("Epoch 1 | iter %d step %d | loss train: 1.125, val: n/a | iter time: 250.00 ms", i, i));
  lines.emplace_back("| - Training Time : 10.25 s");
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.devices, 2);
  EXPECT_EQ(run.state, RunState::finished);
}

// Each process on JAX lists its own devices.
TEST(DeviceCount, OfJaxAreThoseOfAllProcesses) {
  const auto devices = [](int processes, int of_each) {
    std::string list = "I0301 10:00:00.500000 4711 main.py:41] JAX local devices: [";
    for (int i = 0; i < of_each; ++i)
      list += written("%sTpuDevice(id=%d, process_index=0, coords=(0,%d,0), core_on_chip=0)",
                      i > 0 ? ", " : "", i, i);
    std::vector<std::string> lines = {
        written("I0301 10:00:00.250000 4711 main.py:40] JAX process: 0 / %d", processes), list + "]"};
    for (int i = 1; i <= 20; ++i)
      lines.push_back(written(
          "I0301 10:%02d:00.250000 4711 train.py:30] Step: %d/400 5.0%%, img/sec/core: 9.5, ETA: 1.25h", i,
          20 * i));
    return only_run(lines).devices;
  };
  EXPECT_EQ(devices(1, 4), 4);
  EXPECT_EQ(devices(2, 4), 8);
  EXPECT_EQ(devices(1, 1), 1);
}

// A setting of how often it validates is no result of a validation, behind which nothing would be heard any more.
TEST(DeviceCount, IsHeardBehindSettingsOfTheValidation) {
  std::vector<std::string> lines = {"03-01 10:00:00, epochs:20", "03-01 10:00:00, val_epoch:1",
                                    "03-01 10:00:00, Using 2 gpus"};
  for (int i = 0; i < 9; ++i) {
    lines.push_back(written("03-01 10:%02d:00, -----Epoch:%d/19-----", 2 * i + 1, i));
    lines.push_back(
        written("03-01 10:%02d:00, Epoch %d Train, reg:0.3125, mae:84.50, Cost: 120.5 sec", 2 * i + 3, i));
  }
  EXPECT_EQ(only_run(lines).devices, 2);
}

// What is said of devices once a training has begun takes nothing of what was said before back.
TEST(DeviceCount, IsHeardBehindTheBeginningToo) {
  std::vector<std::string> lines = {
      "python train.py --bf16", "***** Running training *****",
      "node-0:12:34 [0] NCCL INFO ncclCommInitRank comm 0x25 rank 0 nranks 4 cudaDev 0"};
  for (int i = 1; i <= 40; ++i)
    lines.push_back(written("%d%%|##| %d/40 [%02d:%02d<01:00, 10.25s/it]", i, i, i / 6, i * 10 % 60));
  const etad::Run run = only_run(lines);
  EXPECT_EQ(run.devices, 4);
  EXPECT_EQ(run.settings.at("precision"), "bf16");
}

// A node's, and those of all: the larger one counts. What comes amid a run is not its own.
TEST(DeviceCount, TheLargestCounts) {
  std::vector<std::string> lines = {"torchrun --nproc_per_node=8 pretrain.py",
                                    "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16"};
  for (int i = 1; i <= 40; ++i) {
    lines.push_back(
        written("Epoch 1 | iter %d step %d | loss train: 1.125, val: n/a | iter time: 250.00 ms", i, i));
    if (i == 20) lines.emplace_back("torchrun --nproc_per_node=32 evaluate.py");
  }
  EXPECT_EQ(only_run(lines).devices, 16);
}

// PyTorch's warnings, each process its own: all of them have spoken, or nobody knows how many there are.
TEST(DeviceCount, IsThatOfTheProcessesThatWarn) {
  const auto devices_where = [](const std::vector<std::string>& warnings) {
    std::vector<std::string> lines = warnings;
    for (int i = 1; i <= 40; ++i)
      lines.push_back(written("iter %d: loss 1.1250, time 250.00ms, mfu 25.00%%", i));
    return only_run(lines).devices;
  };
  const std::string warning =
      ":W0301 10:00:00.250000 4711 torch/utils.py:1] Not enough SMs to use max_autotune";
  EXPECT_EQ(devices_where({"[rank1]" + warning, "[rank0]" + warning}), 2);
  EXPECT_EQ(devices_where({"tokens per iteration will be: 491,520", "[rank1]" + warning, "[rank0]" + warning,
                           "[rank2]" + warning}),
            3)
      << "behind a line that opens the run";
  EXPECT_EQ(devices_where({"  0%|          | 0/500 [00:00<?, ?it/s][rank0]" + warning, "[rank1]" + warning}),
            2)
      << "behind a bar, which ends no line";
  std::vector<std::string> of_many;
  for (int rank = 0; rank < 128; ++rank) of_many.push_back(written("[rank%d]", rank) + warning);
  EXPECT_EQ(devices_where(of_many), 0) << "there may be any number";
  of_many.insert(of_many.begin(), "tokens per iteration will be: 491,520");
  EXPECT_EQ(devices_where(of_many), 0) << "behind a line that opens the run";
  EXPECT_EQ(devices_where({"[rank0]" + warning, "[rank2]" + warning}), 0);
  EXPECT_EQ(devices_where({"[rank0]" + warning, "[rank0]" + warning}), 0);
}

// nvidia-smi's table of the processes that use a device, a line each, as modded-nanogpt's programs write it.
TEST(DeviceCount, IsThatOfTheDevicesThatProcessesUse) {
  std::vector<std::string> lines = {"Running PyTorch 2.10.0 compiled for CUDA 12.6",
                                    "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:61:00.0 Off |",
                                    "|   1  NVIDIA H100 80GB HBM3          On  |   00000000:62:00.0 Off |",
                                    "|   2  NVIDIA H100 80GB HBM3          On  |   00000000:63:00.0 Off |"};
  for (const int device : {0, 0, 1, 1})
    lines.push_back(written("|    %d   N/A  N/A     4242      C   /usr/bin/python3       1510MiB |", device));
  for (int i = 1; i <= 40; ++i)
    lines.push_back(written("step:%d/40 train_time:%dms step_avg:%.2fms", i, 100 * i, 100.0));
  EXPECT_EQ(only_run(lines).devices, 2) << "the machine has more";
}

// Each of several processes of Hugging Face's sees one device; the batches show how many there are.
TEST(DeviceCount, OfOneProcessGivesWayToWhatTheBatchesShow) {
  const auto devices_where = [](int all) {
    std::vector<std::string> lines = {
        "_n_gpu=1,", "***** Running training *****", "  Instantaneous batch size per device = 8",
        written("  Total train batch size (w. parallel, distributed & accumulation) = %d", all),
        "  Gradient Accumulation steps = 2"};
    for (int i = 1; i <= 40; ++i)
      lines.push_back(written("%d%%|##| %d/40 [%02d:%02d<01:00, 10.25s/it]", i, i, i / 6, i * 10 % 60));
    return only_run(lines).devices;
  };
  EXPECT_EQ(devices_where(16), 1);
  EXPECT_EQ(devices_where(64), 4);
}

// What a script found is what it uses where there is but one.
TEST(DeviceCount, IsOneWhereNoOtherIsThere) {
  const auto devices_where = [](int there) {
    std::vector<std::string> lines = {written(
        "2026-03-01 10:00:00 {'cuda_available': True, 'gpu_count': %d, 'current_device_index': 0}", there)};
    for (int i = 1; i <= 40; ++i) lines.push_back(written("2026-03-01 10:%02d:12 step %d loss 0.5125", i, i));
    return only_run(lines).devices;
  };
  EXPECT_EQ(devices_where(1), 1);
  EXPECT_EQ(devices_where(12), 0);
}

}  // namespace
}  // namespace etad::test
