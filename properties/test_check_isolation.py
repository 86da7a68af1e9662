"""`distsampler check`: what a sampler does in its process costs what is judged there, and nothing else."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from distsampler.check.host import answer
from distsampler.check.isolation import Call, run_all
from distsampler.check.limits import Limits, Patience
from distsampler.check.request import Request

LIMITS = Limits(seconds=3, silent_seconds=1)
PATIENT = Limits(seconds=60, silent_seconds=30, bytes=2**30)


def answers(line, value):
    """Hand the argument over."""
    line.at("here")
    line.result(value)


def sleeps(line, _):
    """Wait for a minute."""
    line.at("asleep")
    time.sleep(60)


def naps(_line, _):
    """Be silent for a while."""
    time.sleep(0.5)


def spins(line, _):
    """Never end, at work."""
    line.at("spinning")
    while True:
        pass


def dawdles(line, _):
    """Report all the time, and take too long."""
    for step in range(1_000):
        line.at(step)
        time.sleep(0.02)


def floods(line, _):
    """Take all memory."""
    line.at("flooding")
    kept = []
    while True:
        kept.append(np.ones(2_000_000))


def kills_itself(line, _):
    """Die of a signal."""
    line.at("dying")
    os.kill(os.getpid(), signal.SIGKILL)


def exits(line, _):
    """End the process behind Python's back."""
    line.at("leaving")
    os._exit(3)


def raises_exit(line, _):
    """End as a program does, after a first result."""
    line.result("before")
    raise SystemExit(4)


def interrupts(_line, _):
    """End as if somebody had pressed a key."""
    raise KeyboardInterrupt


def prints(line, _):
    """Print far too much, in every way, and close the standard output."""
    print("first")  # noqa: T201
    for _ in range(100):
        print("x" * 10_000_000)  # noqa: T201
    subprocess.run([sys.executable, "-c", "print('y' * 5_000_000)"], check=True)
    sys.stdout.close()
    os.close(1)
    line.result("still here")


def reads(line, _):
    """Ask a question."""
    line.result(sys.stdin.read())


def forks_through(line, _):
    """Go on in two processes."""
    os.fork()
    line.result(1)


def leaves_child(_line, path):
    """Leave a process behind."""
    if os.fork() == 0:
        Path(path).write_text(str(os.getpid()))
        time.sleep(60)
    while not Path(path).exists():
        time.sleep(0.01)


def ended(function, argument=None, limits=PATIENT):
    """Return how a call ended."""
    (only,) = run_all([Call(function, argument, limits)], workers=1)
    return only


def test_answer_is_handed_over():
    """What a call reports comes back, with where it was last."""
    end = ended(answers, [1, 2])
    assert (end.status, end.results, end.at) == ("done", ([1, 2],), "here")


@pytest.mark.parametrize(
    ("function", "status", "reason", "at"),
    [
        (sleeps, "timeout", "has not ended after 1 s", "asleep"),
        (spins, "timeout", "has not ended after 1 s", "spinning"),
        (dawdles, "timeout", "is not through with all cases after 3 s", None),
        (floods, "error", "needs more than 1 GiB of memory", "flooding"),
        (kills_itself, "error", "died of SIGKILL", "dying"),
        (exits, "error", "ended itself, with exit code 3", "leaving"),
        (raises_exit, "error", "raises SystemExit: 4", None),
        (interrupts, "error", "raises KeyboardInterrupt", None),
    ],
)
def test_end_is_told(function, status, reason, at):
    """However a process ends, the reason says how, and where it was when it did."""
    end = ended(function, limits=LIMITS if status == "timeout" else PATIENT)
    assert (end.status, end.reason, end.at) == (status, reason, at)


def test_what_was_reported_before_the_end_stays_known():
    """A result that was handed over survives what comes after it."""
    assert ended(raises_exit).results == ("before",)


