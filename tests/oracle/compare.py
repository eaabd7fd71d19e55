#!/usr/bin/env python3
"""Compares what etad's parsers make of a folder of Caffe logs with what the oracle makes of them.

    compare.py LOG_RECORDS RULES FOLDER      e.g. build/dev/log_records etc/rules.d/caffe.toml ~/caffe-logs

FOLDER holds a manifest.csv with the columns file, kind, train_batch, max_iter, test_batch (others are ignored): every
run it lists must be there once, with its batch sizes and max_iter, and with the oracle's state and sums.
"""
import collections
import csv
import io
import json
import os
import subprocess
import sys


def parsers_rows(program, rules, folder, names):
    out = subprocess.run([program, rules] + [os.path.join(folder, name) for name in names],
                         capture_output=True, text=True, errors="replace", check=True).stdout
    for name, line in zip(names, out.splitlines()):
        for run in json.loads(line)["runs"]:
            job = run["job"]
            yield name, {
                "job": job, "network": run["network"], "state": run["state"],
                "train_batch": str(run["train"]["batch_size"] or ""), "test_batch": str(run["test"]["batch_size"] or ""),
                "max_iter": str(run["max_iterations"] or "") if job == "train" else "",
                "train_iterations": str(run["train"]["iterations"]), "train_seconds": "%.6f" % run["train"]["seconds"],
                "test_iterations": str(run["test"]["iterations"]), "test_seconds": "%.6f" % run["test"]["seconds"]}


def by_file(pairs):
    files = collections.OrderedDict()
    for name, row in pairs:
        files.setdefault(name, []).append(row)
    return files


def differences(manifest, oracle, parsers):
    for name, listed in manifest.items():
        ours, theirs = parsers.get(name, []), oracle.get(name, [])
        if not len(listed) == len(theirs) == len(ours):
            yield "%s: %d runs listed, oracle %d, parsers %d" % (name, len(listed), len(theirs), len(ours))
            continue
        for wanted, expected, got in zip(listed, theirs, ours):
            for key, value in got.items():
                if expected[key] != value:
                    yield "%s: %s is %r, the oracle says %r" % (name, key, value, expected[key])
            for key in ("train_batch", "test_batch", "max_iter"):
                if wanted[key] and got[key] != wanted[key]:
                    yield "%s: %s is %r, the manifest says %r" % (name, key, got[key], wanted[key])
            if got["job"] != wanted["kind"]:
                yield "%s: job is %r, the manifest says %r" % (name, got["job"], wanted["kind"])


def main(program, rules, folder):
    with open(os.path.join(folder, "manifest.csv"), encoding="utf-8") as file:
        manifest = by_file((row["file"], row) for row in csv.DictReader(file))
    here = os.path.dirname(os.path.abspath(__file__))
    text = subprocess.run([sys.executable, os.path.join(here, "caffe_oracle.py"), "--manifest", folder],
                          capture_output=True, text=True, check=True).stdout
    oracle = by_file((row["file"], row) for row in csv.DictReader(io.StringIO(text)))
    found = list(differences(manifest, oracle, by_file(parsers_rows(program, rules, folder, list(manifest)))))
    for line in found:
        print(line)
    print("%d runs, %d differences" % (sum(map(len, manifest.values())), len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
