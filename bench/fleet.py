#!/usr/bin/env python3
"""The histories of many hosts, carried into one PostgreSQL server by many exporters at once. Each host's is a copy of
one real history (the example logs, and two hours of a GPU's trace) with a machine of its own.

    bench/fleet.py [--hosts 100] [--exporters 8] [--standing 100] [--build build/release]

Prints rows a second, the database's size, how far rows lag behind the histories while exporters run beside each
other, and how long a question to the fleet takes: first, again, and to an etad-fleet that stays.
"""
import argparse
import concurrent.futures
import pathlib
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/fleet"))
from cluster import Host, Server, wait_until  # noqa: E402
from work import trace  # noqa: E402

TABLES = ("runs", "phases", "predictions", "architectures", "series_minutes")


def simulated(original, folder, number):
    """A host of the fleet: the original's history with another machine and name."""
    folder.mkdir()
    shutil.copyfile(original, folder / "history.db")
    connection = sqlite3.connect(folder / "history.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE starts SET machine = ?", (f"machine-{number}",))
    connection.execute("UPDATE runs SET host = ?", (f"host{number}",))
    connection.commit()
    return connection  # open: a reader needs the log file of one who writes


def export(build, folder, url, number):
    config = folder / "export.toml"
    config.write_text(f'database = "{url}"\nhistory = "{folder}/history.db"\nhost = "host{number}"\n'
                      "interval = 1\n")
    begun = time.monotonic()
    subprocess.run([build / "etad-export", "--config", config, "--once"], check=True)
    return time.monotonic() - begun


def measure(options, folder, server):
    server.start()
    server.sql("CREATE DATABASE fleet", "postgres")
    owner = folder / "owner.toml"
    owner.write_text(f'database = "{server.url()}"\n')
    subprocess.run([options.build / "etad-export", "--config", owner, "--migrate"], check=True,
                   stdout=subprocess.DEVNULL)
    host = Host(options.build, folder / "original", "original", server)
    host.start_daemon()
    for log in sorted((ROOT / "examples/caffe").glob("*.log")):
        host.bring(log)
    host.ask("/v1/imports?name=/trace.csv", "POST", trace(int(time.time()) // 3600 * 3600 - 5 * 3600, 120))
    host.stop_daemon()
    original = folder / "original.db"
    subprocess.run(["sqlite3", host.folder / "history.db", f"VACUUM INTO '{original}'"], check=True)
    kept = [simulated(original, folder / f"host{i}", i) for i in range(options.hosts)]
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.exporters) as pool:
        jobs = [pool.submit(export, options.build, folder / f"host{i}", server.url(), i) for i in range(options.hosts)]
        times = sorted(job.result() for job in jobs)
    took = time.monotonic() - begun
    for connection in kept:
        connection.close()
    counts = {table: int(server.sql(f"SELECT count(*) FROM {table}")[0][0]) for table in TABLES}
    rows = sum(counts.values())
    size = int(server.sql("SELECT pg_database_size('fleet')")[0][0])
    print(f"{options.hosts} hosts by {options.exporters} exporters at a time: {rows:,} rows in {took:.1f} s,"
          f" {rows / took:,.0f} rows/s; a host's history in {times[len(times) // 2]:.2f} s (median),"
          f" {times[-1]:.2f} s (most)")
    print(", ".join(f"{table} {count:,}" for table, count in counts.items()))
    print(f"database: {size / 1e6:,.0f} MB, {size / rows:,.0f} bytes a row")
    lag(options, folder, server)
    ask(options, folder, server)


def lag(options, folder, server):
    """How long a change of a history takes to its row, of exporters that stay: those of as many hosts as asked for,
    each with a change a second."""
    standing = range(min(options.standing, options.hosts))
    exporters = [subprocess.Popen([options.build / "etad-export", "--config", folder / f"host{i}/export.toml"])
                 for i in standing]
    chance, written, lags = random.Random(1), {}, []
    kept = [sqlite3.connect(folder / f"host{i}/history.db", isolation_level=None) for i in standing]
    try:
        end = time.monotonic() + options.seconds
        while time.monotonic() < end or written:
            begun = time.monotonic()
            if begun < end:
                for i in chance.sample(standing, max(1, len(standing) // 5)):
                    if i in written:
                        continue
                    kept[i].execute("UPDATE runs SET iteration = coalesce(iteration, 0) + 1 WHERE id ="
                                    " (SELECT min(id) FROM runs)")
                    newest = kept[i].execute("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").fetchone()[0]
                    written[i] = (newest, time.monotonic())
            elif begun > end + 60:
                raise SystemExit("bench/fleet.py: changes were not carried within a minute")
            for name, up_to in server.sql("SELECT name, up_to FROM hosts"):
                i = int(name.removeprefix("host"))
                if i in written and int(up_to) >= written[i][0]:
                    lags.append(time.monotonic() - written.pop(i)[1])
            time.sleep(max(0, 0.2 - (time.monotonic() - begun)))
    finally:
        for each in exporters:
            each.terminate()
        for each in exporters:
            each.wait()
        for each in kept:
            each.close()
    lags.sort()
    print(f"{len(standing)} exporters that look each second: {len(lags) / options.seconds:,.0f} changes/s carried, lag"
          f" {lags[len(lags) // 2]:.2f} s (median), {lags[len(lags) * 99 // 100]:.2f} s (of 99 %)")


def ask(options, folder, server):
    question = ["estimate", "LeNet", "--host", "host0", "--phase", "train", "--batch-size", "64", "--iterations", "1000"]

    def asked(what, *where):
        begun, cpu = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([options.build / "etactl", *where, *question], check=True, stdout=subprocess.DEVNULL)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = used.ru_utime + used.ru_stime - cpu.ru_utime - cpu.ru_stime
        print(f"an estimate, {what}: {time.monotonic() - begun:.2f} s ({cpu:.2f} s of CPU without the server's)",
              flush=True)

    asked("first, all models fitted", "--fleet", server.url())
    asked("again", "--fleet", server.url())
    sizes = server.sql("SELECT count(*), pg_total_relation_size('models'), pg_total_relation_size('learnt') FROM models")
    print("{:,} models, {:.0f} MB; what all runs have taught, {:.1f} MB".format(
        int(sizes[0][0]), int(sizes[0][1]) / 1e6, int(sizes[0][2]) / 1e6))
    stays = subprocess.Popen([options.build / "etad-fleet", "--database", server.url(), "--socket", folder / "sock"],
                             stdout=subprocess.DEVNULL)
    try:
        wait_until("etad-fleet answers", (folder / "sock").exists)
        asked("of an etad-fleet that stays", "--socket", str(folder / "sock"))
        for line in pathlib.Path(f"/proc/{stays.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                print(f"its memory: {int(line.split()[1]) / 1024:.0f} MiB")
    finally:
        stays.terminate()
        stays.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--exporters", type=int, default=8, help="at a time, at first")
    parser.add_argument("--standing", type=int, default=100, help="exporters that run beside each other")
    parser.add_argument("--seconds", type=int, default=20, help="for which they do")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    options.build = options.build.resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="etad-fleet-"))
    folder.chmod(0o755)
    server = Server(folder / "pg")
    try:
        measure(options, folder, server)
    finally:
        server.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