def test_prints_are_kept_apart_and_bounded(capfd):
    """A gigabyte of output, a child's output and a closed standard output leave only their beginning."""
    end = ended(prints)
    assert (end.status, end.results) == ("done", ("still here",))
    assert end.output.startswith("first\nxxx")
    assert len(end.output) < 5_000
    assert capfd.readouterr() == ("", "")


def test_there_is_nothing_to_read():
    """A sampler that asks a question gets no answer, instead of waiting for one."""
    assert ended(reads).results == ("",)


def test_copy_that_forked_through_says_nothing():
    """A process that a sampler forks does not go on with the check in its own name."""
    assert ended(forks_through).results == (1,)


def test_no_child_is_left(tmp_path):
    """What a process started ends with it."""
    end = ended(leaves_child, str(tmp_path / "pid"))
    assert end.status == "done"
    pid = int((tmp_path / "pid").read_text())
    wait_for(lambda: not psutil.pid_exists(pid) or not is_alive(psutil.Process(pid)))


def test_calls_share_the_time():
    """Two calls that only wait end together when two may run at a time."""
    start = time.monotonic()
    ends = list(run_all([Call(sleeps, None, LIMITS)] * 2, workers=2))
    assert [end.status for end in ends] == ["timeout"] * 2
    assert time.monotonic() - start < 2 * LIMITS.silent_seconds


def test_nobody_waits_for_ever_for_many():
    """Once the time for processes that do not end is lost, the rest are given up, and all are told."""
    calls = [Call(sleeps, None, LIMITS)] * 6 + [Call(answers, 1, LIMITS)]
    ends = list(run_all(calls, workers=2, lost_seconds=2))
    assert [end.status for end in ends] == ["timeout"] * len(calls)
    reasons = [end.reason for end in ends]
    assert "has not ended after 1 s" in reasons
    assert reasons[-1] == "was not waited for after 2 s lost to others"


def test_time_that_is_not_lost_is_not_counted():
    """Silent processes that end well cost none of the others their answer."""
    calls = [Call(function, 1, PATIENT) for function in (naps, naps, answers)]
    assert [end.status for end in run_all(calls, workers=2, lost_seconds=0.1)] == ["done"] * 3


SAMPLERS = """
import os, signal, sys, time
import torch
from torch.utils.data import DistributedSampler

class Good(DistributedSampler):
    pass

class HangsWhenEmpty(DistributedSampler):
    def __iter__(self):
        while len(self.dataset) == 0:
            time.sleep(1)
        return super().__iter__()

class DiesWithFive(DistributedSampler):
    def __iter__(self):
        if len(self.dataset) == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__iter__()

class LeavesInFourthPass(DistributedSampler):
    passes = 0
    def __iter__(self):
        self.passes += 1
        if self.passes > 3:
            os._exit(7)
        return super().__iter__()

class ExitsWhenPickled(DistributedSampler):
    def __reduce__(self):
        sys.exit("no copies")

class Prints(DistributedSampler):
    def __init__(self, *args, **more):
        print("x" * 10_000_000)
        super().__init__(*args, **more)

class Closes(DistributedSampler):
    def __iter__(self):
        sys.stdout.close()
        yield from super().__iter__()

class Forks(DistributedSampler):
    def __iter__(self):
        if os.fork() == 0:
            time.sleep(30)
        return super().__iter__()

class Yields(DistributedSampler):
    what = None
    def __iter__(self):
        return (self.what for _ in super().__iter__())

class YieldsTensors(DistributedSampler):
    def __iter__(self):
        return map(torch.tensor, super().__iter__())

class YieldsFloatTensors(DistributedSampler):
    def __iter__(self):
        return (torch.tensor(float(index)) for index in super().__iter__())

class YieldsText(Yields):
    what = "text"

class YieldsLists(Yields):
    what = [[1], 2]

def generated(dataset, num_replicas, rank):
    yield from range(rank, len(dataset), num_replicas)
"""


