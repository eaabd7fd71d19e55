"""The network between exporters and their server, cut in every way while they write: a part of scripts/fleet-test.

Each exporter reaches the server through a proxy that closes connections, or falls silent and keeps them open, so
that neither end's kernel finds anything wrong with them.
"""
import selectors
import socket
import struct
import subprocess
import threading
import time

from cluster import Host, wait_until
from work import LOGS, Logs, keep_busy, settle

# How the exporters of this part wait: a statement for a second, hence for an answer two, for a connection two.
QUICK = 'timeout = "1s"\n'


class Link:
    """One connection through the proxy."""

    def __init__(self, client, server):
        self.client, self.server = client, server
        self.silent = set()  # ends of which nothing is passed on any more
        self.in_transaction = self.answer_lost = False
        self.stranded_at = None  # when it fell silent amid a transaction


class Proxy:
    """Stands between an exporter and the server's socket. One thread passes bytes on; cut() may come at any time."""

    def __init__(self, target, chance):
        self.target, self.chance = str(target), chance
        self.deaf = self.slow = False
        self.lies_in_wait = None  # what happens to the next transaction
        self.stranded, self.freed = 0, []  # links that fell silent amid one; how long the server held on to each
        self.lock, self.links, self.kept = threading.Lock(), [], []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ready = selectors.DefaultSelector()
        self.ready.register(self.listener, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.ends = False
        self.thread.start()

    def run(self):
        while not self.ends:
            for key, _ in self.ready.select(0.05):
                with self.lock:
                    if key.fileobj is self.listener:
                        self.accept()
                    elif key.data in self.links:
                        self.pass_on(key.data, key.fileobj)
                if self.slow:
                    time.sleep(0.005)

    def accept(self):
        client, _ = self.listener.accept()
        if self.deaf:
            self.kept.append(client)  # accepted, and never answered
            return
        server = socket.socket(socket.AF_UNIX)
        server.connect(self.target)
        link = Link(client, server)
        self.links.append(link)
        for end in (client, server):
            self.ready.register(end, selectors.EVENT_READ, link)

    def pass_on(self, link, origin):
        target = link.server if origin is link.client else link.client
        try:
            data = origin.recv(512 if self.slow else 8192)
            if not data and link.silent:  # neither end learns that the other is gone
                self.ready.unregister(origin)
                if origin is link.server and link.stranded_at:
                    self.freed.append(time.monotonic() - link.stranded_at)
            elif not data:
                self.drop(link)
            elif origin is link.client:
                self.ask(link, data)
            elif link.answer_lost:
                self.drop(link, reset=True)
            elif origin not in link.silent:
                target.sendall(data)
        except (OSError, KeyError):
            self.drop(link)

    def ask(self, link, data):
        """The client's bytes, and what lies in wait for them."""
        commits = b"COMMIT\0" in data
        if link.in_transaction and not commits and self.lies_in_wait == "silence amid a transaction":
            self.lies_in_wait = None
            link.server.sendall(data[:self.chance.randint(len(data) // 4, len(data))])
            link.silent |= {link.client, link.server}
            link.stranded_at = time.monotonic()
            self.stranded += 1
        if commits and self.lies_in_wait in ("the answer to COMMIT lost", "COMMIT lost"):
            link.answer_lost = self.lies_in_wait.startswith("the answer")
            self.lies_in_wait = None
            if not link.answer_lost:
                return self.drop(link, reset=True)
        link.in_transaction = b"BEGIN\0" in data or (link.in_transaction and not commits)
        if link.client not in link.silent:
            link.server.sendall(data)

    def drop(self, link, reset=False):
        self.links.remove(link)
        for end in (link.client, link.server):
            try:
                self.ready.unregister(end)
            except KeyError:
                pass
            if reset and end is link.client:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            end.close()

    def cut(self, how):
        with self.lock:
            if how == "reset":
                for link in list(self.links):
                    self.drop(link, reset=True)
            elif how.startswith(("silence for", "silently", "silence now")):
                for link in self.links:
                    link.silent |= {"silently no answers": {link.server}, "silently no questions": {link.client}}.get(
                        how, {link.client, link.server})
                self.deaf = how.startswith("silence for")
            else:
                self.lies_in_wait = how

    def heal(self):
        self.deaf = self.slow = False

    def close(self):
        self.ends = True
        self.thread.join()
        self.listener.close()
        for link in list(self.links):
            self.drop(link)


CUTS = ("reset", "silence now", "silence for new connections too", "silently no answers", "silently no questions",
        "silence amid a transaction", "the answer to COMMIT lost", "COMMIT lost")


def caught(host, proxy):
    """Whether what lies in wait has struck; it needs a transaction, so something changes until then."""
    if proxy.lies_in_wait is None:
        return True
    host.ask(f"/v1/runs/{host.run_ids()[0]}/labels", "POST", '{"job": "%f"}' % time.monotonic(), may_fail=True)
    return False


def test(options, folder, chance, servers, hosts, account):
    """Exporters behind proxies, cut `options.cuts` times."""
    server, ends = servers[0], []
    subprocess.run(server.migration(options.build), check=True, stdout=subprocess.DEVNULL)
    for name in ("far1", "far2"):
        host = Host(options.build, folder / name, name, server)
        proxy = Proxy(server.sockets / ".s.PGSQL.5432", chance)
        host.database = (f"host=127.0.0.1 port={proxy.port} user=exporter dbname=fleet sslmode=disable connect_timeout=2"
                         " gssencmode=disable")
        host.configure(QUICK)
        hosts.append(host)
        ends.append((host, proxy, Logs(host, LOGS[len(ends)::2], chance)))
        host.start_daemon()
        for log in LOGS[:3]:
            host.bring(log)
        host.start_exporter()
        settle(host)
    cuts = {how: 0 for how in CUTS}
    longest = done = 0
    while done < options.cuts:
        begun = time.monotonic()
        for host, proxy, logs in ends:
            how = CUTS[done % len(CUTS)]
            proxy.slow = chance.random() < 0.5
            keep_busy(host, logs, chance)
            time.sleep(chance.choice([0, 0.02, 0.1, 0.3]))
            proxy.cut(how)
            keep_busy(host, logs, chance, 4)
            wait_until(f"{host.name} is caught: {how}", lambda h=host, p=proxy: caught(h, p))
            cuts[how] += 1
            done += 1
        if any(proxy.deaf for _, proxy, _ in ends):
            time.sleep(2.5)
        for host, proxy, _ in ends:
            proxy.heal()
        for host, _, _ in ends:
            settle(host)
        longest = max(longest, time.monotonic() - begun)
    stranded = sum(proxy.stranded for _, proxy, _ in ends)
    freed = [seconds for _, proxy, _ in ends for seconds in proxy.freed]
    # Sooner than the server would have by itself, and each of them.
    if len(freed) != stranded or any(seconds > 30 for seconds in freed):
        raise SystemExit(f"fleet-test: of {stranded} cut transactions the server was freed of {freed}")
    for host, proxy, logs in ends:
        while logs.write():
            pass
    account.compare([host for host, _, _ in ends],
                    f"the network cut {done} times; within {longest:.0f} s all was carried again, and the server freed of"
                    f" each of {stranded} transactions cut off")
    for host, proxy, _ in ends:
        told = (host.folder / "export.log").read_text()
        if "no answer for 2 s" not in told or not host.metric('failures_total{reason="connection"}'):
            raise SystemExit(f"fleet-test: {host.name} did not tell that its connection was lost: {told[-500:]}")
        host.kill_exporter()
        host.stop_daemon()
        proxy.close()
    print("cuts: " + ", ".join(f"{how} {count}" for how, count in cuts.items()))
