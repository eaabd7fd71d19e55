// Whether a line may say how the program that wrote it ended.
#pragma once

#include <string_view>

namespace etad {

// False of nearly every line: then none that differs from it in its digits alone says that its program was stopped or
// interrupted, is done, was killed, or begins to show its exception. What a traceback says further on is another matter.
bool may_tell_end(std::string_view line);

// "slurmstepd: …", by which Slurm speaks of a job.
bool is_slurmstepd(std::string_view line);

// "error: *** JOB 71 ON node3 CANCELLED AT 2026-03-01T10:00:00 DUE TO TIME LIMIT ***", whoever of Slurm's says it.
bool is_slurms_cancelling(std::string_view line);

// What DeepSpeed's launcher writes between the command that failed and its code.
inline constexpr std::string_view kDeepSpeedsCode = " exits with return code = ";

// What a shell, a language's runtime, a launcher, a batch system or a CI's runner says of a process that is gone:
// "Segmentation fault (core dumped)", "terminate called after throwing an instance of …", "Fatal Python error: …",
// "… failed (exitcode: 1) …", "##[error]Process completed with exit code 137.".
bool is_last_of_process(std::string_view line);

// "[launch.py:351:main] Process 4711 exits successfully.": DeepSpeed's launcher, of a process that has ended well, and LSF
// of a job: "Subject: Job 71: <train> in cluster <west> Done", "Successfully completed.".
bool is_launchers_end(std::string_view line);

// The head of what a test of Lightning came to, which programs run when their training is over: "DATALOADER:0 TEST
// RESULTS", "┃        Test metric        ┃       DataLoader 0        ┃".
bool is_lightnings_test(std::string_view line);

// "wandb: Run summary:", "wandb: Synced 5 W&B file(s), …": what W&B says when its program ends.
bool is_wandbs_end(std::string_view line);

// "Traceback (most recent call last):", whatever stands before it.
bool begins_traceback(std::string_view line);

// 'File "train.py", line 20, in main': one of a traceback's, whose head a bar may have been drawn over.
bool is_frame(std::string_view line);

}  // namespace etad
