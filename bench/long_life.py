"""A long history: how fast it is imported as rows of CSV, what it costs to start on and to hold, and how quickly
questions are answered while a log is caught up with at full speed.

    python3 bench/long_life.py BUILD [RUNS] [NETWORKS] [ROWS_A_RUN]
"""
import pathlib
import statistics
import sys
import tempfile
import time

import catch_up
from daemon_process import Daemon, UnixConnection

QUESTIONS = {
    "the last 200 runs": "/v1/runs?limit=200",
    "100 networks": "/v1/networks?limit=100",
    "the models of a network": "/v1/models?network=net-7",
    "an estimate": "/v1/estimate?network=net-7&phase=train&batch_size=48&iterations=1000",
}
ASKED = 200


def rows(runs, networks, each):
    """Networks whose runs come in turn, over five batch sizes, each run in a few rows."""
    yield b"network,framework,device,phase,batch_size,iterations,seconds,run\n"
    block = []
    for run in range(runs):
        batch = 16 << run // networks % 5
        seconds = 0.5 + batch * (0.01 + run % networks % 7 * 0.001) + run % 11 * 0.003
        line = f"net-{run % networks},pytorch,Tesla V100,train,{batch},100,{seconds:.3f},{run}\n"
        block.append(line * each)
        if len(block) * each >= 5000:
            yield "".join(block).encode()
            block.clear()
    yield "".join(block).encode()


def import_rows(folder, body):
    connection = UnixConnection(f"{folder}/sock")
    connection.timeout = 3600
    begun = time.perf_counter()
    connection.request("POST", "/v1/imports?name=/measured.csv", body=body, encode_chunked=True,
                       headers={"Transfer-Encoding": "chunked"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(f"the import was refused: {answer.status} {text.decode()}")
    return time.perf_counter() - begun


def refit(folder):
    connection = UnixConnection(f"{folder}/sock")
    connection.timeout = 3600
    connection.request("POST", "/v1/refit")
    connection.getresponse().read()


def milliseconds(ask, path):
    begun = time.perf_counter()
    ask(path)
    return (time.perf_counter() - begun) * 1000


def told(delays):
    delays = sorted(delays)
    return f"{statistics.median(delays):.1f} ms (median), {delays[int(0.99 * len(delays))]:.1f} ms (99th percentile)"


def main():
    build = sys.argv[1]
    runs, networks, each = (int(sys.argv[at]) if len(sys.argv) > at else default
                            for at, default in ((2, 100_000), (3, 1_000), (4, 10)))
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "long.log"
        with Daemon(build, folder, [log]) as daemon:
            took = import_rows(folder, rows(runs, networks, each))
            print(f"{runs:,} runs of {networks:,} networks, {runs * each:,} rows: imported in {took:.1f} s, "
                  f"{runs * each / took:,.0f} rows/s, {daemon.memory_mib('VmHWM'):.0f} MiB at most", flush=True)
            before = daemon.cpu_seconds()
            daemon.forget_peak()
            refit(folder)
            print(f"fitted in {daemon.cpu_seconds() - before:.1f} s of CPU, {daemon.memory_mib('VmHWM'):.0f} MiB at most, "
                  f"{daemon.memory_mib():.0f} MiB then, "
                  f"{sum(file.stat().st_size for file in pathlib.Path(folder).glob('history.db*')) / 1e6:.0f} MB on disk",
                  flush=True)
        begun = time.perf_counter()
        with Daemon(build, folder, [log]) as daemon:
            print(f"a start answers after {time.perf_counter() - begun:.2f} s", flush=True)
            time.sleep(10)
            started = daemon.memory_mib()
            time.sleep(70)  # a minute is how often the daemon gives back what it does not need at rest
            print(f"{started:.0f} MiB after a start, {daemon.memory_mib():.0f} MiB at rest", flush=True)
            ask = daemon.asker()
            for name, path in QUESTIONS.items():
                first = milliseconds(ask, path)
                print(f"{name}, at rest: {first:.1f} ms the first time, then "
                      f"{told([milliseconds(ask, path) for _ in range(ASKED)])}", flush=True)
            catch_up.write_log(log.with_suffix(".written"), 1024)
            log.with_suffix(".written").rename(log)
            for name, path in QUESTIONS.items():
                print(f"{name}, while a log is caught up with: "
                      f"{told([milliseconds(ask, path) for _ in range(ASKED)])}", flush=True)
            sources = [each for each in daemon.ask("/v1/sources")["sources"] if each["path"] == str(log)]
            print(f"of the log {100 * sources[0]['offset'] / log.stat().st_size if sources else 0:.0f} % are read by now, "
                  f"{daemon.memory_mib('VmHWM'):.0f} MiB at most")


if __name__ == "__main__":
    main()
