"""From a line appended to an active log to its being in the answer of GET /v1/runs; beside what rsyslog takes to write it
to another file.

    python3 bench/latency.py BUILD [LINES]
"""
import datetime
import pathlib
import statistics
import sys
import tempfile
import time

import log_readers
from daemon_process import ROOT, Daemon


def main():
    build, lines = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    header = (ROOT / "examples/caffe/lenet_b64_i500_tb100_ti50.log").read_text()
    header = header[:header.index("Iteration 0, Testing net")].rsplit("\n", 1)[0] + "\n"
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "logs" / "growing.log"  # beside the history its writing would wake the reader
        log.parent.mkdir()
        log.write_text(header)
        with Daemon(build, folder, [log]) as daemon, open(log, "a", buffering=1) as out:
            while not daemon.ask("/v1/runs")["runs"]:
                time.sleep(0.01)
            ask, delays = daemon.asker(), []
            for iteration in range(1, lines + 1):
                stamp = datetime.datetime.now().strftime("I%m%d %H:%M:%S.%f 18451 ")
                shown = f'"iteration":{iteration},'.encode()
                begun = time.perf_counter()
                out.write(f"{stamp}solver.cpp:239] Iteration {iteration}, loss = 0.5\n")
                while shown not in ask("/v1/runs"):
                    if time.perf_counter() - begun > 30:
                        raise SystemExit("a line did not arrive within 30 s")
                delays.append((time.perf_counter() - begun) * 1000)
                time.sleep(0.02)
            copied = log_readers.line_by_line(log, lambda: out.write("another line\n"), lines)
        delays.sort()
        print(f"a line appended is in GET /v1/runs after {statistics.median(delays):.1f} ms (median), "
              f"{delays[int(0.99 * len(delays))]:.1f} ms (99th percentile), {delays[-1]:.1f} ms (worst of {lines})")
        if copied:
            print(f"rsyslog copies one to a file within {statistics.median(copied):.1f} ms (median), "
                  f"{copied[int(0.99 * len(copied))]:.1f} ms (99th percentile)")


if __name__ == "__main__":
    main()
