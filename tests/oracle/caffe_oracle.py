#!/usr/bin/env python3
"""What Caffe logs amount to, worked out a second time and as simply as can be.

    caffe_oracle.py LOG... > expected.csv      from the logs alone
    caffe_oracle.py --manifest DIR             the logs that DIR/manifest.csv lists, each row beside its run

One row per run: job, network, batch sizes, max_iter, state, and per phase the sums of iterations and seconds.
It shares nothing with the daemon: no rules, no regular expressions, no state that is kept; it reads a log whole
and cuts it at the lines that begin a run. It knows stock Caffe 1.0 and nothing else.
"""
import csv
import datetime
import os
import sys

COLUMNS = ["file", "run", "job", "network", "train_batch", "test_batch", "max_iter", "state",
           "train_iterations", "train_seconds", "test_iterations", "test_seconds"]


def stamp(line):
    """The time of a glog line in seconds, or None where the line has no glog prefix."""
    words = line.split(" ", 2)
    if len(words) < 3 or not words[0] or words[0][0] not in "IWEF" or not words[0][1:].isdigit():
        return None
    day, clock = words[0][1:], words[1].strip()
    if len(day) not in (4, 8) or clock.count(":") != 2:
        return None
    year = int(day[:4]) if len(day) == 8 else 2026
    date = datetime.datetime(year, int(day[-4:-2]), int(day[-2:]))
    hours, minutes, seconds = clock.split(":")
    return (date - datetime.datetime(2000, 1, 1)).total_seconds() + int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def said(line):
    """What a glog line says, without its prefix."""
    return line.split("] ", 1)[1] if "] " in line else ""


def cut_into_runs(lines):
    runs = []
    for line in lines:
        if stamp(line) is not None and said(line).startswith(("Use CPU.", "Using GPUs", "Use GPU with")):
            runs.append([])
        if runs:
            runs[-1].append(line)
    return runs


def setting(run, name):
    """The first value of an entry at the left margin of a description."""
    for line in run:
        if line.startswith(name + ": "):
            return line.split(": ", 1)[1].strip().strip('"')
    return ""


def batch_sizes(run):
    """(of the net for training, of the net for testing): the first batch_size in each description, or the first
    dimension that a layer without data of its own (DummyData, Input) is given."""
    sizes = {"TRAIN": "", "TEST": ""}
    phase = None
    for line in run:
        if "Initializing net from parameters" in line:
            phase = "?"
        elif phase == "?" and line.startswith("  phase: "):
            phase = line.split(": ")[1].strip()
        elif phase in sizes and line.strip().startswith(("batch_size: ", "dim: ")) and not sizes[phase]:
            sizes[phase] = line.split(": ")[1].strip()
    return sizes["TRAIN"], sizes["TEST"]


def network(run):
    """The name at the left margin of the first net's description."""
    for i, line in enumerate(run):
        if "Initializing net from parameters" in line:
            for entry in run[i + 1:]:
                if stamp(entry) is not None or entry.startswith("layer {"):
                    return ""
                if entry.startswith("name: "):
                    return entry.split(": ", 1)[1].strip().strip('"')
    return ""


def state(run):
    text = [said(line) for line in run if stamp(line) is not None]
    if any(t.startswith("Optimization stopped early") for t in text):
        return "stopped"
    if any(t.startswith(("Optimization Done", "Loss: ", "*** Benchmark ends")) for t in text):
        return "finished"
    return "failed" if any(line.startswith("F") and stamp(line) is not None for line in run) else "lost"


def train_and_test(run, test_iter):
    """Sums over windows between displayed iterations, and over test phases."""
    sums = {"train": [0, 0.0], "test": [0, 0.0]}
    last = None          # (iteration, time) of the line displayed last
    tests, spoilt = 0.0, False
    saved, saving, line_before = 0.0, None, 0.0  # a snapshot's end is the next line of its own iteration
    testing = None
    for line in run:
        at, text = stamp(line), said(line)
        if at is None:
            continue
        if text.startswith("Iteration ") and "Testing net" in text:
            testing = at
            if saving and saving[0] == int(text.split()[1].rstrip(",")):
                saved, saving = saved + at - saving[1], None
        elif testing is not None and (text.strip().startswith("Test net output") or text.startswith("Test loss:")):
            tests += at - testing
            sums["test"][0] += test_iter
            sums["test"][1] += at - testing
            testing = None
        elif text.startswith("Snapshotting to"):
            saving = (int(text.split("_iter_")[1].split(".")[0]), at)
        elif text.startswith("Iteration ") and "loss = " in text:
            iteration = int(text.split()[1].rstrip(","))
            if last and saving and saving[0] == iteration:
                # Caffe displays an iteration when it has computed the next one.
                steps, whole = iteration - last[0], at - saving[1]
                one = (saving[1] - last[1] - tests - saved) / (steps - 1) if steps > 1 else 0.0
                saved += max(line_before - saving[1], whole - one)
            elif saving:
                spoilt = True
            if last and not spoilt:
                sums["train"][0] += iteration - last[0]
                sums["train"][1] += at - last[1] - tests - saved
            last, tests, spoilt = (iteration, at), 0.0, False
            saved, saving = 0.0, None
        line_before = at
    return sums


def test_job(run):
    """A testing job: from "Running for" to the last batch's first line."""
    begun, batches = None, {}
    for line in run:
        at, text = stamp(line), said(line)
        if at is not None and text.startswith("Running for "):
            begun = at
        elif at is not None and text.startswith("Batch "):
            batches.setdefault(int(text.split()[1].rstrip(",")), at)
    return len(batches), (batches[max(batches)] - begun) if batches else 0.0


def row_of(run):
    row = {"network": network(run), "state": state(run), "max_iter": setting(run, "max_iter")}
    row["train_batch"], row["test_batch"] = batch_sizes(run)
    sums = {"train": [0, 0.0], "test": [0, 0.0]}
    if any("Initializing solver" in line for line in run):
        row["job"] = "train"
        sums = train_and_test(run, int(setting(run, "test_iter") or 0))
    elif any("Running for " in line for line in run):
        row["job"] = "test"
        sums["test"] = test_job(run)
    else:
        row["job"] = "time"
    for phase, (iterations, seconds) in sums.items():
        row[phase + "_iterations"] = iterations
        row[phase + "_seconds"] = "%.6f" % seconds
    return row


def rows_of(path):
    with open(path, encoding="latin-1") as log:
        lines = log.read().split("\n")
    for number, run in enumerate(cut_into_runs(lines)):
        yield dict(row_of(run), run=number)


def main(arguments):
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    if arguments[:1] == ["--manifest"]:
        folder = arguments[1]
        with open(os.path.join(folder, "manifest.csv"), encoding="utf-8") as manifest:
            names = list(dict.fromkeys(row["file"] for row in csv.DictReader(manifest)))
        paths = [(name, os.path.join(folder, name)) for name in names]
    else:
        paths = [(os.path.basename(path), path) for path in arguments]
    for name, path in paths:
        for row in rows_of(path):
            out.writerow(dict(row, file=name))


if __name__ == "__main__":
    main(sys.argv[1:])
