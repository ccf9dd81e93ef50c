"""The JVM's own invocation counters, printed at exit by the diagnostic flag -XX:+PrintMethodData.

They are exact only while code keeps counting: the interpreter and C1's profiled code (tier 3) do, C2's does not. So
the program runs with -XX:TieredStopAtLevel=3. The JVM prints methods that got profile data (called some hundred
times); the counter has 31 bits. Call-site counts are printed too but begin with the profile data, after the first
calls, and are not used.
"""
import re

from harness import process

FLAGS = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData", "-XX:TieredStopAtLevel=3")
METHOD = re.compile(r"^-{20,}\n(?:.* )?(\S+)::(\S+?)\(.*\n(?:.*\n){0,3}?\s*invocation_counter:\s*(\d+)", re.MULTILINE)


def parse(text):
    """{Class::method: invocations}, overloads together."""
    counts = {}
    for owner, name, count in METHOD.findall(text):
        key = f"{owner.replace('/', '.')}::{name}"
        counts[key] = counts.get(key, 0) + int(count)
    return counts


def count(java_command):
    java, *rest = java_command
    done = process.capture([java, *FLAGS, *rest])
    done.check_returncode()
    return parse(done.stdout)
