"""How the cost of catching up grows: over the size of the file, and over the number of rule files. Both should be flat.

    python3 bench/scale.py BUILD [MiB]
"""
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

import catch_up
from daemon_process import ROOT, Daemon

REPEATS = 3

OTHER = """format = "other_{0}"
framework = "other_{0}"
description = "Of no log here"
timestamp = "iso8601"
recognise = ['^other_{0} [a-z]+ step \\d+ of \\d+']

[[rule]]
name = "progress"
event = "progress"
pattern = 'other_{0} train step (?P<iteration>\\d+) of (?P<max_iter>\\d+), (?P<seconds>[\\d.]+) s'

[[sample]]
line = "other_{0} train step 10 of 500, 0.25 s"
event = "progress"
values = {{ iteration = 10, max_iter = 500, seconds = 0.25 }}

[[sample]]
line = "other_{0} said nothing"
event = ""
"""


def cpu_of(build, folder, patterns, rules, size=None):
    """CPU seconds of a daemon until it has read all of a file of that size, or until it answers."""
    with Daemon(build, folder, patterns, prefix=["taskset", "-c", "0"], rules=rules) as daemon:
        while size is not None:
            sources = daemon.ask("/v1/sources")["sources"]
            if sources and sources[0]["offset"] == size:
                break
            time.sleep(0.02)
        return daemon.cpu_seconds()


def per_megabyte(build, log, rules):
    """Milliseconds of CPU for a megabyte, without the start; and the start's."""
    taken, starts = [], []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory() as folder:
            starts.append(cpu_of(build, folder, [f"{folder}/never.log"], rules))
        with tempfile.TemporaryDirectory() as folder:
            taken.append(cpu_of(build, folder, [log], rules, log.stat().st_size))
    start = statistics.median(starts)
    return (statistics.median(taken) - start) * 1e9 / log.stat().st_size, start


def row(what, cost, start):
    print(f"{what:>16}  {cost:5.2f} ms/MB  {'#' * round(cost * 10):40}  start {start:.2f} s", flush=True)


def main():
    build, mib = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 256
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "long.log"
        shipped = ROOT / "etc/rules.d"
        for size in (16, 64, 256, 1024):
            catch_up.write_log(log, size)
            row(f"{size} MiB", *per_megabyte(build, log, shipped))
        catch_up.write_log(log, mib)
        for count in (1, 10, 50, 100, 200):
            rules = pathlib.Path(folder) / f"rules-{count}"
            rules.mkdir()
            shutil.copy(shipped / "caffe.toml", rules)
            for other in range(count - 1):
                (rules / f"other_{other}.toml").write_text(OTHER.format(other))
            row(f"{count} rule files", *per_megabyte(build, log, rules))


if __name__ == "__main__":
    main()
