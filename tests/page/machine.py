"""A machine with two GPUs, made up: the logs of trainings on it and nvidia-smi's trace of what the GPUs did.

The network's description comes from an example log; the rest is written as Caffe and nvidia-smi write it, with
the times that are asked for, so that a screen can show trainings of now.
"""
import datetime
import math
import pathlib
import random

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "caffe" / "lenet_b32_i2000_tb100_ti50.log"
UUIDS = ("GPU-2f6a91c4-0000-4000-8000-000000000000", "GPU-9b03e7d5-0000-4000-8000-000000000001")


class Training:
    """One run's log. Its times follow from `begin`; `busy` holds from when to when it trained, for the trace."""

    def __init__(self, begin, *, network="ResNet-50", batch=64, iterations=2000, step=0.05, gpus=(0,), device="Tesla V100-SXM2-16GB",
                 test_every=500, test_seconds=6.0, save_every=1000, save_seconds=3.0, slow_from=None, seed=0):
        self.random = random.Random(seed)
        self.at = self.shown = begin
        self.gpus, self.busy = gpus, []
        self.lines = []
        head = EXAMPLE.read_text().split("Iteration 0, Testing")[0].splitlines()[1:-1]
        self.glog("caffe.cpp:197", "Using GPUs " + ", ".join(map(str, gpus)))
        for gpu in gpus:
            self.glog("caffe.cpp:202", f"GPU {gpu}: {device}")
        for line in head:
            self.copy(line, network, batch, iterations, test_every, save_every)
        for done in range(0, iterations + 1, 100):
            if done:
                slow = 1.6 if slow_from is not None and done > slow_from else 1.0
                self.train(done, 100 * step * slow * self.random.uniform(0.97, 1.04), iterations)
            if save_every and done and done % save_every == 0:
                self.glog("solver.cpp:464", f"Snapshotting to binary proto file snap/{network}_iter_{done}.caffemodel")
                self.at += datetime.timedelta(seconds=save_seconds)
                self.glog("sgd_solver.cpp:284", f"Snapshotting solver state to binary proto file snap/{network}_iter_{done}.solverstate")
                self.at += datetime.timedelta(seconds=0.05)
            if done % test_every == 0:
                self.glog("solver.cpp:347", f"Iteration {done}, Testing net (#0)")
                self.at += datetime.timedelta(seconds=test_seconds * self.random.uniform(0.97, 1.03))
                self.glog("solver.cpp:414", f"    Test net output #0: accuracy = {1 - 0.9 * math.exp(-done / iterations * 3):.4f}")
            self.show(done, iterations)
        self.glog("solver.cpp:332", "Optimization Done.")
        self.end = self.at

    def glog(self, where, text):
        self.lines.append((self.at, f"I{self.at:%Y%m%d %H:%M:%S.%f} 20707 {where}] {text}"))

    def copy(self, line, network, batch, iterations, test_every, save_every):
        if line[:1] == "I" and "]" in line:
            self.at += datetime.timedelta(microseconds=40)
            self.glog(line.split()[3].rstrip("]"), line.split("] ", 1)[1].replace("LeNet", network))
            return
        for old, new in (('"LeNet"', f'"{network}"'), ("batch_size: 32", f"batch_size: {batch}"), ("max_iter: 2000", f"max_iter: {iterations}"),
                         ("test_interval: 400", f"test_interval: {test_every}"), ("display: 200", f"display: 100\nsnapshot: {save_every}"),
                         ("solver_mode: CPU", "solver_mode: GPU")):
            line = line.replace(old, new)
        self.lines.append((self.at, line))

    def train(self, done, seconds, iterations):
        begin = self.at
        self.at += datetime.timedelta(seconds=seconds)
        self.busy.append((begin, self.at))

    def show(self, done, iterations):
        loss = 0.4 + 6.5 * math.exp(-4 * done / iterations) * self.random.uniform(0.93, 1.07)
        took = (self.at - self.shown).total_seconds()  # tests and snapshots included, as Caffe counts
        self.glog("solver.cpp:239", f"Iteration {done} ({100 / took:.4f} iter/s, {took:.3f}s/100 iters), loss = {loss:.5f}")
        self.glog("sgd_solver.cpp:112", f"Iteration {done}, lr = 0.01")
        self.shown = self.at

    def text(self, until=None):
        """The log as it stood at that time; whole without one."""
        return "".join(line + "\n" for at, line in self.lines if until is None or at <= until)


