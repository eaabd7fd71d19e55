#!/usr/bin/env python3
"""Every example of docs/api.md, docs/api-operation.md and docs/etactl.md, run against a daemon: the answer is of the form that the page shows.

An example is a fenced block of requests, each with the answer that it shows, if it shows one. `…` stands for what the
page leaves out: members of an object, elements of a list, the path of the socket, the rest of a text. Values are the
machine's own; that names and types are right is what counts here. Of what a command prints for people the first line
counts, but for its numbers: the headings of a table, or the answer itself. With --json each of its lines is an object.

    examples_test.py BUILD
"""
import datetime
import json
import os
import re
import shlex
import subprocess
import sys

from world import FOLLOWED, ROOT, main, moved, on_gpu

LEFT_OUT = "…"
NET = """name: "Deep"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }
layer { name: "c" type: "Convolution" bottom: "data" top: "c" convolution_param { num_output: 48 kernel_size: 5 } }
layer { name: "f" type: "InnerProduct" bottom: "c" top: "f" inner_product_param { num_output: 10 } }
"""


def blocks(path):
    """The fenced blocks of a page: the language, the text, the line it begins at."""
    language, begun, lines = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("```"):
            if language is None:
                language, begun, lines = line[3:], number, []
            else:
                yield language, "\n".join(lines), begun
                language = None
        elif language is not None:
            lines.append(line)
        else:
            assert not re.match(r" {4}(\$|GET|POST|import)", line), f"{path}:{number}: an example outside a fence"


def completed(text):
    """The shown JSON, in which what is left out has become a member or an element named so."""
    out, inside, quoted, i = [], [], False, 0
    while i < len(text):
        letter = text[i]
        if quoted and letter == "\\":
            out.append(text[i:i + 2])
            i += 2
            continue
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "{[":
            inside.append(letter)
        elif not quoted and letter in "}]":
            inside.pop()
        elif not quoted and letter == LEFT_OUT:
            letter = f'"{LEFT_OUT}"' + (":0" if inside[-1] == "{" else "")
        out.append(letter)
        i += 1
    return json.loads("".join(out))


def difference(shown, real, place=""):
    """Why the answer is not as shown; None: it is."""
    if isinstance(shown, dict):
        if not isinstance(real, dict):
            return f"{place}: no object but {json.dumps(real)[:80]}"
        names = set(shown) - {LEFT_OUT}
        if names - set(real):
            return f"{place}: no member {', '.join(sorted(names - set(real)))}"
        if LEFT_OUT not in shown and set(real) - names:
            return f"{place}: not shown: {', '.join(sorted(set(real) - names))}"
        return next(filter(None, (difference(shown[name], real[name], f"{place}.{name}") for name in shown if name in names)), None)
    if isinstance(shown, list):
        if not isinstance(real, list):
            return f"{place}: no list but {json.dumps(real)[:80]}"
        for each in shown:
            if each != LEFT_OUT:
                said = [difference(each, one, f"{place}[]") for one in real]
                if None not in said:
                    return said[0] if said else f"{place}: empty"
        return None
    if shown is None or real is None:
        return None
    kind = (int, float) if type(shown) in (int, float) else type(shown)
    if not isinstance(real, kind) or (isinstance(real, bool) and shown is not True and shown is not False):
        return f"{place}: {json.dumps(real)[:80]} where {json.dumps(shown)[:80]} is shown"
    return None


def requests(text):
    """(command, shown answer) of each request in a block."""
    found = re.split(r"^(?=\$ |(?:GET|POST|DELETE) /)", text, flags=re.M)
    assert not found[0].strip(), f"an answer without its question: {found[0][:80]}"
    for each in found[1:]:
        command, _, shown = each.partition("\n")
        yield command, shown.strip()


