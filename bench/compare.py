"""Two builds on the same file, one right after the other, again and again: whether a change made it faster.

    python3 bench/compare.py OLD_BUILD NEW_BUILD [--log FILE | --mib MIB] [--pairs N]

A machine that others use is slow for minutes and fast for others. Two runs that follow each other share their minute,
so each pair gives a ratio, new to old; which of the two goes first changes from pair to pair. Told is the median of
the ratios with an interval that holds the true median in at least 95 of 100 such comparisons, whatever their
distribution (order statistics of the sign test). Counted is the CPU time of the whole process, start and end
included, as the kernel accounts it.
"""
import argparse
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

import catch_up
from daemon_process import Daemon


def interval(ratios, miss=0.05):
    """The two of the sorted ratios that hold the median but for `miss`; too few for that: the extremes."""
    ordered = sorted(ratios)
    count, outside, below = len(ordered), 0, 0.0
    while True:
        below += math.comb(count, outside) / 2 ** count
        if 2 * below > miss or 2 * (outside + 1) > count:
            break
        outside += 1
    cut = max(outside - 1, 0)
    return ordered[cut], ordered[count - 1 - cut]


def seconds_of(build, log):
    """CPU seconds and wall seconds from the start until all of the log is committed."""
    size = os.path.getsize(log)
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(build, folder, [log], prefix=["taskset", "-c", "0"])
        begun = time.perf_counter()
        with daemon:
            while not any(each["offset"] == size for each in daemon.ask("/v1/sources")["sources"]):
                time.sleep(0.01)
            wall = time.perf_counter() - begun
            daemon.process.terminate()
            used = os.wait4(daemon.process.pid, 0)[2]
            daemon.process.returncode = 0  # reaped here, for what it used
    return used.ru_utime + used.ru_stime, wall


def compare(old, new, log, pairs):
    """Rows of (old CPU, new CPU, old wall, new wall), one a pair."""
    rows = []
    for pair in range(pairs):
        first, second = (old, new) if pair % 2 == 0 else (new, old)
        a, b = seconds_of(first, log), seconds_of(second, log)
        before, after = (a, b) if first == old else (b, a)
        rows.append((before[0], after[0], before[1], after[1]))
    return rows


def sentence(rows, size):
    old, new = (statistics.median(column) for column in list(zip(*rows))[:2])
    ratios = [after / before for before, after, *_ in rows]
    walls = [after / before for *_, before, after in rows]
    low, high = interval(ratios)
    return (f"{len(rows)} pairs on {size / 1e6:.1f} MB: old {old:.3f} s of CPU ({size / old / 1e6:.0f} MB/s), "
            f"new {new:.3f} s ({size / new / 1e6:.0f} MB/s); new takes {statistics.median(ratios):.3f} of old's CPU "
            f"[{low:.3f}, {high:.3f}] and {statistics.median(walls):.3f} of its time")


def main():
    parser = argparse.ArgumentParser(description="Catching up with one log, by two builds in turn.")
    parser.add_argument("old", type=pathlib.Path, help="the build folder of before")
    parser.add_argument("new", type=pathlib.Path, help="the build folder of the change")
    parser.add_argument("--log", type=pathlib.Path, help="the file; without it a Caffe log is written")
    parser.add_argument("--mib", type=int, default=128, help="how large a log is written (default 128)")
    parser.add_argument("--pairs", type=int, default=9, help="how often both run (default 9)")
    given = parser.parse_args()
    for build in (given.old, given.new):
        if not (build / "etad").exists():
            sys.exit(f"there is no etad in {build}: build it there first")
    with tempfile.TemporaryDirectory() as folder:
        log = given.log.resolve() if given.log else pathlib.Path(folder) / "long.log"
        if not given.log:
            catch_up.write_log(log, given.mib)
        with open(log, "rb") as file:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                sys.exit(f"{log} ends within a line, which a daemon waits for the end of")
        print(sentence(compare(given.old, given.new, log, max(given.pairs, 1)), log.stat().st_size))


if __name__ == "__main__":
    main()
