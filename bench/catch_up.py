"""How fast a large Caffe log is caught up with, from the file to the committed history, all rules on, one core;
beside `wc -l`, `grep -c` and what else reads logs here (log_readers.py) on the same file.

    python3 bench/catch_up.py BUILD [MiB]
"""
import datetime
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import log_readers
from daemon_process import ROOT, Daemon

REPEATS = 3


def write_log(path, mib):
    """One long training in Caffe's form: a real header, then displays every 20 iterations."""
    header = (ROOT / "examples/caffe/lenet_b64_i500_tb100_ti50.log").read_text()
    header = header[:header.index("Iteration 0, Testing net")].rsplit("\n", 1)[0] + "\n"
    header = header.replace("max_iter: 500", "max_iter: 1000000000").replace("display: 50", "display: 20")
    at = datetime.datetime(2026, 11, 21, 0, 16, 38)
    step = datetime.timedelta(milliseconds=614)
    size, iteration = len(header), 0
    with open(path, "w", buffering=1 << 20) as out:
        out.write(header)
        while size < mib << 20:
            rows = []
            for _ in range(2000):
                stamp = at.strftime("I%m%d %H:%M:%S.%f 18451 ")
                rows.append(
                    f"{stamp}solver.cpp:239] Iteration {iteration} (32.5732 iter/s, 0.614s/20 iters), loss = 0.0509131\n"
                    f"{stamp}solver.cpp:258]     Train net output #0: loss = 0.0687507 (* 1 = 0.0687507 loss)\n"
                    f"{stamp}sgd_solver.cpp:112] Iteration {iteration}, lr = 0.00988896\n")
                at += step
                iteration += 20
            block = "".join(rows)
            out.write(block)
            size += len(block)


def timed(command):
    """Into a pipe: grep stops at the first match where nobody reads what it prints."""
    begun = time.perf_counter()
    subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - begun


def catch_up(build, log):
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        with Daemon(build, folder, [log], prefix=["taskset", "-c", "0"]) as daemon:
            while True:
                sources = daemon.ask("/v1/sources")["sources"]
                if sources and sources[0]["offset"] == log.stat().st_size:
                    seconds = time.perf_counter() - begun
                    break
                time.sleep(0.02)
            segments = daemon.ask("/v1/runs")["runs"][0]["train"]["segments"]
            return seconds, daemon.cpu_seconds(), daemon.memory_mib("VmHWM"), segments


def main():
    build, mib = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "long.log"
        write_log(log, mib)
        size = log.stat().st_size / 1e6
        timed(["wc", "-l", log])  # into the page cache: all three read from there
        rows = []
        for _ in range(REPEATS):
            wc = timed(["taskset", "-c", "0", "wc", "-l", log])
            grep = timed(["taskset", "-c", "0", "grep", "-c", "Iteration", log])
            rows.append((wc, grep, *catch_up(build, log)))
        wc, grep, seconds, cpu, memory, segments = (statistics.median(column) for column in zip(*rows))
        print(f"catch-up of {size:.0f} MB on one core, medians of {REPEATS}: etad {size / seconds:.0f} MB/s "
              f"({seconds:.2f} s wall, {cpu:.2f} s cpu, {memory:.0f} MiB at most, {segments:.0f} segments), "
              f"wc -l {size / wc:.0f} MB/s, grep -c {size / grep:.0f} MB/s; "
              f"etad takes {seconds / wc:.1f} times wc's time and {seconds / grep:.1f} times grep's")
        for name, taken in log_readers.whole_file(log):
            print(f"{name}: {size / taken:.0f} MB/s on the same file, {taken / seconds:.1f} times etad's time")


if __name__ == "__main__":
    main()
