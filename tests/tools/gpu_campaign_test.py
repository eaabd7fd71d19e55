#!/usr/bin/env python3
"""What scripts/gpu-campaign makes of a device that fails, with a PyTorch that does nothing but fail as PyTorch does."""
import contextlib
import glob
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import tarfile
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gpu_campaign", str(ROOT / "scripts/gpu-campaign"))
script = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(script)


class Any:
    """A tensor, a model or an optimizer. The model of run `fails` does so in its phase, with those words."""

    def __init__(self, fails=None):
        self.fails, self.phase = fails, "train"

    def __getattr__(self, _name):
        return lambda *_a, **_k: self

    def __call__(self, *_a, **_k):
        if self.fails and self.fails[0] == self.phase:
            raise RuntimeError(self.fails[1])
        return self

    def __float__(self):
        return 1.0

    def __eq__(self, _other):
        return self

    def eval(self):
        self.phase = "test"


def torch(bf16=True):
    def autocast(_device, _dtype):
        if not bf16:
            raise RuntimeError("Current CUDA Device does not support bfloat16")
        return contextlib.nullcontext()
    device = types.SimpleNamespace(name="Tesla V100", total_memory=1)
    cuda = types.SimpleNamespace(
        is_available=lambda: True, is_bf16_supported=lambda: bf16, synchronize=lambda: None, empty_cache=lambda: None,
        reset_peak_memory_stats=lambda: None, max_memory_reserved=lambda: 5, get_device_name=lambda: device.name,
        get_device_properties=lambda _index: device, current_device=lambda: 0)
    backends = types.SimpleNamespace(
        cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)),
        cudnn=types.SimpleNamespace(version=lambda: 8, allow_tf32=True))
    return types.SimpleNamespace(
        __version__="2.2.0", bfloat16="bf16", autocast=autocast, no_grad=contextlib.nullcontext, cuda=cuda,
        backends=backends, version=types.SimpleNamespace(cuda="12"), randint=lambda *_a, **_k: Any(),
        randn=lambda *_a, **_k: Any(), device=lambda name: types.SimpleNamespace(type=name),
        nn=types.SimpleNamespace(CrossEntropyLoss=Any), optim=types.SimpleNamespace(SGD=lambda *_a, **_k: Any()))


class GpuCampaignTest(unittest.TestCase):
    def conduct(self, module, fails=None, smi=FileNotFoundError()):
        """Of the tiny grid's runs the second one fails. What is left: rows by run, logs, the archive's names."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        out, count = folder.name + "/c", iter(range(1000))
        os.mkdir(out)
        options = types.SimpleNamespace(out=out, minutes=1, tiny=True)
        raised = None
        script.visible_gpu.cache_clear()
        with mock.patch.object(script, "build", lambda *_a: Any(fails if next(count) == 1 else None)), \
                mock.patch.object(script.subprocess, "run", side_effect=smi), \
                contextlib.redirect_stdout(io.StringIO()):
            try:
                script.conduct(module, options)
            except RuntimeError as error:
                raised = error
        rows = pathlib.Path(out + ".csv").read_text().splitlines()[1:]
        logs = {os.path.basename(log)[:-4] for log in glob.glob(out + "/*.log")}
        with tarfile.open(out + ".tar.gz") as archive:
            self.assertIn("c/machine.json", archive.getnames())
        return [row.split(",")[7] for row in rows], logs, raised

    def test_a_device_without_bf16_is_measured_without(self):
        rows, logs, raised = self.conduct(torch(bf16=False))
        self.assertIsNone(raised)
        self.assertEqual(len(logs), 12)
        self.assertFalse([name for name in logs if "bf16" in name])
        self.assertEqual(set(rows), logs)

    def test_want_of_memory_has_several_names_and_ends_one_run(self):
        for words in ("CUDA out of memory. Tried to allocate 2.00 GiB", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling",
                      "cuDNN error: CUDNN_STATUS_ALLOC_FAILED"):
            for phase in ("train", "test"):
                rows, logs, raised = self.conduct(torch(), (phase, words))
                self.assertIsNone(raised, words)
                self.assertEqual((len(logs), set(rows)), (23, logs), (phase, words))

    def test_what_was_done_before_trouble_is_packed(self):
        rows, logs, raised = self.conduct(torch(), ("train", "CUDA error: an illegal memory access"))
        self.assertIn("illegal", str(raised))
        self.assertEqual(len(set(rows)), 1)

    def test_an_nvidia_smi_that_hangs_is_done_without(self):
        _, logs, raised = self.conduct(torch(), smi=script.subprocess.TimeoutExpired("nvidia-smi", 30))
        self.assertIsNone(raised)
        self.assertEqual(len(logs), 24)

    def test_a_gpu_is_known_by_its_number_however_it_is_named(self):
        told = types.SimpleNamespace(stdout="3\n")
        for named, number in (("", "0"), ("2,3", "2"), ("GPU-0815", "3")):
            script.visible_gpu.cache_clear()
            with mock.patch.dict(os.environ, CUDA_VISIBLE_DEVICES=named), \
                    mock.patch.object(script.subprocess, "run", return_value=told):
                self.assertEqual(script.visible_gpu(), number)
        script.visible_gpu.cache_clear()


if __name__ == "__main__":
    unittest.main()
