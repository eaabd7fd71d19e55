"""A daemon whose history has something of everything the API can tell: runs that are over, one that is under way and
slower than it should be, one that was predicted and is over, a timing run, and a monitoring trace."""
import datetime
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from daemon_process import Daemon, UnixConnection  # noqa: E402

EXAMPLES = sorted((ROOT / "examples" / "caffe").glob("*.log"))
DATA = ROOT / "tests" / "data" / "caffe"
TIMING, SNAPSHOTS = DATA / "time_lenet_b256_n80.log", DATA / "cifar10_quick_snap.log"
FOLLOWED = ROOT / "examples" / "caffe" / "lenet_b32_i2000_tb100_ti50.log"
GLOG = re.compile(r"^([IWE])(?:2026)?(\d{4}) (\d\d):(\d\d):(\d\d\.\d+)")
os.environ["TZ"] = "UTC"  # of the daemon too: the logs' times are local ones


def seconds_of(line):
    found = GLOG.match(line)
    return found and int(found[3]) * 3600 + int(found[4]) * 60 + float(found[5])


def moved(text, end, slow_behind=None, slowdown=3.0):
    """A glog log as if it had ended at `end`; from the line that holds `slow_behind` on everything took longer."""
    lines, at, last, factor = [], [], None, 1.0
    clock = 0.0
    for line in text.splitlines():
        now = seconds_of(line)
        if now is not None:
            clock += (now - last) * factor if last is not None else 0
            last = now
        if slow_behind and slow_behind in line:
            factor = slowdown
        lines.append(line)
        at.append(clock if now is not None else None)
    out = []
    for line, when in zip(lines, at):
        if when is not None:
            stamp = end - datetime.timedelta(seconds=clock - when)
            line = GLOG.sub(lambda found: found[1] + stamp.strftime("%Y%m%d %H:%M:%S.%f"), line)
        out.append(line)
    return "\n".join(out) + "\n"


def a_line_a_minute(text, end):
    """A longer training called Slowly, without tests, that shows a line a minute; the last one at `end`."""
    begin = end - datetime.timedelta(minutes=10)
    head = moved(text[:text.rindex("\n", 0, text.index("Iteration 200 ")) + 1], begin)
    out = [head.replace("LeNet", "Slowly").replace("max_iter: 2000", "max_iter: 9000").replace("test_interval: 400", "test_interval: 100000")]
    for n in range(1, 11):
        at = begin + datetime.timedelta(minutes=n)
        out.append(at.strftime("I%Y%m%d %H:%M:%S.%f") + f" 20707 solver.cpp:239] Iteration {200 * n} (3.3333 iter/s, 60.0s/200 iters), loss = {1 / n:.5f}\n")
    return "".join(out)


def under_way(text, end, slow_since=1600):
    """The same training, but longer, without tests and not yet over: as fast as it was, then half as fast."""
    head = moved(text[:text.rindex("\n", 0, text.index("Iteration 200 ")) + 1], end)
    out = [head.replace("max_iter: 2000", "max_iter: 4000").replace("test_interval: 400", "test_interval: 100000")]
    for n in range(200, 3600, 200):
        seconds = 2.35 if n <= slow_since else 4.7
        end += datetime.timedelta(seconds=seconds)
        out.append(end.strftime("I%Y%m%d %H:%M:%S.%f") +
                   f" 20707 solver.cpp:239] Iteration {n} ({200 / seconds:.3f} iter/s, {seconds}s/200 iters), loss = {1 / n:.6f}\n")
    return moved("".join(out), end)


def trace(start, end):
    """One GPU's figures, second by second, as nvidia-smi writes them."""
    out = ["timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]"]
    while start < end:
        out.append(start.strftime("%Y/%m/%d %H:%M:%S.%f")[:-3] + ", 0, 87 %, 2048 MiB, 171.25 W, 1400 MHz")
        start += datetime.timedelta(seconds=1)
    return "\n".join(out) + "\n"


