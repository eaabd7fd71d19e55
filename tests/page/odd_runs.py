"""Runs that are unlike the rest: what the screens say of each, for the test of the page."""
import datetime
import http.client
import json
import pathlib
import re
import socket
import subprocess
import sys
from urllib.parse import quote

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.support.ui import WebDriverWait

from browser import show, text_at

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "api"))
from world import TIMING, a_line_a_minute, moved, under_way  # noqa: E402

WHOLE = (ROOT / "examples" / "caffe" / "lenet_b32_i2000_tb100_ti50.log").read_text().replace(" 20707 ", " 20709 ")
FACTS = "return Object.fromEntries([...document.querySelectorAll('dl.facts div')].map((d) => [d.children[0].textContent, d.children[1].textContent]))"
STEERING = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
BAD = "<img src=x>\u202eevil\u2066\x07"


def upto(text, line):
    """The log up to the line that holds that."""
    return text[:text.index("\n", text.index(line)) + 1]


def set_back(text):
    """The same log by a clock that was set back by an hour on the way."""
    head = upto(text, "Iteration 1000")
    return head + re.sub(r"(?m)^(I2026)1121 00:(\d\d)", r"\g<1>1120 23:\2", text[len(head):])


def epochs(first, last):
    """What torchvision's reference training writes: no end is known."""
    lines = [f"Epoch: [{e}][{i}/500]\tTime {0.4 + 0.01 * (i % 3):.3f} (0.405)\tData 0.01 (0.01)\tLoss 2.5 (2.6)\tAcc@1 10 (11)\tAcc@5 20 (22)"
             for e in range(1, 4) for i in range(0, 500, 20)]
    return "\n".join(lines[first:last]) + "\n"


def table(rows):
    return "network,device,devices,batch_size,iterations,seconds,setting.precision,run\n" + "".join(rows)


