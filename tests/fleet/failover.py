"""Primaries that die while exporters write, and replicas that are promoted: a part of scripts/fleet-test. Exporters
name both servers and ask for the one that takes writes."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

from cluster import Host, Server, wait_until
from work import LOGS, Logs, keep_busy, settle

HOW_FAR = "SELECT coalesce(sum(up_to), 0) FROM hosts"


class Pair:
    """Two places for a server: where the primary is, and where its replica."""

    def __init__(self, first, other_folder, synchronous):
        self.primary, self.synchronous = first, synchronous
        self.folders = {first.folder: other_folder, other_folder: first.folder}
        self.replica = None
        self.make_replica()

    def make_replica(self):
        """In the other place, whose data are of no more use."""
        folder = self.folders[self.primary.folder]
        if folder.exists():
            shutil.rmtree(folder)
        self.replica = Server.replica_of(self.primary, folder)
        self.replica.start()
        wait_until("the replica streams", lambda: self.primary.sql(
            "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == [["1"]])
        names = "*" if self.synchronous else ""
        self.primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.primary.sql("SELECT pg_reload_conf()")
        wait_until("replication is as it shall be", lambda: self.primary.sql(
            "SELECT sync_state FROM pg_stat_replication") == [["sync" if self.synchronous else "async"]])

    def hold_back(self):
        """From now on the replica gets nothing, which the primary, being asynchronous, does not mind."""
        sender = self.primary.sql("SELECT pid FROM pg_stat_replication")[0][0]
        os.kill(int(sender), signal.SIGSTOP)

    def fail_over(self):
        """The primary dies, and the replica takes its place. The dead one."""
        self.primary.kill()
        end_all(self.primary.folder)  # its processes have sessions of their own, and a stopped one would stay
        self.replica.promote()
        self.primary, dead = self.replica, self.primary
        self.replica = None
        self.primary.sql("ALTER SYSTEM RESET synchronous_standby_names")
        self.primary.sql("SELECT pg_reload_conf()")
        return dead

    def url(self):
        folders = sorted(str(folder / "s") for folder in self.folders)
        return (f"host={','.join(folders)} user=exporter dbname=fleet target_session_attrs=read-write"
                " connect_timeout=2")


def end_all(folder):
    """All processes that work in there."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            if pathlib.Path(os.readlink(stat)).is_relative_to(folder):
                os.kill(int(stat.parent.name), signal.SIGKILL)
        except OSError:
            continue


def die_at_random(pair, hosts, logs, chance, count):
    """So many fail-overs amid writing. What the new primaries lacked of what was committed on the old ones."""
    for _ in range(count):
        for host, log in zip(hosts, logs):
            keep_busy(host, log, chance, 20)
        time.sleep(chance.choice([0, 0.05, 0.2, 0.5]))
        pair.fail_over()
        for host, log in zip(hosts, logs):
            host.server = pair.primary
            keep_busy(host, log, chance, 4)
        pair.make_replica()
        for host in hosts:
            settle(host)


def lost_commits(pair, hosts, logs, chance, account):
    """Commits that the exporter saw succeed, and that the promoted replica never got."""
    for host in hosts:
        settle(host)
    pair.hold_back()
    for host, log in zip(hosts, logs):
        keep_busy(host, log, chance, 30)
        settle(host)
    before = int(pair.primary.sql(HOW_FAR)[0][0])
    passes = [host.exporter.pid for host in hosts]
    dead = pair.fail_over()
    gone = before - int(pair.primary.sql(HOW_FAR)[0][0])
    for host in hosts:
        host.server = pair.primary
    if [host.exporter.pid for host in hosts] != passes or any(host.exporter.poll() is not None for host in hosts):
        raise SystemExit("fleet-test: an exporter did not live through the fail-over")
    account.compare(hosts, f"asynchronous replication: {gone} committed changes lost by the servers, carried again")
    if gone <= 0:
        raise SystemExit("fleet-test: the replica lacked nothing, so nothing was shown")
    return dead


def old_primary_returns(pair, dead, hosts, logs, chance, account):
    """As it was, believing that it is the primary, and named first or second; then as a replica, as it should."""
    host = hosts[0]
    dead.start()
    before = dead.sql(HOW_FAR)
    keep_busy(host, logs[0], chance)
    settle(host)
    if dead.sql(HOW_FAR) != before:
        raise SystemExit("fleet-test: the exporter left the server that it writes to")
    # Whoever connects anew takes the first that takes writes: of two, the one that is named first.
    host.kill_exporter()
    host.start_exporter()
    keep_busy(host, logs[0], chance)
    first = min((dead, pair.primary), key=lambda server: str(server.sockets))
    host.server = first
    account.compare([host], "two that believe to be the primary: the one that is named first has all")
    dead.kill()
    host.server = pair.primary
    account.compare([host], "and the other one, once it is alone")
    pair.make_replica()  # in the old one's place
    host.kill_exporter()
    host.start_exporter()
    keep_busy(host, logs[0], chance)
    account.compare([host], "the old primary back as a replica: the exporter passes it by")


def test(options, folder, chance, servers, hosts, account):
    subprocess.run(servers[0].migration(options.build), check=True, stdout=subprocess.DEVNULL)
    pair = Pair(servers[0], folder / "pg2", synchronous=True)
    hosts += [Host(options.build, folder / name, name, servers[0]) for name in ("gpu1", "gpu2")]
    logs = [Logs(host, LOGS[i::2], chance) for i, host in enumerate(hosts)]
    try:
        for host in hosts:
            host.database = pair.url()
            host.configure('timeout = "5s"\n')
            host.start_daemon()
            for log in LOGS[:3]:
                host.bring(log)
            host.start_exporter()
        for name in ("synchronous", "asynchronous"):
            pair.synchronous = name == "synchronous"
            die_at_random(pair, hosts, logs, chance, options.failovers)
            account.compare(hosts, f"{options.failovers} primaries killed with {name} replication, the replica promoted")
        dead = lost_commits(pair, hosts, logs, chance, account)
        old_primary_returns(pair, dead, hosts, logs, chance, account)
    finally:
        servers[:] = [server for server in (pair.primary, pair.replica) if server]
        end_all(folder)
