#!/usr/bin/env python3
"""The histories of many hosts, carried into one PostgreSQL server by many exporters at once. Each host's is a copy of
one real history (the example logs, and two hours of a GPU's trace) with a machine of its own.

    bench/fleet.py [--hosts 100] [--exporters 8] [--build build/release]

Prints rows a second, the database's size, and how long a question to the fleet takes, first and again.
"""
import argparse
import concurrent.futures
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/fleet"))
from cluster import Host, Server  # noqa: E402

TABLES = ("runs", "phases", "predictions", "architectures", "series_minutes")


def trace(first, minutes):
    lines = ["timestamp, index, uuid, utilization.gpu [%], power.draw [W]"]
    for i in range(6 * minutes):
        at = time.strftime("%Y/%m/%d %H:%M:%S.000", time.gmtime(first + 10 * i))
        lines.append(f"{at}, 0, GPU-11111111-2222-3333-4444-555555555555, {i % 100} %, {100 + i % 50}.25 W")
    return "\n".join(lines) + "\n"


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
    config.write_text(f'database = "{url}"\nhistory = "{folder}/history.db"\nhost = "host{number}"\n')
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
    for what in ("first, all models fitted", "again"):
        begun = time.monotonic()
        subprocess.run([options.build / "etactl", "--fleet", server.url(), "estimate", "LeNet", "--host", "host0",
                        "--phase", "train", "--batch-size", "64", "--iterations", "1000"], check=True,
                       stdout=subprocess.DEVNULL)
        print(f"an estimate, {what}: {time.monotonic() - begun:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--exporters", type=int, default=8)
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
