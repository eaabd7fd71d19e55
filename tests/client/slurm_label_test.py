#!/usr/bin/env python3
"""Which runs contrib/slurm/etad-slurm-label gives a job, without a cluster and without a daemon."""
import importlib.machinery
import importlib.util
import os
import pathlib
import socket
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "contrib/python"))
import etad  # noqa: E402
loader = importlib.machinery.SourceFileLoader("etad_slurm_label", str(ROOT / "contrib/slurm/etad-slurm-label"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(script)


class Client:
    """A history with the label that is said of it."""

    def __init__(self):
        self.runs = []

    def add(self, source, state="running", **labels):
        self.runs.insert(0, {"id": len(self.runs) + 1, "source": source, "state": state, "labels": labels,
                             "network": ""})

    def get(self, _path, limit):
        return {"runs": self.runs[:limit]}

    def label(self, run, **labels):
        self.runs[len(self.runs) - run]["labels"].update(labels)

    def jobs(self):
        return [run["labels"].get("job") for run in reversed(self.runs)]


class ClientTest(unittest.TestCase):
    def test_an_answer_that_is_late_or_cut_off_is_none(self):
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
            server.bind(f"{folder}/sock")
            server.listen()
            client = etad.Client(f"{folder}/sock", timeout=0.1)
            with self.assertRaises(etad.NoDaemon):
                client.get("/v1/runs")

            def cut_off():
                for _ in range(2):  # the one above too
                    server.accept()[0].close()

            restarted = threading.Thread(target=cut_off)
            restarted.start()
            client.timeout = 20
            with self.assertRaises(etad.NoDaemon):
                client.label(1, job="200")
            restarted.join()


class SlurmLabelTest(unittest.TestCase):
    def setUp(self):
        file = tempfile.NamedTemporaryFile()
        self.addCleanup(file.close)
        self.log, self.client = file.name, Client()

    def watcher(self, job="200", uid=os.getuid()):
        return script.Watcher(self.client, {self.log}, job, "alice", uid)

    def test_what_appears_in_the_jobs_file_is_the_jobs(self):
        watcher = self.watcher()
        self.client.add(self.log)  # before the watcher looked for the first time: the job was faster
        watcher.look()
        self.client.add("/elsewhere.log")
        self.client.add(self.log, "finished")
        watcher.look()
        self.assertEqual(self.client.jobs(), ["200", None, "200"])
        self.assertEqual(self.client.runs[0]["labels"]["user"], "alice")

    def test_another_users_file_is_not_the_jobs_whatever_it_names_as_its_output(self):
        self.client.add(self.log)
        self.watcher(uid=os.getuid() + 1).look()
        self.assertEqual(self.client.jobs(), [None])

    def test_nor_is_a_file_that_is_not_there(self):
        self.client.add(self.log + "-gone")
        script.Watcher(self.client, {self.log + "-gone"}, "200", "alice", os.getuid()).look()
        self.assertEqual(self.client.jobs(), [None])

    def test_what_was_over_before_is_not_the_jobs(self):
        self.client.add(self.log, "finished")
        self.client.add(self.log, "aborted")
        watcher = self.watcher()
        watcher.look()
        watcher.look()
        self.assertEqual(self.client.jobs(), [None, None])

    def test_of_two_jobs_of_one_file_each_run_stays_the_first_ones(self):
        first, second = self.watcher(), self.watcher("201")
        self.client.add(self.log)
        for _ in range(3):
            first.look()
            second.look()
        self.assertEqual(self.client.jobs(), ["200"])


if __name__ == "__main__":
    unittest.main()
