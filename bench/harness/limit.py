"""The time limit of a command: a deadline that stops work, whatever is being run.

One for the process; without `start` there is none. Every program is run by process.run or toggle, which ask here
before they start one and end one that goes on beyond. What was cut is not recorded, so a later run goes on there.
"""
import contextlib
import math
import sys
import time

# Seconds of a quick form: reading the last profile and printing fit into the rest of five minutes.
QUICK = 270


class Spent(Exception):
    """The time is up: nothing more may be started."""


class Limit:
    def __init__(self, clock=time.monotonic):
        self.clock, self.end, self.seconds, self.left_out, self.said = clock, math.inf, None, [], True

    def start(self, seconds):
        self.seconds, self.left_out, self.said = seconds, [], seconds is None
        self.end = math.inf if seconds is None else self.clock() + seconds

    def remaining(self):
        return self.end - self.clock()

    def check(self):
        """Raises Spent; says at the first program what the limit is."""
        if not self.said:
            self.said = True
            print(f"time limit {self.seconds:g} s: stops there and shows what it has", file=sys.stderr, flush=True)
        if self.remaining() <= 0:
            raise Spent

    @contextlib.contextmanager
    def share(self, parts):
        """Within it only this part of the time that is left."""
        end, seconds = self.end, self.seconds
        if end < math.inf:
            self.seconds = round(self.remaining() / parts)
            self.end = self.clock() + self.remaining() / parts
        try:
            yield
        finally:
            self.end, self.seconds = end, seconds

    def leave_out(self, what):
        if what not in self.left_out:
            self.left_out.append(what)

    def sentence(self):
        """What a table says about a limit that was met, or ""."""
        if not self.left_out:
            return ""
        return f"Stopped by the time limit of {self.seconds:g} s; not finished: {', '.join(self.left_out)}.\n\n"


LIMIT = Limit()