class OddRuns:
    def __init__(self, check, browser, base, daemon, etactl, logs, archive):
        self.check, self.browser, self.base, self.daemon, self.etactl, self.logs, self.archive = check, browser, base, daemon, etactl, logs, archive

    def add(self, name, text):
        """Imports a log, as if another process had written it; its runs."""
        file = self.archive / name
        file.write_text(text.replace(" 20709 ", f" {30000 + len(list(self.archive.iterdir()))} "))
        subprocess.run([*self.etactl, "import", str(file)], check=True, capture_output=True)
        return [r for r in self.daemon.ask("/v1/runs?limit=1000")["runs"] if r["source"].endswith(name)]

    def follow(self, name, text):
        """A log that the daemon follows; its run, as soon as it is there."""
        with open(self.logs / name, "a") as log:
            log.write(text)
        return WebDriverWait(self.daemon, 20).until(lambda d: [r for r in d.ask("/v1/runs?limit=1000")["runs"] if r["source"].endswith(name)])[0]["id"]

    def comes(self, what, is_there):
        """Within a while the browser shows that."""
        try:
            self.check(what, WebDriverWait(self.browser, 45).until(is_there))
        except TimeoutException:
            self.check(what, False, text_at(self.browser, "#main")[-400:])

    def facts(self, run):
        show(self.browser, self.base, f"run/{run}")
        return self.browser.execute_script(FACTS)

    def over(self):
        """What is over, in the words of etactl."""
        check, run = self.check, self.add("back.log", set_back(WHOLE))[0]["id"]
        facts = self.facts(run)
        check("a clock set back: what was measured", facts["took"].endswith("measured") and not facts["took"].startswith("-"), facts)
        show(self.browser, self.base, "runs")
        check("a clock set back: in the list", "measured" in text_at(self.browser, "tbody tr"), text_at(self.browser, "tbody tr"))
        facts = self.facts(self.add("broken.log", upto(WHOLE, "Iteration 800 "))[0]["id"])
        check("a log that just ends: what it lacked", "when its log ended" in facts.get("lacked", "") and "remaining" not in facts, facts)
        done = self.facts(self.add("timing.log", re.sub(r"(?m)^.*\] Iteration: .*\n", "", TIMING.read_text()))[0]["id"]).get("done", "")
        check("a timing run is not 0 % done", re.match("[1-9]", done), done)

    def under_way(self):
        check, now = self.check, datetime.datetime.now()
        near = self.follow("near.log", upto(moved(WHOLE, now), "Iteration 1800 ").replace("max_iter: 2000", "max_iter: 1807").replace("LeNet", "NearlyDone"))
        done = self.facts(near).get("done", "")
        check("what is not over is not 100 % done", "99" in done and "1,800 of 1,807" in done, done)
        endless = self.follow("endless.log", "=> creating model 'resnet18'\n" + epochs(0, 40))
        self.follow("endless.log", epochs(40, 60))
        WebDriverWait(self.daemon, 20).until(lambda d: d.ask(f"/v1/runs/{endless}")["pace"])
        facts = self.facts(endless)
        check("no end is known: said, with its pace", "its end is not known" in facts.get("done", "") and " to " in facts.get("step time", ""), facts)
        show(self.browser, self.base, "now")
        card = f'.card[data-run="{endless}"]'
        check("no end is known: no estimate is promised", "its end is not known" in text_at(self.browser, card) and "yet" not in text_at(self.browser, card), text_at(self.browser, card))

    def time_goes_on(self):
        """What remains shrinks while the log is silent."""
        slowly = self.follow("slowly.log", a_line_a_minute(WHOLE, datetime.datetime.now()))
        WebDriverWait(self.daemon, 20).until(lambda d: d.ask(f"/v1/runs/{slowly}")["remaining"])
        remaining = "return [...document.querySelectorAll('dl.facts div')].find((d) => d.firstChild.textContent === 'remaining')?.lastChild.textContent"
        for screen, look in (("now", lambda b: text_at(b, f'.card[data-run="{slowly}"] .big')), (f"run/{slowly}", lambda b: b.execute_script(remaining))):
            show(self.browser, self.base, screen)
            seen = set()  # as it is first drawn, as the watch begins, as the run's usage is looked at; and later

            def shrinks(browser):
                seen.add(look(browser))
                return len(seen - {"", None}) >= 4
            self.comes(f"{screen.split('/')[0]}: what remains shrinks without a line", shrinks)

    def asked_like(self):
        """A question like a past run is the one that `etactl estimate --like` asks."""
        self.add("precision.csv", table(f"Mixed,V100,1,{b},1000,{b * (0.5 if p == 'fp16' else 1) * k},{p},{p}{k}\n"
                                        for p, n in (("fp32", 3), ("fp16", 1)) for b in (32, 64, 128) for k in (1, 1.01, 1.02)[:n]))
        subprocess.run([*self.etactl, "refit"], check=True, capture_output=True)
        run = next(r for r in self.daemon.ask("/v1/runs?network=Mixed")["runs"] if r["settings"]["precision"] == "fp16" and r["train"]["samples_per_iteration"] == 64)
        said = self.ask(run["id"])
        self.check("ask: like a run, its settings too", f"etactl estimate --like {run['id']}" in said and re.match(r"[23]\d(\.\d)?\ss", said), said[:300])
        etactl = subprocess.run([*self.etactl, "estimate", "--like", str(run["id"]), "--confidence", "0.99", "--json"], check=True, capture_output=True, text=True)
        minutes = -(-json.loads(etactl.stdout)["upper"] // 60)
        self.check("ask: the job's limit holds 99 of 100", f"--time={int(minutes // 60):02d}:{int(minutes % 60):02d}:00" in said, said)
        said = self.ask(run["id"], iterations=5000)
        self.check("ask: like a run, but for what was changed", f"etactl estimate --like {run['id']} --iterations 5000" in said and "samples a second" in said, said[:300])

    def settings_apart(self):
        show(self.browser, self.base, "network/Mixed")
        points = self.browser.execute_script("return document.querySelector('svg[aria-label^=seconds]').querySelectorAll('.point').length")
        self.check("network: a model's points are of its settings", points == 9 and "runs of other settings3, not shown" in text_at(self.browser, "#main"), points)

    def ask(self, run, **changed):
        show(self.browser, self.base, f"ask?like={run}")
        WebDriverWait(self.browser, 10).until(lambda b: "SBATCH" in text_at(b, "[aria-live]"))
        for name, value in changed.items():
            before = text_at(self.browser, "[aria-live]")
            self.browser.execute_script("document.getElementById(arguments[0]).value = arguments[1]; document.querySelector('form.ask').requestSubmit()", name, value)
            WebDriverWait(self.browser, 10).until(lambda b: "SBATCH" in text_at(b, "[aria-live]") and text_at(b, "[aria-live]") != before)
        return text_at(self.browser, "[aria-live]")

    def alike_but_for_case(self):
        self.add("case.csv", table(f"{n},V100,1,{b},1000,{b * k * s},,{n}{k}\n" for n, s in (("OneNet", 1), ("onenet", 3)) for b in (32, 64, 128) for k in (1, 1.01, 1.02)))
        subprocess.run([*self.etactl, "refit"], check=True, capture_output=True)
        for name in ("OneNet", "onenet"):
            text = show(self.browser, self.base, "network/" + name)
            headings = self.browser.execute_script("return [...document.querySelectorAll('h2')].map((h) => h.textContent)")
            self.check(f"network: {name} alone", "9 runs" in text and len(headings) == len(set(headings)), (headings, text[:200]))

    def steering(self):
        """Of hostile names nothing that steers is in any text or attribute that is shown."""
        rows = [f"Net{BAD},{device}{BAD},2,{b},100,{b * s},,{device}{b}\n" for device, s in (("K80", 1), ("V100", 20)) for b in (8, 16, 32, 64)]
        (run, *_) = self.add("steering.csv", table(rows))
        subprocess.run([*self.etactl, "refit"], check=True, capture_output=True)
        for screen in ("runs", "network", "network/" + quote(run["network"], safe=""), f"run/{run['id']}", f"ask?like={run['id']}", "record", "sources", "now"):
            show(self.browser, self.base, screen)
            if screen.startswith("ask"):
                self.browser.execute_script("document.getElementById('network').focus()")
                WebDriverWait(self.browser, 10).until(lambda b: b.execute_script("return document.querySelectorAll('#names option').length"))
            shown = self.browser.execute_script("return [document.body.textContent, ...[...document.querySelectorAll('input, option')].map((e) => e.value),"
                                                "...[...document.querySelectorAll('[title], [aria-label]')].map((e) => e.title + e.getAttribute('aria-label'))]")
            self.check(f"{screen.split('/')[0]}: nothing that steers", not any(map(STEERING.search, shown)), [s for s in shown if STEERING.search(s)][:3])

    def many(self):
        """More than a page of runs under way; one that ends has lower an id than the rest, and than imports."""
        first = self.follow("first.log", under_way(WHOLE, datetime.datetime.now() - datetime.timedelta(seconds=90)).replace("LeNet", "TheFirst"))
        now = datetime.datetime.now()
        for i in range(110):
            (self.logs / f"many{i}.log").write_text(upto(moved(WHOLE, now - datetime.timedelta(seconds=i)), "Iteration 1000 ").replace(" 20709 ", f" {40000 + i} "))
        WebDriverWait(self.daemon, 60).until(lambda d: d.ask("/v1/health")["runs"]["running"] > 110)
        cards = lambda b: b.execute_script("return document.querySelectorAll('.card').length") == self.daemon.ask("/v1/health")["runs"]["running"]
        show(self.browser, self.base, "runs")
        show(self.browser, self.base, "now")
        self.check("now: all that runs, from the first picture on", cards(self.browser))
        WebDriverWait(self.browser, 15).until(lambda b: text_at(b, "[role=status]") == "live")
        self.check("now: what is over beside so many that run", "finished" in text_at(self.browser, "main table"), text_at(self.browser, "main table"))
        self.follow("first.log", f"{now:I%Y%m%d %H:%M:%S.%f} 20709 solver.cpp:332] Optimization Done.\n")
        newest = lambda b: "TheFirst" in text_at(b, "main tbody tr")
        self.comes("now: what has just ended is just over", newest)
        self.comes("now: and has no card", cards)
        self.check("now: nor comes back", not self.browser.find_elements("css selector", f'.card[data-run="{first}"]'))
        self.browser.refresh()
        self.comes("now: just over, after a reload too", newest)


def check_idle_strangers(check, page, cookie):
    """Who holds connections open and shows no session shuts nobody out."""
    idle = [socket.create_connection(page.host.split(":")) for _ in range(100)]
    try:
        check("idle connections of anybody take no place", all(page.request("GET", "/", Cookie=cookie)[0] == 200 for _ in range(5)))
    except (OSError, http.client.HTTPException) as error:
        check("idle connections of anybody take no place", False, error)
    for each in idle:
        each.close()
