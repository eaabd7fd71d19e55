#!/usr/bin/env python3
"""`etactl runs --watch` on a terminal: 80 columns, a new picture when resized, a daemon that dies, time that goes on
while a log is silent, and q.

  tests/client/watch_test.py --build DIR
"""
import argparse
import datetime
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "api")]
from daemon_process import Daemon  # noqa: E402
from world import a_line_a_minute  # noqa: E402

LOG = ROOT / "examples" / "caffe" / "lenet_b32_i2000_tb100_ti50.log"
PATIENCE = 20  # seconds until something must have been seen


class Watch:
    def __init__(self, command, rows, columns):
        self.seen = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(command[0], command, {**os.environ, "TERM": "xterm", "TZ": "UTC"})
        self.resize(rows, columns)

    def resize(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, pattern):
        """Reads until the pattern has been seen; what was read since the last call."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.seen, re.S):
            if time.monotonic() > end:
                raise SystemExit(f"watch_test: {pattern!r} was not seen in {self.seen[-2000:]!r}")
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.seen += os.read(self.terminal, 65536).decode()
                except OSError:  # it has ended
                    break
        seen, self.seen = self.seen, ""
        return seen


def widest(picture):
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", picture.replace("\x1b[H", "\n"))
    return max(len(line) for line in re.split(r"\r?\n", text))


def check_time_goes_on(build):
    with tempfile.TemporaryDirectory(prefix="etad-") as folder:
        log = pathlib.Path(folder) / "slowly.log"
        log.write_text(a_line_a_minute(LOG.read_text(), datetime.datetime.now()))
        with Daemon(build, folder, [str(log)]):
            watch = Watch([str(build / "etactl"), "--socket", f"{folder}/sock", "runs", "--watch"], 24, 80)
            seen, end = set(), time.monotonic() + 2 * PATIENCE
            while len(seen) < 3 and time.monotonic() < end:
                seen.update(re.findall(r"%  (\S+ min[^(]*) \([^)]*\) left", watch.until(r" left.*\x1b\[J")))
            assert len(seen) == 3, f"what remains stands still: {seen}"
            os.write(watch.terminal, b"q")
            os.waitpid(watch.process, 0)


def check_lines_end_with_the_daemon(build):
    with tempfile.TemporaryDirectory(prefix="etad-") as folder:
        log = pathlib.Path(folder) / "running.log"
        log.write_text(LOG.read_text().split("Iteration 1000")[0].rsplit("\n", 1)[0] + "\n")
        with Daemon(build, folder, [str(log)]) as daemon:
            command = [str(build / "etactl"), "--socket", f"{folder}/sock", "runs", "--watch"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
                assert "LeNet" in watch.stdout.readline()
                daemon.process.terminate()
                trouble = watch.communicate(timeout=PATIENCE)[1]
            assert watch.returncode == 3 and "ended the watch" in trouble, (watch.returncode, trouble)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = pathlib.Path(parser.parse_args().build)
    with tempfile.TemporaryDirectory(prefix="etad-") as folder:
        # A training half done, which an hour of silence does not end.
        begun = LOG.read_text().split("Iteration 1000")[0].rsplit("\n", 1)[0] + "\n"
        log = pathlib.Path(folder) / "running.log"
        log.write_text(begun)
        with Daemon(build, folder, [str(log)]) as daemon:
            watch = Watch([str(build / "etactl"), "--socket", f"{folder}/sock", "runs", "--watch"], 24, 80)
            first = watch.until(r"LeNet.*800 of 2,000, .* each, 13.* so far, ends.*loss 0\.00335.*\x1b\[J")
            assert first.startswith("\x1b[?1049h"), "a screen of its own"
            assert widest(first) <= 80, widest(first)
            watch.resize(24, 60)
            narrow = watch.until(r"800/2,000  .*ends.*loss 0\.00335.*\x1b\[J").split("\x1b[2J")[-1]
            assert widest(narrow) <= 60, widest(narrow)
            watch.resize(2, 60)
            watch.until(r"and 1 more run.*q quits")
            watch.resize(24, 60)
            daemon.process.send_signal(signal.SIGKILL)
            daemon.process.wait()
            watch.until("connection to the daemon is lost")
            daemon.__enter__()
            watch.until(r"\x1b\[H[^\x1b]*\x1b\[31m[^\x1b]*LeNet(?:(?!lost)[^J])*\x1b\[J")  # a picture without that line
            os.write(watch.terminal, b"xq")
            last = watch.until(r"\x1b\[\?1049l.*LeNet")
            assert "LeNet" in last.split("\x1b[?1049l")[1], "the last picture stays"
            ended = os.waitstatus_to_exitcode(os.waitpid(watch.process, 0)[1])
            assert ended == 0, ended
    check_time_goes_on(build)
    check_lines_end_with_the_daemon(build)
    print("3 passed, 0 failed")


if __name__ == "__main__":
    main()