def trace(trainings, begin, end, every=2):
    """What `nvidia-smi --query-gpu=… --format=csv --loop=…` writes while these trainings go on."""
    noise = random.Random(1)
    out = ["timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]"]
    spans = {gpu: sorted((b, e) for t in trainings if gpu in t.gpus for b, e in t.busy) for gpu in range(len(UUIDS))}
    lives = {gpu: [(t.lines[0][0], t.end) for t in trainings if gpu in t.gpus] for gpu in range(len(UUIDS))}
    at = begin
    while at < end:
        for gpu, uuid in enumerate(UUIDS):
            busy = any(b <= at < e for b, e in spans[gpu])
            held = any(b <= at < e for b, e in lives[gpu])
            use = noise.randint(91, 99) if busy else noise.randint(25, 55) if held else 0
            watts = 45 + 2.3 * use + noise.uniform(-6, 6)
            clock = noise.choice((1380, 1410, 1440)) if busy else 1230 if held else 135
            memory = 11_890 if held else 3
            local = at.astimezone().replace(tzinfo=None)
            out.append(f"{local:%Y/%m/%d %H:%M:%S}.{at.microsecond // 1000:03d}, {gpu}, {uuid}, {use} %, {memory} MiB, {watts:.2f} W, {clock} MHz")
        at += datetime.timedelta(seconds=every)
    return "\n".join(out) + "\n"


class Machine:
    """Trainings on two GPUs: some were here before, some are followed to their end, two go on; and the GPUs' trace."""

    def __init__(self, logs):
        self.logs, self.now = logs, datetime.datetime.now()
        minutes = datetime.timedelta(minutes=1)
        shapes = [(32, (0,), 0.023), (64, (0,), 0.043), (128, (0,), 0.083), (256, (0,), 0.163), (64, (0, 1), 0.032), (128, (0, 1), 0.053), (256, (0, 1), 0.095)]
        self.past = [Training(self.now - (110 - 6 * i) * minutes, batch=batch, gpus=gpus, step=step, seed=i)
                     for i, (batch, gpus, step) in enumerate(shapes)]
        self.followed = [Training(self.now - (60 - 5 * i) * minutes, batch=batch, gpus=(0,), step=step, seed=20 + i)
                         for i, (batch, step) in enumerate([(64, 0.043), (128, 0.084), (96, 0.063), (256, 0.162), (32, 0.0235), (48, 0.033)])]
        self.going_on = [Training(self.now - 8 * minutes, iterations=20_000, batch=64, gpus=(0,), step=0.043, seed=40),
                         Training(self.now - 20 * minutes, iterations=20_000, batch=128, gpus=(1,), step=0.083, slow_from=5000, seed=41)]
        (logs / "smi.csv").write_text(trace(self.past + self.followed + self.going_on, self.now - 112 * minutes, self.now))
        for i, training in enumerate(self.past):
            self.write(f"past{i}", training.text())

    def write(self, name, text):
        """The log as it stands; what is there already stays."""
        with open(self.logs / f"{name}.log", "a") as log:
            log.write(text[log.tell():])

    def grow(self):
        """Between its steps a daemon has time to say something of the followed ones; then they end, and the others go on."""
        for mark in (0.03, 0.1, 0.3, 0.6, None):
            for i, training in enumerate(self.followed):
                begun = training.lines[0][0]
                self.write(f"followed{i}", training.text(mark and begun + mark * (training.end - begun)))
            yield
        self.tick()

    def tick(self):
        """Those that go on, as they stand now."""
        for i, training in enumerate(self.going_on):
            self.write(f"running{i}", training.text(datetime.datetime.now()))