@pytest.fixture
def verdicts(tmp_path, monkeypatch):
    """Check a sampler of the module in this process, and return the rows by property."""
    path = tmp_path / f"hostile_of_{tmp_path.name}.py"
    path.write_text(SAMPLERS)
    monkeypatch.setattr("sys.path", sys.path.copy())
    monkeypatch.setattr("distsampler.check.host.PATIENCE", {"quick": Patience(Limits(60, 5), PATIENT, 60)})

    def check(name, *properties):
        request = Request(f"{path}:{name}", properties=properties, mode="quick")
        events = list(answer(request))
        assert events[0]["event"] == "started", events
        return {event["row"]["property"]: event["row"] for event in events if event["event"] == "row"}

    return check


PASSES = ("coverage", "disjointness", "no_crash", "order", "length")


@pytest.mark.parametrize(
    ("name", "verdict", "case", "reason"),
    [
        ("HangsWhenEmpty", "timeout", "length=0 num_replicas=1", "the process has not ended after 5 s"),
        ("DiesWithFive", "error", "length=5 num_replicas=1", "the process died of SIGKILL"),
    ],
)
def test_case_that_kills_costs_only_no_crash(verdicts, name, verdict, case, reason):
    """What else is judged from passes is judged from the other cases, and says so."""
    rows = verdicts(name, *PASSES)
    assert rows["no_crash"]["verdict"] == verdict
    assert rows["no_crash"]["counterexample"].startswith(case)
    assert rows["no_crash"]["reason"].startswith(reason)
    for other in set(PASSES) - {"no_crash"}:
        assert rows[other]["verdict"] == "pass", rows[other]
        assert "without length" in rows[other]["reason"]


def test_length_that_kills_is_left_out_of_all_else(verdicts):
    """What passes of that length cost is lost once, and not again in every other observation."""
    rows = verdicts("HangsWhenEmpty", "no_crash", "determinism", "rng_isolation", "uniformity")
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "no_crash": "timeout",
        "determinism": "pass",
        "rng_isolation": "pass",
        "uniformity": "pass",
    }
    assert rows["determinism"]["reason"] == "without length 0, see no_crash"
    assert rows["uniformity"]["reason"] == ""  # it has no empty case


def test_observation_that_kills_costs_what_is_judged_from_it(verdicts):
    """A process that ends in a fourth pass costs no property that is judged from fewer."""
    rows = verdicts("LeavesInFourthPass", "coverage", "no_crash", "determinism", "epoch_history")
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "coverage": "pass",
        "no_crash": "pass",
        "determinism": "error",
        "epoch_history": "error",
    }
    assert "ended itself, with exit code 7" in rows["determinism"]["reason"]


def test_property_that_kills_spares_its_neighbour(verdicts):
    """Of two properties that share observations, both are told what happened, and nothing else is lost."""
    rows = verdicts("ExitsWhenPickled", "picklable", "coverage")
    assert (rows["picklable"]["verdict"], rows["coverage"]["verdict"]) == ("error", "pass")
    assert "raises SystemExit: no copies" in rows["picklable"]["reason"]


@pytest.mark.parametrize("name", ["Good", "Prints", "Closes", "YieldsTensors"])
def test_odd_habits_do_not_change_a_verdict(verdicts, name):
    """A sampler may print, close the standard output and yield tensors, and still split a dataset right."""
    rows = verdicts(name, "coverage", "disjointness", "no_crash", "index_type")
    types = rows.pop("index_type")["verdict"]
    assert types == ("fail" if name == "YieldsTensors" else "pass")
    assert {row["verdict"] for row in rows.values()} == {"pass"}, rows


@pytest.mark.parametrize("name", ["Yields", "YieldsText", "YieldsLists", "YieldsFloatTensors"])
def test_what_is_no_index_is_told_as_such(verdicts, name):
    """None, text, lists and floating point tensors break index_type, and every property has a verdict."""
    rows = verdicts(name, *PASSES, "index_type", "minimal_padding", "bounds", "argument_validation")
    assert rows["index_type"]["verdict"] == "fail", rows["index_type"]
    assert all(row["reason"] for row in rows.values() if row["verdict"] not in ("pass", "n/a"))


