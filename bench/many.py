"""Many logs that grow at once: what the daemon takes of a core while nobody asks it anything, and then how long a line
takes to be in an answer.

    python3 bench/many.py BUILD [LOGS] [LINES_A_SECOND] [SECONDS]
"""
import datetime
import pathlib
import statistics
import sys
import tempfile
import time

from daemon_process import ROOT, Daemon


class Writers:
    """Programs that each write so many lines a second to a log of their own."""

    def __init__(self, paths, rate):
        self.files = [open(path, "a", buffering=1) for path in paths]
        self.each = len(paths)
        self.rate, self.begun, self.written, self.late = rate * len(paths), time.perf_counter(), 0, 0.0

    def write_due(self):
        """What is due by now. True: there was something."""
        due = int((time.perf_counter() - self.begun) * self.rate)
        self.late = max(self.late, (due - self.written) / self.rate)
        stamp = datetime.datetime.now().strftime("I%m%d %H:%M:%S.%f 18451 ")
        for turn in range(self.written, due):
            self.files[turn % self.each].write(f"{stamp}solver.cpp:239] Iteration {turn // self.each + 1}, loss = 0.5\n")
        wrote, self.written = due > self.written, due
        return wrote

    def last(self):
        """The log that was written to last, and the iteration that it shows."""
        return (self.written - 1) % self.each, (self.written - 1) // self.each + 1


def iteration_of(daemon, run):
    return (daemon.ask(f"/v1/runs/{run}")["progress"] or {}).get("iteration") or 0


def time_a_line(daemon, writers, runs):
    """Milliseconds from a line's writing to an answer with it; the others go on writing meanwhile. None: not of these runs."""
    log, wanted = writers.last()
    if log not in runs:
        return None
    begun = time.perf_counter()
    while iteration_of(daemon, runs[log]) < wanted:
        if time.perf_counter() - begun > 30:
            raise SystemExit("a line did not arrive within 30 s")
        writers.write_due()
        time.sleep(0.002)
    return (time.perf_counter() - begun) * 1000


def main():
    build = sys.argv[1]
    logs, rate, seconds = (int(sys.argv[at]) if len(sys.argv) > at else default
                           for at, default in ((2, 1000), (3, 10), (4, 30)))
    header = (ROOT / "examples/caffe/lenet_b64_i500_tb100_ti50.log").read_text()
    header = header[:header.index("Iteration 0, Testing net")].rsplit("\n", 1)[0] + "\n"
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "logs"
        place.mkdir()
        paths = [place / f"{number}.log" for number in range(logs)]
        for number, path in enumerate(paths):
            path.write_text(f"# {number}\n{header}")
        with Daemon(build, folder, [f"{place}/*.log"]) as daemon:
            while True:
                health = daemon.ask("/v1/health")
                if health["sources"]["followed"] >= logs and health["lag"]["bytes"] == 0:
                    break
                time.sleep(0.2)
            writers = Writers(paths, rate)
            while time.perf_counter() - writers.begun < 5:  # until all goes its way
                writers.write_due()
                time.sleep(0.002)
            before, begun, written = daemon.cpu_seconds(), time.perf_counter(), writers.written
            while time.perf_counter() - begun < seconds:
                writers.write_due()
                time.sleep(0.002)
            took = time.perf_counter() - begun
            cpu, written = daemon.cpu_seconds() - before, writers.written - written
            runs = {int(pathlib.Path(run["source"]).stem): run["id"] for run in daemon.ask("/v1/runs?limit=200")["runs"]}
            delays, begun = [], time.perf_counter()
            while time.perf_counter() - begun < seconds:
                if not writers.write_due():
                    time.sleep(0.002)
                elif (delay := time_a_line(daemon, writers, runs)) is not None:
                    delays.append(delay)
            delays.sort()
            print(f"{logs} logs that grow by {written / took / logs:.1f} lines a second each: {100 * cpu / took:.1f} % of a "
                  f"core, {daemon.memory_mib():.0f} MiB resident; a line is in an answer after "
                  f"{statistics.median(delays):.1f} ms (median), {delays[int(0.99 * len(delays))]:.1f} ms (99th percentile "
                  f"of {len(delays)}); what wrote them was late by {1000 * writers.late:.0f} ms at most")


if __name__ == "__main__":
    main()
