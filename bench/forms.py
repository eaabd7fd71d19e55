"""How fast logs of other forms than a plain Caffe log are caught up with: the slow cases. All rules are on; counted is
the CPU time of the whole daemon on one core, without its start, beside `wc -l` on the same file (and zlib on the same
compressed one).

    python3 bench/forms.py BUILD [MiB]
"""
import datetime
import gzip
import json
import pathlib
import resource
import statistics
import sys
import tempfile
import time
import zlib

import catch_up
from daemon_process import Daemon

REPEATS = 3


def plain(path, mib):
    catch_up.write_log(path, mib)


def each_line(path, mib, wrap):
    """The Caffe log with each line put into something."""
    source = path.with_suffix(".plain")
    catch_up.write_log(source, mib)
    with open(source) as lines, open(path, "w", buffering=1 << 20) as out:
        for number, line in enumerate(lines):
            out.write(wrap(number, line.rstrip("\n")) + "\n")
    source.unlink()


def stamp(number):
    at = datetime.datetime(2026, 11, 21) + datetime.timedelta(milliseconds=200 * number)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f000Z")


def docker(path, mib):
    each_line(path, mib, lambda number, line: json.dumps(
        {"log": line + "\n", "stream": "stderr", "time": stamp(number)}, separators=(",", ":")))


def cri(path, mib):
    each_line(path, mib, lambda number, line: f"{stamp(number)} stderr F {line}")


def several_processes(path, mib):
    each_line(path, mib, lambda number, line: f"[1,{number // 3 % 4}]<stderr>:{line}")


def compressed(path, mib):
    source = path.with_suffix(".plain")
    catch_up.write_log(source, mib)
    with open(source, "rb") as data, gzip.open(path, "wb", compresslevel=6) as out:
        while block := data.read(1 << 20):
            out.write(block)
    source.unlink()


def json_lines(path, mib):
    """trainer_log.jsonl of LLaMA-Factory."""
    with open(path, "w", buffering=1 << 20) as out:
        step, total, size = 0, 10_000_000, 0
        while size < mib << 20:
            step += 10
            text = json.dumps({"current_steps": step, "total_steps": total, "loss": 0.6 + step % 97 / 1000,
                               "lr": 1e-05, "epoch": step / 1000, "percentage": round(100 * step / total, 2),
                               "elapsed_time": str(datetime.timedelta(seconds=step * 2 // 10)),
                               "remaining_time": "5 days, 1:02:03"}) + "\n"
            size += out.write(text)


def bars(path, mib):
    """4,000 states of a progress bar in each line."""
    with open(path, "w", buffering=1 << 20) as out:
        out.write("***** Running training *****\n  Num examples = 8,000,000\n  Total optimization steps = 10,000,000\n")
        step, size = 0, 0
        while size < mib << 20:
            states = []
            for _ in range(4000):
                step += 1
                took, left = step // 10, (10_000_000 - step) // 10
                states.append(f"\r {100 * step // 10_000_000:2}%|▏         | {step}/10000000 "
                              f"[{took // 3600}:{took // 60 % 60:02}:{took % 60:02}<"
                              f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}, 10.02it/s]")
            size += out.write("".join(states) + f"\n{{'loss': 0.5, 'learning_rate': 2e-05, 'epoch': {step / 1e6:.2f}}}\n")


def nvidia_smi(path, mib):
    with open(path, "w", buffering=1 << 20) as out:
        size = out.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu\n")
        second = 0
        while size < mib << 20:
            at = (datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=second)).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
            for gpu in range(8):
                size += out.write(f"{at}, {gpu}, {(second * 7 + gpu) % 100} %, {30000 + second % 999} MiB, "
                                  f"{250 + second % 50}.{gpu}5 W, {60 + second % 9}\n")
            second += 1


FORMS = [("a plain Caffe log", plain, "log"), ("the same in Docker's envelopes", docker, "log"),
         ("the same in the CRI's", cri, "log"), ("the same of four processes under mpirun", several_processes, "log"),
         ("the same compressed", compressed, "gz"), ("JSON lines (LLaMA-Factory)", json_lines, "jsonl"),
         ("progress bars of 4,000 states a line", bars, "out"), ("nvidia-smi's CSV", nvidia_smi, "csv")]


def read_all(build, log):
    """CPU seconds for reading all of it, and how many segments or samples came of it."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "empty.log").touch()
        with Daemon(build, folder, [f"{folder}/*.never"], prefix=["taskset", "-c", "0"]) as daemon:
            start = daemon.cpu_seconds()
        with Daemon(build, folder, [log], prefix=["taskset", "-c", "0"]) as daemon:
            known, quiet = None, 0
            while quiet < 8:  # nothing has come for so many looks
                time.sleep(0.25)
                sources = daemon.ask("/v1/sources")["sources"]
                now = (sources[0]["offset"], sources[0]["lines"]) if sources else None
                quiet = quiet + 1 if now == known and now and now[1] > 0 else 0
                known = now
            cpu = daemon.cpu_seconds() - start
            runs = daemon.ask("/v1/runs")["runs"]
            series = daemon.ask("/v1/series")["series"]
            found = sum(run["train"]["segments"] for run in runs if run["train"]) + sum(
                each["samples"] for each in series)
            return cpu, found


def seconds_beside(log):
    """CPU seconds of what the log is measured beside, as the daemon's are, and how many bytes the log has."""
    if log.suffix != ".gz":
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        catch_up.timed(["taskset", "-c", "0", "wc", "-l", log])
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime, log.stat().st_size
    begun = time.process_time()
    inflater, size = zlib.decompressobj(31), 0
    with open(log, "rb") as data:
        while block := data.read(1 << 16):
            while block:  # in pieces, as the daemon does: making room for all of it takes as long as inflating it
                size += len(inflater.decompress(block, 1 << 16))
                block = inflater.unconsumed_tail
    return time.process_time() - begun, size


def main():
    build, mib = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 64
    for name, write, suffix in FORMS:
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / f"training.{suffix}"
            write(log, mib)
            beside, size = seconds_beside(log)
            measured = [read_all(build, log) for _ in range(REPEATS)]
            cpu = statistics.median(each for each, _ in measured)
            other = "zlib alone" if suffix == "gz" else "wc -l"
            print(f"{name}: {size / 1e6:.0f} MB at {size / 1e6 / cpu:.0f} MB/s, {measured[0][1]:,} segments or samples; "
                  f"{cpu / beside:.1f} times {other}'s time")


if __name__ == "__main__":
    main()
