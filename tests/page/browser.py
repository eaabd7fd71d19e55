"""The page and a browser that looks at it, for the tests of the page and for measuring it."""
import http.client
import json
import os
import pathlib
import re
import subprocess

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Page:
    """`etactl page`, running: of the daemon in that folder, or of a fleet's database."""

    def __init__(self, build, daemon_folder=None, fleet=None):
        environment = {**os.environ, "ETAD_PAGE_DIR": str(ROOT / "page")}
        where = ["--fleet", fleet] if fleet else ["--socket", f"{daemon_folder}/sock"]
        self.command = [str(pathlib.Path(build) / "etactl"), *where, "page"]
        self.environment = environment
        self.process = subprocess.Popen([*self.command, "--no-open"], stdout=subprocess.PIPE, text=True, env=environment)
        self.address = self.process.stdout.readline().strip()
        self.origin, self.host = re.match(r"(http://(127\.0\.0\.1:\d+))/\?token=[0-9a-f]{32}$", self.address).groups()

    def request(self, method, target, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=10)
        connection.request(method, target, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())

    def end(self):
        self.process.terminate()
        self.process.wait()


def browser_for(width, height):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def set_size(browser, width, height):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})


def prefer(browser, **features):
    """What the reader's system prefers: prefers_color_scheme="dark", prefers_reduced_motion="reduce"."""
    wanted = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wanted})


def requested(browser):
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def text_at(browser, selector):
    """The text of an element that may be drawn anew at any moment; empty where there is none."""
    return browser.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector)


# The screen is there, and what it draws in the next frame as well.
DRAWN = """
const main = document.getElementById('main');
return main && !main.hasAttribute('aria-busy') && main.dataset.shown === location.hash && !!main.querySelector('h1, .warning') &&
  [...main.querySelectorAll('.dygraph')].every((place) => place.querySelector('canvas'));
"""


def show(browser, base, screen):
    """Goes to a screen, and waits until it is drawn; its text."""
    if "#" in browser.current_url:
        browser.execute_script("location.hash = arguments[0]", f"#/{screen}")
    else:
        browser.get(f"{base}#/{screen}")
    WebDriverWait(browser, 20, poll_frequency=0.02).until(lambda b: b.execute_script(DRAWN))
    return text_at(browser, "#main")