def answer(world, command):
    if not command.startswith("$ "):
        method, target = command.split()
        return world.request(method, target)[2].decode()
    words = [word.replace(LEFT_OUT, world.socket).replace("/run/etad/etad.sock", world.socket) for word in shlex.split(command[2:])]
    process = subprocess.Popen(words, cwd=world.folder / "archive", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        text = process.stdout.readline() if "watch=true" in command else process.stdout.read()
    finally:
        if "watch=true" in command:
            process.terminate()
        failed = process.wait() if "watch=true" not in command else 0
    assert failed == 0, f"{command}: {process.stderr.read()}"
    return text


def prepare(world):
    """What the examples refer to."""
    archive = world.folder / "archive"
    archive.mkdir()
    (archive / "lenet.log").write_text(on_gpu(FOLLOWED.read_text()).replace("LeNet", "LeNet2"))
    v100 = on_gpu((ROOT / "examples/caffe/cifar10_quick_b32_i80_tb50_ti8.log").read_text()).replace("K80", "V100")
    world.add("/archive/v100.log", moved(v100, datetime.datetime(2026, 11, 20), slow_behind="Initializing solver", slowdown=0.2))
    world.add("/archive/costs.csv", "network,device,phase,batch_size,iterations,seconds,energy_joules,peak_memory_bytes,setting.power_limit\n" +
              "".join(f"ResNet50,V100,train,{b},100,{2 + b / 4},{(450 + 60 * b) * noise},{(2.5e9 + 9e7 * b) * noise},{watts}\n"
                      for watts in (250, 300) for b in (16, 32, 64, 128) for noise in [1 + ((b // 16 + watts // 50) % 3 - 1) / 40]))
    (archive / "deep.prototxt").write_text(NET)
    world.refit()


def check_api(world, page, environment):
    """The requests and the Python of a page: how many there were."""
    count, wrong = 0, []
    for language, text, line in blocks(page):
        if language == "python":
            printed = subprocess.run([sys.executable, "-c", text], env={**environment, "PYTHONPATH": str(ROOT / "contrib" / "python")},
                                     capture_output=True, text=True, check=True).stdout
            assert printed.strip(), f"{page}:{line}: prints nothing"
            count += 1
            continue
        for command, shown in requests(text):
            got = answer(world, command)
            count += 1
            why = difference(completed(shown), json.loads(got)) if shown else None
            if why or (not shown and '"status":4' in got[:200]):
                wrong.append(f"{page.name}:{line}: {command}\n    {why or got[:300]}")
    assert not wrong, "\n".join(wrong)
    return count


def form(line):
    """A line without its numbers and their units, folders, bars and spaces."""
    line = re.sub(r"/\S*/", "/", line)
    line = re.sub(r"^(model \d+): .*", r"\1", line)  # which one has which id is not said
    line = re.sub(r"[\d.,:]+( (ms|us|s|min|h|d|B|[KMG]iB|[kM]?J|%))*", "#", line)
    return re.sub(r"(# ?)+", "# ", re.sub(r"[\s█-▏-]+", " ", line)).strip()


def check_commands(world, page, environment):
    """What etactl prints, and that what its --json prints is JSON."""
    count, wrong = 0, []

    def run(*words):
        return subprocess.run([str(world.build / "etactl"), *words], cwd=world.folder / "archive", env=environment,
                              capture_output=True, text=True, check=False)
    for _, text, line in blocks(page):
        for command, shown in requests(text):
            words = shlex.split(command[2:].replace("/usr/share/etad/rules.d", str(ROOT / "etc" / "rules.d")))
            assert words[0] == "etactl", command
            done = run(*words[1:])
            count += 1
            if words[1] == "backup":  # which overwrites nothing
                (world.folder / "archive" / words[-1]).unlink()
            try:
                again = run("--json", *words[1:])
                lines = again.stdout.splitlines()
                itself = again.returncode != 0 and again.stderr  # what etactl refuses by itself it says for people
                assert itself or lines and all(isinstance(json.loads(each), dict) for each in lines)
            except (AssertionError, ValueError):
                wrong.append(f"{page.name}:{line}: {command}\n    --json prints no object: {lines}")
            got = (done.stdout + done.stderr).partition("\n")[0]
            refused = shown.startswith("etactl: ")
            if (done.returncode == 0) == refused or form(got) != form(shown.partition("\n")[0]):
                wrong.append(f"{page.name}:{line}: {command}\n    {form(shown.partition(chr(10))[0])}\n    {form(got)}")
    assert not wrong, "\n".join(wrong)
    assert count > 25, f"only {count} examples were found in {page}"
    for command in ("backup",), ("page", "--export"):
        assert run(*command, "/nonexistent/file").returncode == 2, f"{command}: a file that can't be written, as etactl(1) says"


def test(world):
    prepare(world)
    (world.folder / "config" / "etad").mkdir(parents=True)
    (world.folder / "config" / "etad" / "rules.d").symlink_to(ROOT / "etc" / "rules.d")
    environment = {**os.environ, "ETAD_SOCKET": world.socket, "ETAD_PAGE_DIR": str(ROOT / "page"),
                   "XDG_CONFIG_HOME": str(world.folder / "config")}
    check_commands(world, ROOT / "docs" / "etactl.md", environment)
    count = sum(check_api(world, ROOT / "docs" / page, environment) for page in ("api.md", "api-operation.md"))
    assert count > 25, f"only {count} examples were found"


if __name__ == "__main__":
    main(test)