def on_gpu(text):
    """A CPU's log as if it had run on a GPU: the examples are of a CPU, and the trace is of none."""
    return re.sub(r"(.*\] )Use CPU\.", r"\1Using GPUs 0\n\1GPU 0: Tesla K80", text)


class World:
    def __init__(self, build, folder):
        self.build, self.folder = pathlib.Path(build).resolve(), pathlib.Path(folder)
        self.socket = f"{folder}/sock"
        self.daemon = Daemon(build, folder, [f"{folder}/*.log", f"{folder}/*.csv"])

    def __enter__(self):
        self.daemon.__enter__()
        try:
            self.fill()
        except BaseException:
            self.daemon.__exit__()
            raise
        return self

    def __exit__(self, *error):
        self.daemon.__exit__()

    def etactl(self, *arguments, check=True):
        return subprocess.run([str(self.build / "etactl"), "--socket", self.socket, *map(str, arguments)], check=check,
                              capture_output=True, text=True)

    def request(self, method, target, body=None, **headers):
        """Status, media type, text of the answer."""
        connection = UnixConnection(self.socket)
        try:
            connection.request(method, target, body, headers)
            answer = connection.getresponse()
            return answer.status, (answer.getheader("Content-Type") or "").split(";")[0], answer.read()
        finally:
            connection.close()

    def json(self, target):
        status, _, text = self.request("GET", target)
        assert status == 200, (target, status, text)
        return json.loads(text)

    def until(self, what, holds):
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, f"never came: {what}"
            time.sleep(0.02)

    def refit(self):
        assert self.request("POST", "/v1/refit")[0] == 200

    def grow(self, path, text):
        """`path` gets more, and all of it is in the history."""
        with path.open("a") as log:
            log.write(text)
        size = path.stat().st_size
        self.until(f"{path} to be read", lambda: any(
            each["path"] == str(path) and each["offset"] == size for each in self.json("/v1/sources")["sources"]))

    def add(self, path, text):
        """Imports `text` as the log `path` of this machine."""
        target = f"/v1/imports?name={path}&label.host={socket.gethostname().split('.')[0]}"
        status, _, answer = self.request("POST", target, text.encode())
        assert status == 200, (path, answer)

    def fill(self):
        for path in (*EXAMPLES, TIMING, SNAPSHOTS):
            self.add(path, on_gpu(path.read_text()))
        for path in EXAMPLES[-4:]:  # LeNet's once more, with another solver that takes half as long again
            text = on_gpu(path.read_text()).replace("solver_mode:", 'type: "Adam"\nsolver_mode:')
            self.add(f"{path}.adam", moved(text, datetime.datetime(2026, 11, 20), slow_behind="Initializing solver", slowdown=1.5))
        self.refit()
        text = on_gpu(FOLLOWED.read_text())
        over, path = moved(text, self.now() + datetime.timedelta(seconds=60)), self.folder / "over.log"
        begun = over.rindex("\n", 0, over.index("Iteration 600 ")) + 1
        self.grow(path, over[:begun])
        self.until("a prediction", lambda: "predictions" in self.json(f"/v1/runs/{self.newest()}"))
        self.grow(path, over[begun:])
        self.until("its score", lambda: self.json("/v1/predictions")["predictions"])
        self.grow(self.folder / "running.log", moved(under_way(text, self.now()), self.now()))
        self.grow(self.folder / "gpus.csv", trace(self.now() - datetime.timedelta(minutes=10), self.now()))
        self.refit()

    def now(self):
        return datetime.datetime.now(datetime.timezone.utc)

    def newest(self):
        return self.json("/v1/runs?limit=1")["runs"][0]["id"]


def main(test):
    """Runs `test(world)` with the build that the command line names."""
    with tempfile.TemporaryDirectory() as folder, World(sys.argv[1], folder) as world:
        test(world)
    print(f"{pathlib.Path(sys.argv[0]).name}: all is well")