def test_generator_function_is_judged_as_a_single_pass(verdicts):
    """What a function yields has no length and no epochs, and is spent when the second one begins."""
    rows = verdicts("generated", "coverage", "disjointness", "length", "reshuffle")
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "coverage": "fail",
        "disjointness": "pass",
        "length": "n/a",
        "reshuffle": "n/a",
    }
    assert rows["coverage"]["reason"].startswith("epoch 1: no rank draws [0]")


def test_sampler_that_forks_leaves_no_process(verdicts):
    """Children of a sampler that sleep on end with the check."""
    before = set(psutil.Process().children(recursive=True))
    rows = verdicts("Forks", "coverage")
    assert rows["coverage"]["verdict"] in ("pass", "error")
    family = psutil.Process().children(recursive=True)
    assert not [each for each in set(family) - before if each.status() != psutil.STATUS_ZOMBIE]


THREADED = """
import torch
from distsampler.check.host import answer
from distsampler.check.request import Request
torch.set_num_threads(2)
torch.rand(1_000, 1_000) @ torch.rand(1_000, 1_000)
torch.arange(1_000_000) * 2
request = Request("torch.utils.data:DistributedSampler", properties=("no_crash",), mode="quick")
print([event["row"]["verdict"] for event in answer(request) if event["event"] == "row"])
"""


def test_threads_of_torch_are_not_waited_for():
    """A process that was forked while torch had threads does not wait for those that it does not have."""
    command = [sys.executable, "-c", THREADED]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  (ours)
    assert done.stdout == "['pass']\n"


def test_processes_may_spawn_instead(monkeypatch):
    """Where processes cannot be forked they start afresh, and the verdicts are the same."""
    monkeypatch.setattr("distsampler.check.isolation.START_METHOD", "spawn")
    request = Request("torch.utils.data:DistributedSampler", properties=("argument_validation",))
    (row,) = [event["row"] for event in answer(request) if event["event"] == "row"]
    assert (row["verdict"], row["cases"]) == ("pass", 1)


def test_nothing_goes_on_when_the_command_is_killed(tmp_path):
    """When the command line ends in the middle of a check, so do all processes that it started."""
    path = tmp_path / "slow_to_end.py"
    path.write_text(SAMPLERS)
    command = [sys.executable, "-m", "distsampler", "check", f"{path}:HangsWhenEmpty"]
    with subprocess.Popen(command) as started:  # noqa: S603  (ours)
        family = wait_for(lambda: descendants_at_work(started.pid))
        started.kill()
    wait_for(lambda: not any(is_alive(member) for member in family))


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "command",
    [["distsampler", "check", "{path}:HangsWhenEmpty"], ["distsampler.matrix", "torch", "--out={path}"]],
)
def test_ctrl_c_is_no_verdict(command, tmp_path):
    """Ctrl-C ends a command with exit code 130, which no verdict has, and all that it started."""
    path = tmp_path / "slow_to_end.py"
    if "check" in command:
        path.write_text(SAMPLERS)
    arguments = [sys.executable, "-m", *(word.format(path=path) for word in command)]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as started:  # noqa: S603  (ours)
        family = wait_for(lambda: descendants_at_work(started.pid))
        started.send_signal(signal.SIGINT)
        _, errors = started.communicate()
    assert (started.returncode, errors.splitlines()[-1]) == (130, "Interrupted")
    wait_for(lambda: not any(is_alive(member) for member in family))


def descendants_at_work(pid):
    """Return all descendants of a process once the check has got to its second generation of them."""
    family = psutil.Process(pid).children(recursive=True)
    return family if len(family) > 2 else []


def is_alive(process):
    """Say whether a process still runs."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(condition):
    """Return what `condition` returns once that is true."""
    deadline = time.monotonic() + 60
    while not (value := condition()):
        assert time.monotonic() < deadline, "nothing of the kind has happened"
        time.sleep(0.05)
    return value
