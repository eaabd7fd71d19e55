"""What an idle daemon costs: with nothing to follow, and with 10,000 idle logs.

    python3 bench/idle.py BUILD [SECONDS]
"""
import pathlib
import shutil
import sys
import tempfile
import time

from daemon_process import ROOT, Daemon


def settled(health, files):
    return health["sources"]["followed"] >= files and health["lag"]["bytes"] == 0


def measure(build, files, seconds):
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder) / "logs"
        logs.mkdir()
        for number in range(files):
            log = logs / f"{number}.log"
            shutil.copyfile(ROOT / "examples/caffe/lenet_b32_i500_tb50_ti50.log", log)
            with open(log, "a") as out:
                out.write(f"# {number}\n")
        with Daemon(build, folder, [f"{logs}/*.log"]) as daemon:
            while not settled(daemon.ask("/v1/health"), files):
                time.sleep(0.2)
            time.sleep(75)  # until polling has backed off: its pause doubles from 0.2 s to 60
            before = daemon.cpu_seconds()
            time.sleep(seconds)
            cpu = daemon.cpu_seconds() - before
            print(f"{files} idle logs: {100 * cpu / seconds:.2f} % of a core over {seconds} s, "
                  f"{daemon.memory_mib():.0f} MiB resident")


def main():
    build, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    measure(build, 0, seconds)
    measure(build, 10_000, seconds)


if __name__ == "__main__":
    main()
