"""What a suggestion costs after so many trials: the wheel of the tuners against other packages.

Usage: suggest.py tiny|full GROWTH [METHOD…], where GROWTH is the example `tuner_growth`. CPU time of asking and telling
per suggestion after TRIALS random trials of a sum of squares in DIMENSIONS numbers: the median of a few, with SMAC3 the mean (it fits its forest at every eighth). Each line is
`ratio NAME VALUE goal GOAL`, where VALUE is the peer's time over ours. A peer that has not made its suggestions after
LIMIT seconds of wall-clock time is stopped: what it has taken by then is a lower bound, and the line ends in `at least`.
A peer that needs more than half of the machine's memory has no line.
Peers that are not installed are said and left out.
"""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from retune_tuners import Float, Study

FULL = sys.argv[1] == "full"
DIMENSIONS = (5, 20, 40) if FULL else (5,)
TRIALS = (100, 1000, 10000) if FULL else (15,)
# Seconds of one peer's suggestions at one size, and of telling it the random trials.
LIMIT, LIMIT_OF_TELLING = 30, 240
# Bytes of one peer: beyond the machine's memory the kernel would end whichever program it chooses.
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
# What is said where memory runs out: Python and numpy, torch, C++, Rust.
OUT_OF_MEMORY = ("MemoryError", "allocate memory", "bad_alloc", "memory allocation of")
PEER = pathlib.Path(__file__).with_name("peer_model.py")
OTHERS = pathlib.Path(__file__).resolve().parents[3] / ".tools/optimisers"
# Method: our tuner and its setting of how many trials at first are random (one has none), suggestions, how they are
# summed up, and the peers with their environments and goals.
METHODS = {
    "tpe": ("tpe", "startup", 11, statistics.median, [("rustuna-tpe", None, 1.0), ("optuna-tpe", None, 10)]),
    "gp": ("directed", "starts", 3, statistics.median, [("egobox", None, 1.5), ("optuna-gp", "optuna", 10)]),
    "smac": ("smac-like", "starts", 16, statistics.mean, [("smac3", "smac", 1.0)]),
    "hebo": ("hebo-like", None, 3, statistics.median, [("hebo", "hebo", 1.0)]),
}


def loss(values):
    """A sum of squares."""
    return float(sum((v - 0.3) ** 2 for v in values))


def ours(kind, startup, dimensions, trials, repeats):
    """CPU seconds of suggestions of this library's tuner. One without a setting would suggest all trials: of it the example
    is measured, which tells it random ones."""
    if not startup:
        command = [sys.argv[2], str(dimensions), str(trials)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | {"TUNERS": kind})
        return [float(said.stdout.split()[-1]) / 1e3]
    settings = {"kind": kind, startup: trials}
    space = {f"x{i}": Float(0.0, 1.0) for i in range(dimensions)}
    study = Study(space, settings, seed=1, round_size=None)
    taken = []
    for _ in range(trials + repeats):
        start = time.process_time()
        trial = study.ask()
        study.tell(trial, loss(trial.params.values()))
        taken.append(time.process_time() - start)
    return taken[trials:]


def theirs(peer, environment, dimensions, trials, repeats):
    """CPU seconds of suggestions of a peer, and whether it made all of them; `None` if it is not installed."""
    python = OTHERS / environment / "bin/python" if environment else pathlib.Path(sys.executable)
    if not python.exists():
        print(f"not measured: {peer} (make optimisers OPTIMISERS={environment})")
        return None
    command = [python, PEER, peer, *map(str, (dimensions, trials, repeats, MEMORY))]
    # One that is stopped leaves its files behind: they lie in a folder that is removed.
    with contextlib.ExitStack() as kept:
        errors = kept.enter_context(tempfile.TemporaryFile("w+"))
        folder = kept.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        places = {"stdout": subprocess.PIPE, "stderr": errors, "env": os.environ | {"TMPDIR": folder}}
        process = kept.enter_context(subprocess.Popen(command, text=True, **places))
        watch = threading.Timer(LIMIT_OF_TELLING, process.kill)
        watch.start()
        begun = process.stdout.readline().strip() == "begin"
        watch.cancel()
        start = time.monotonic()
        watch = threading.Timer(LIMIT, process.kill)
        watch.start()
        taken = [float(line) for line in process.stdout]
        passed = time.monotonic() - start
        watch.cancel()
        process.wait()
        errors.seek(0)
        said = errors.read().strip().splitlines()
    if process.returncode == 77:
        print(f"not measured: {peer} ({said[-1]})")
        return None
    if process.returncode != 0 and any(word in line for line in said for word in OUT_OF_MEMORY):
        print(f"not measured: {peer} needs more than {MEMORY / 2**30:.0f} GiB of memory for {trials} trials")
        return None
    if not begun:
        print(f"not measured: {peer} was not told {trials} trials within {LIMIT_OF_TELLING} s")
        return None
    if len(taken) == repeats:
        return taken, True
    if passed < LIMIT:
        raise RuntimeError(f"{peer} ended with {process.returncode}: {said}")
    return [*taken, passed - sum(taken)], False


def main():
    """All methods, sizes and peers."""
    lines = []
    for method in sys.argv[3:] or METHODS:
        kind, startup, repeats, summary, peers = METHODS[method]
        repeats = repeats if FULL else 1
        for dimensions in DIMENSIONS:
            for trials in TRIALS:
                own = summary(ours(kind, startup, dimensions, trials, repeats))
                print(f"{method} {dimensions} dimensions {trials} trials: ours {own * 1e3:.3f} ms", flush=True)
                for peer, environment, goal in peers:
                    measured = theirs(peer, environment, dimensions, trials, repeats)
                    if measured is None:
                        continue
                    taken, whole = measured
                    said = "" if whole else "at least "
                    # One that was stopped has taken no less, however long the suggestions left would have been.
                    cost = summary(taken) if whole else sum(taken) / len(taken)
                    print(f"    {peer} {said}{cost * 1e3:.3f} ms", flush=True)
                    label = f"tuners-{method}-{peer}-d{dimensions}-n{trials}"
                    bound = "" if whole else " at least"
                    lines.append(f"ratio {label} {cost / max(own, 1e-9):.2f} goal {goal}{bound}")
    if not lines:
        sys.exit(77)
    print("\n".join(lines))


main()
