#!/usr/bin/env python3
"""Holds files to what a reader can take in.

No source or document is longer than 500 lines; nor is anything else in text but what is written to be looked
up, not read (DECLARED), and what was recorded. Documents are wrapped at 100 columns, but for tables, code and
addresses, which can't be broken: `files.py --wrap [FILE…]` wraps the paragraphs that are wider. Comments in code have
124 at most. Tests have one style of names, a file that docs/architecture.md or regression/README.md names is
there, and code is such as both compilers take.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_LINES, MOST_COLUMNS, MOST_OF_COMMENT = 500, 100, 124
RECORDED = ("tests/data/", "examples/", "tests/fuzz/corpus/")  # logs and the like: as they came
PICTURES = (".png",)
# One entry after the other, each looked up by its name: descriptions and rules.
DECLARED = ("daemon/service/openapi.json", "etc/rules.d/", "etc/grafana/")
MAPS = ("docs/architecture.md", "regression/README.md")  # documents that lead through the code by file names
NAMED_FILE = re.compile(r"`([\w./-]+\.(?:h|cpp|cmake|txt|md|json|py))`")
# What is to be written once, and where.
ONCE = {r"1099511628211|0x0*100000001b3": "parsers/base/hash.h"}
# The sanitizers' suites are built by clang 14, which cannot compile these of libstdc++ 12.
NOT_FOR_CLANG = re.compile(r"std::views::\w+|std::ranges::(?:\w+_view|subrange)")
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), *(\w+)\)", re.M)
CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*$")
WORD = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")  # code and links stay in one line
ITEM = re.compile(r"(\s*)([-*] |\d+\. )?")


def tracked(only):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    if listed.returncode:  # no checkout: a source package
        sys.exit(0)
    return [f for f in listed.stdout.split("\n") if f and not f.startswith(RECORDED) and not f.endswith(PICTURES)
            and (not only or f in only)]


def blocks(lines):
    """(is it prose, its lines) of a document, one after the other."""
    code, block = False, []
    for line in lines:
        fence = line.lstrip().startswith("```")
        prose = not (code or fence or not line.strip() or line.startswith(("    ", "#")) or line.lstrip()[:1] in "|<"
                     or line.startswith("["))
        begins = not prose or ITEM.match(line).group(2)
        if begins and block:
            yield True, block
            block = []
        if prose:
            block.append(line)
        else:
            yield False, [line]
        code ^= fence
    if block:
        yield True, block


def is_wide(line):
    return len(line) > MOST_COLUMNS and len(WORD.findall(line)) > 1


def wrapped(block):
    """The paragraph's words in lines as wide as may be."""
    indent, bullet = ITEM.match(block[0]).groups()
    words = WORD.findall(" ".join(line.strip() for line in block))
    out, line = [], indent
    for word in words:
        hang = indent + " " * len(bullet or "")
        if line.strip() and len(line) + 1 + len(word) > MOST_COLUMNS and not re.match(r"([-*+]|\d+\.|#+|>)$", word):
            out.append(line)
            line = hang
        line += word if not line.strip() else " " + word
    return out + [line]


def misnamed(name, text):
    """What a test's name is to be, for those in another style."""
    if not name.startswith("tests/") or not name.endswith(".cpp"):
        return
    for match in TEST.finditer(text):
        for word in match.groups():
            if not CAMEL.match(word):
                camel = "".join(part[:1].upper() + part[1:] for part in word.split("_"))
                yield f"{name}:{text[:match.start()].count(chr(10)) + 1}: {word}: tests are named like {camel}"


def repeated(name, text):
    """What is there twice of what is to be there once."""
    for pattern, home in ONCE.items():
        if name != home and name.endswith((".cpp", ".h")) and re.search(pattern, text, re.I):
            yield f"{name}: this is written once, in {home}: {re.search(pattern, text, re.I)[0]}"


def unportable(name, text):
    """What only one of the two compilers takes."""
    if name.endswith((".cpp", ".h")):
        for match in NOT_FOR_CLANG.finditer(text):
            yield f"{name}:{text[:match.start()].count(chr(10)) + 1}: clang 14 can't compile {match[0]}: write a loop"


def wide_comments(name, text):
    """Comments that the formatter leaves as they are, and that nobody has wrapped."""
    if not name.endswith((".cpp", ".h")):
        return
    for at, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("//") and len(line) > MOST_OF_COMMENT:
            yield f"{name}:{at}: a comment of {len(line)} columns; {MOST_OF_COMMENT} are the most"


def absent(name, text, files):
    """The files that a map of the code names and that are not there, by path or by the end of one."""
    if name not in MAPS:
        return
    for match in NAMED_FILE.finditer(text):
        if not any(f == match[1] or f.endswith("/" + match[1]) for f in files):
            yield f"{name}:{text[:match.start()].count(chr(10)) + 1}: there is no {match[1]}"


def main():
    wrap, wrong = "--wrap" in sys.argv[1:], 0
    files = tracked([])
    for name in tracked([arg for arg in sys.argv[1:] if arg != "--wrap"]):
        path = os.path.join(ROOT, name)
        if not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.split("\n")
        for complaint in [*misnamed(name, text), *repeated(name, text), *unportable(name, text),
                          *wide_comments(name, text), *absent(name, text, files)]:
            print(complaint)
            wrong += 1
        if len(lines) - 1 > MOST_LINES and not name.startswith(DECLARED):
            print(f"{name}: {len(lines) - 1} lines; {MOST_LINES} are as many as a reader takes in: split it")
            wrong += 1
        if not name.endswith(".md"):
            continue
        out, at = [], 0
        for prose, block in blocks(lines):
            wide = [i for i, line in enumerate(block) if prose and is_wide(line)]
            fixed = wrapped(block) if wide else block
            out += fixed
            if any(is_wide(line) for line in (fixed if wrap else block)) and wide:
                print(f"{name}:{at + wide[0] + 1}: wider than {MOST_COLUMNS} columns: files.py --wrap wraps it")
                wrong += 1
            at += len(block)
        if wrap and out != lines:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(out))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
