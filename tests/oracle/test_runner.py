# SPDX-License-Identifier: GPL-3.0-or-later
"""The runner sees what it must see: `python -m unittest test_runner` in this folder (a few seconds)."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Runner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def run_oracle(self, fault, *options):
        environment = {**os.environ, "FAKE_LANCET": fault}
        command = [sys.executable, HERE / "run_oracle.py", "--lancet", HERE / "fake_lancet.py",
                   "--corpus", self.folder.name, *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def one_graph(self, fault):
        return self.run_oracle(fault, "--topic", "gm_random", "--only", "random_001")

    def test_replayed_expectation_passes(self):
        done = self.one_graph("")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"total +1/0 +1/0 +1/0 +1/0 +1/0")

    def test_one_changed_byte_fails(self):
        for verb in ("graph", "code", "tabular", "info"):
            with self.subTest(verb):
                done = self.one_graph(f"{verb}:byte")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"FAIL {verb} gm_random/random_001", done.stdout)
                self.assertEqual(done.stdout.count("FAIL"), 1)

    def test_missing_newline_crash_and_silence_fail(self):
        for fault in ("graph:newline", "code:crash", "tabular:quiet", "info:quiet", "info:crash"):
            with self.subTest(fault):
                self.assertEqual(self.one_graph(fault).returncode, 1)

    def test_changed_conversion_fails(self):
        for verb in ("graph", "code"):
            with self.subTest(verb):
                done = self.one_graph(f"converted-{verb}:byte")
                self.assertIn("FAIL convert gm_random/random_001", done.stdout)

    def test_unloadable_file_needs_refusal_or_warning(self):
        options = ("--topic", "gm_operators", "--only", "operator_truth")
        self.assertEqual(self.run_oracle("", *options).returncode, 0)
        for fault in ("unloadable:quiet", "unloadable:crash"):
            with self.subTest(fault):
                done = self.run_oracle(fault, *options)
                self.assertEqual(done.returncode, 1)
                self.assertIn("FAIL unloadable gm_operators/operator_truth", done.stdout)

    def test_missing_program_is_refused(self):
        command = [sys.executable, HERE / "run_oracle.py", "--lancet", HERE / "no_such_program"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not exist", done.stderr)


if __name__ == "__main__":
    unittest.main()
