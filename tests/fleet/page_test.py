#!/usr/bin/python3
"""`etactl --fleet page` in a real browser: two hosts with different logs, every screen, a run of each host.

    tests/fleet/page_test.py BUILD

Exit status 77 where PostgreSQL or a browser is not installed (scripts/setup --page).
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/fleet"), str(ROOT / "tests/page")]
from cluster import Host, Server  # noqa: E402

try:
    from browser import Page, browser_for, complaints, show, text_at
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    print("page_test: selenium is not installed: scripts/setup --page")
    sys.exit(77)

problems = []


def check(what, holds, detail=""):
    print(f"{'ok    ' if holds else 'FAILED'} {what} {'' if holds else detail}", flush=True)
    if not holds:
        problems.append(what)


def brought(build, folder, server):
    hosts = [Host(build, folder / name, name, server) for name in ("gpu1", "gpu2")]
    logs = sorted((ROOT / "examples/caffe").glob("*.log"))
    for host, its in zip(hosts, (logs[::2], logs[1::2])):
        host.start_daemon()
        for log in its:
            host.bring(log)
        host.export_once()
        host.stop_daemon()
    return hosts


def look(page, browser, hosts):
    for screen in browser.execute_script(
            "return [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'))"):
        text = show(browser, page.address, screen.removeprefix("#/"))
        check(f"{screen} is shown", text and "went wrong" not in text.lower(), text[:300])
    server = hosts[0].server
    for host in hosts:
        number, run = server.sql("SELECT h.number, min(r.run_id) FROM hosts h JOIN runs r ON r.host_id = h.host_id"
                                 f" WHERE h.host_id = '{host.machine}' GROUP BY h.number")[0]
        run_id = str(int(number) * 2147483648 + int(run))
        check(f"a run of {host.name} is listed", run_id in show(browser, page.address, "runs"))
        text = show(browser, page.address, f"run/{run_id}")
        check(f"a run of {host.name} is shown", host.name in text, text[:300])
    text = show(browser, page.address, "network")
    check("networks of all hosts are listed", "LeNet" in text and "CIFAR10_quick" in text, text[:300])
    check("the browser complains of nothing", not complaints(browser), complaints(browser))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not Server.installed() or not shutil.which("chromedriver"):
        print("page_test: PostgreSQL or chromedriver is not installed: scripts/setup --page")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="etad-fleet-"))
    folder.chmod(0o755)
    server = Server(folder / "pg")
    try:
        server.start()
        server.sql("CREATE DATABASE fleet", "postgres")
        server.sql("CREATE ROLE etad_writer; CREATE ROLE etad_reader; CREATE ROLE etad_models;"
                   " CREATE ROLE exporter LOGIN IN ROLE etad_writer; CREATE ROLE asker LOGIN IN ROLE etad_reader, etad_models")
        owner = folder / "owner.toml"
        owner.write_text(f'database = "{server.url()}"\n')
        subprocess.run([build / "etad-export", "--config", owner, "--migrate"], check=True, stdout=subprocess.DEVNULL)
        hosts = brought(build, folder, server)
        page = Page(build, fleet=server.url("asker"))
        try:
            browser = browser_for(1280, 900)
            try:
                browser.get(page.address)
                WebDriverWait(browser, 20).until(lambda b: text_at(b, "nav"))
                look(page, browser, hosts)
            finally:
                browser.quit()
        finally:
            page.end()
    finally:
        server.stop()
        shutil.rmtree(folder)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
