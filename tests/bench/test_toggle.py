"""Switching a collector on and off: which commands every JVM gets. Nothing is run."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from assay_test import ROOT
sys.path[:0] = [str(ROOT / "bench/workloads"), str(ROOT / "bench")]
from harness import toggle


class Session:
    def __init__(self, pid):
        self.pid, self.commands = pid, []

    def tool(self, *arguments):
        self.commands.append(arguments)


class Switch(unittest.TestCase):
    def test_every_jvm_gets_the_collector_with_its_defaults_and_then_the_tick(self):
        switch = toggle.Switch(("--collect", "contexts"), ("--tick", "4ms"))
        for pid in (7, 8):
            session = Session(pid)
            for on in (True, False, True):
                switch.set(session, on)
            where = ("attach", str(pid))
            self.assertEqual(session.commands, [(*where, "--collect", "contexts", "-o", "on.profile"), (*where, "--tick", "4ms"),
                                                (*where, "--tick", "1h"), (*where, "--tick", "4ms")])

    def test_without_options_it_is_attached_and_detached(self):
        switch, session = toggle.Switch(("--collect", "calls")), Session(9)
        switch.set(session, True)
        switch.set(session, False)
        self.assertEqual(session.commands, [("attach", "9", "--collect", "calls", "-o", "on.profile"), ("detach", "9")])

    def test_the_null_control_does_nothing(self):
        session = Session(9)
        toggle.Switch(None).set(session, True)
        self.assertEqual(session.commands, [])


if __name__ == "__main__":
    unittest.main()
