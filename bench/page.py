#!/usr/bin/python3
"""How quickly the page opens over a large history: 100,000 runs, and a run with a million points.

Each screen is opened anew in headless Chromium, several times; the time counts from the click until the screen
is drawn. Then it is scrolled through, a step a frame: the longest frame and the median.

  bench/page.py [--build DIR] [--runs 100000] [--points 1000000]
"""
import argparse
import datetime
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "page")]
from browser import Page, browser_for, show  # noqa: E402
from daemon_process import Daemon  # noqa: E402

NETWORKS = [f"network-{i:02}" for i in range(50)]
DEVICES = {"Tesla K80": 4.0, "Tesla P100": 1.8, "Tesla V100": 1.0, "A100": 0.6}


def runs_csv(path, count):
    """So many runs of 50 networks on 4 devices, each a line of measurements."""
    chance = random.Random(0)
    with open(path, "w") as out:
        out.write("network,framework,device,host,phase,batch_size,iterations,seconds,run\n")
        for i in range(count):
            network = chance.randrange(len(NETWORKS))
            device = chance.choice(list(DEVICES))
            batch = 2 ** chance.randrange(3, 9)
            seconds = 1000 * (0.01 + 2e-4 * batch * (1 + network / 10)) * DEVICES[device] * chance.uniform(0.95, 1.05)
            out.write(f"{NETWORKS[network]},pytorch,{device},node{network % 4},train,{batch},1000,{seconds:.3f},run-{i}\n")


def long_log(path, points):
    """A training that shows its loss a million times."""
    chance = random.Random(1)
    example = (ROOT / "examples" / "caffe" / "lenet_b32_i2000_tb100_ti50.log").read_text()
    head = example.split("Iteration 0, Testing")[0].rsplit("\n", 1)[0]
    at = datetime.datetime(2026, 11, 21, 0, 24, 41)
    with open(path, "w") as out:
        out.write(head.replace("LeNet", "Long").replace("max_iter: 2000", f"max_iter: {points}") + "\n")
        for i in range(points):
            at += datetime.timedelta(microseconds=int(20_000 * chance.uniform(0.9, 1.2)))
            out.write(f"I{at:%Y%m%d %H:%M:%S.%f} 20707 solver.cpp:239] Iteration {i} (50 iter/s, 0.02s/1 iters), loss = {2 / (1 + i / 5e4) + chance.random() / 20:.5f}\n")
        out.write(f"I{at:%Y%m%d %H:%M:%S.%f} 20707 solver.cpp:332] Optimization Done.\n")


SCROLL = """
const done = arguments[0], frames = [];
let last = performance.now();
scrollTo(0, 0);
(function step() {
  requestAnimationFrame((now) => {
    frames.push(now - last);
    last = now;
    scrollBy(0, 60);
    if (frames.length < 120) step(); else done(frames.slice(1));
  });
})();
"""


def measure(browser, base, screen, holds, repeats=5):
    took = []
    for _ in range(repeats):
        show(browser, base, "nowhere-else")  # the screen of before costs nothing
        begun = time.monotonic()
        text = show(browser, base, screen)
        took.append(time.monotonic() - begun)
        assert holds in text, (screen, text[:300])
    frames = browser.execute_async_script(SCROLL)
    return statistics.median(took), max(took), statistics.median(frames), max(frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build" / "release"), help="folder of etad and etactl")
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--points", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="etad-") as folder:
        runs_csv(f"{folder}/runs.csv", options.runs)
        long_log(f"{folder}/long.log", options.points)
        with Daemon(options.build, folder, [f"{folder}/none.log"]) as daemon:
            etactl = [str(pathlib.Path(options.build) / "etactl"), "--socket", f"{folder}/sock"]
            begun = time.monotonic()
            for file in ("runs.csv", "long.log"):
                subprocess.run([*etactl, "import", f"{folder}/{file}"], check=True, capture_output=True)
            print(f"imported in {time.monotonic() - begun:.0f} s", flush=True)
            subprocess.run([*etactl, "refit"], check=True, capture_output=True)
            newest = daemon.ask("/v1/runs?limit=1&network=Long")["runs"][0]
            size = daemon.ask("/v1/health")["history"]["bytes"] / 2**20
            print(f"a history of {size:.0f} MiB; run {newest['id']} has {newest['train']['segments']} segments")
            page = Page(options.build, folder)
            browser = browser_for(1280, 900)
            try:
                browser.get(page.address)
                base = page.origin + "/"
                print(f"{'screen':28} {'median':>8} {'worst':>8}   frames: {'median':>7} {'longest':>8}")
                for screen, holds in (("now", "Just over"), ("runs", "network-"), (f"run/{newest['id']}", "Step time"), ("network", "network-49"),
                                      ("network/network-07", "Training on"), ("network/Long", "Training on"), ("ask", "batch size"),
                                      (f"ask?like={newest['id']}", "SBATCH"), ("record", "Track record"), ("sources", "2 imports")):
                    median, worst, frame, longest = measure(browser, base, screen, holds)
                    print(f"{screen:28} {median * 1000:5.0f} ms {worst * 1000:5.0f} ms           {frame:4.0f} ms {longest:5.0f} ms", flush=True)
            finally:
                browser.quit()
                page.end()


if __name__ == "__main__":
    main()
