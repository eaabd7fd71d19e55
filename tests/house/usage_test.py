#!/usr/bin/env python3
"""Each script says with --help what it is for, and does nothing else."""
import pathlib
import subprocess
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
NEED_A_BROWSER = {"page-test"}  # imports selenium before it reads its arguments


class Usage(unittest.TestCase):
    def test_help_shows_what_stands_at_the_scripts_head(self):
        for script in sorted(SCRIPTS.iterdir()):
            if script.suffix == ".bash" or script.name in NEED_A_BROWSER:
                continue
            with self.subTest(script.name):
                text = script.read_text().split("\n")
                about = text[1].strip('#" ')
                asked = subprocess.run([script, "--help"], check=True, capture_output=True, text=True, timeout=120)
                self.assertIn(" ".join(about.split()[:5]), asked.stdout)
                self.assertEqual(asked.stderr, "")


if __name__ == "__main__":
    unittest.main()
