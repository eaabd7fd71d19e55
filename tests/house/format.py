#!/usr/bin/env python3
"""Holds the sources to .clang-format, where Debian 12's clang-format is installed: another version breaks lines
elsewhere. `format.py --write` formats them. Exit status 77: not installed, or no checkout."""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VERSION = "14"


def program():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        found = shutil.which(name)
        if found:
            said = subprocess.run([found, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", said):
                return found
    return None


def main():
    formatter = program()
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.h", "*.cpp"], capture_output=True, text=True)
    if not formatter or listed.returncode:
        print(f"format.py: no clang-format {VERSION}" if not formatter else "format.py: no checkout")
        return 77
    files = listed.stdout.split()
    if sys.argv[1:] == ["--write"]:
        return subprocess.run([formatter, "-i"] + files, cwd=ROOT).returncode
    done = subprocess.run([formatter, "--dry-run"] + files, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    wrong = sorted(set(re.findall(r"^([^:\n]+):\d+:\d+: warning: code should be", done.stderr, re.M)))
    for file in wrong:
        print(f"{file}: not as .clang-format would have it: tests/house/format.py --write mends it")
    return 1 if wrong or done.returncode else 0


sys.exit(main())
