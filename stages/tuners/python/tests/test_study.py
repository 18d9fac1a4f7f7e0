"""Studies from Python: what a user does, and what a user does wrong."""

import math
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from importlib import metadata

import pytest

import retune_tuners
from retune_tuners import Categorical, Float, Int, Study, StudyError, TrialPruned, When, methods

SPACE = {"rate": Float(1e-4, 1.0, log=True), "layers": Int(1, 40), "kind": ["a", "b", "c"], "one": Int(7, 7)}


def loss(trial):
    """A bowl with its minimum at rate 0.01, 13 layers of kind b."""
    distance = (math.log10(trial["rate"]) + 2) ** 2 + ((trial["layers"] - 13) / 20) ** 2
    return distance + (trial["kind"] != "b")


def test_the_version_is_that_of_the_installed_package():
    assert retune_tuners.__version__ == metadata.version("retune-tuners")
    assert re.fullmatch(r"\d+\.\d+\.\d+", retune_tuners.__version__)


def test_optimize_finds_the_bottom():
    study = Study(SPACE, {"kind": "tpe", "startup": 8}, seed=1)
    study.optimize(loss, 80)
    assert len(study.trials) == 80
    assert study.best.value < 0.3
    assert study.best.params["kind"] == "b" and study.best.params["one"] == 7
    assert study.best.value == min(t.value for t in study.trials)


def test_parameters_that_do_not_matter_are_not_there(tmp_path):
    space = {"learner": ["forest", "network"], "layers": Int(1, 3), "width": Float(1.0, 100.0, log=True)}
    conditions = [When("layers", "learner", ["network"]), When("width", "layers", [2, 3])]

    def loss(trial):
        assert ("layers" in trial.params) == (trial["learner"] == "network")
        assert ("width" in trial.params) == (trial.params.get("layers", 1) > 1)
        return abs(math.log10(trial.params.get("width", 1e4)) - 1)

    for method in ["tpe", "smac-like", "dehb", {"kind": "prior-band", "belief": [1, 2, 10.0]}]:
        path = tmp_path / str(len(str(method)))
        study = Study(space, method, conditions=conditions, seed=1, path=path, max_resource=9)
        study.optimize(loss, 60)
        assert study.best.params["learner"] == "network" and study.best.value < 0.5
        assert len({tuple(trial.params) for trial in study.trials}) == 3
        again = pickle.loads(pickle.dumps(study))
        assert again.trials == study.trials
    for wrong, words in [
        (When("depth", "learner", ["network"]), "not in the space"),
        (When("layers", "learner", ["tree"]), "is never 'tree'"),
        (When("layers", "width", [2]), "has to be choices"),
        (When("width", "layers", [2.5]), "is never 2.5"),
        (When("learner", "layers", [2]), "stands before"),
    ]:
        with pytest.raises(ValueError, match=words):
            Study(space, conditions=[wrong])


def test_every_method_searches():
    for name in methods():
        study = Study(SPACE, name, seed=2)
        study.optimize(lambda trial: float(trial.id), 4)
        assert len(study.trials) >= 4, name


@pytest.mark.parametrize("method", ["tpe", "hyperband", "cma-es"])
def test_any_workers_and_any_order_give_the_same_trials(method):
    def params(workers):
        study = Study(SPACE, method, seed=3, round_size=4)
        study.optimize(loss, 30, workers=workers)
        return [(t.params, t.resource) for t in study.trials[:30]]

    expected = params(1)
    assert params(4) == expected
    study, out, order = Study(SPACE, method, seed=3, round_size=4), [], random.Random(1)
    while len(study.trials) < 30 or out:
        trial = study.ask(30)
        if trial is not None:
            out.append(trial)
        elif not out:
            break
        if out and (trial is None or order.random() < 0.4):
            one = out.pop(order.randrange(len(out)))
            study.tell(one, loss(one))
    assert [(t.params, t.resource) for t in study.trials[:30]] == expected


def test_fidelities_are_reports_and_pruning():
    seen = []

    def train(trial):
        for epoch in range(1, 28):
            trial.report(loss(trial) + 1 / epoch, epoch)
            if trial.should_prune():
                break
        seen.append((trial.id, epoch, trial.resource, trial.continues))
        return trial.last

    study = Study(SPACE, "hyperband", min_resource=1, max_resource=27, eta=3)
    study.optimize(train, 60)
    assert {epochs for _, epochs, _, _ in seen} == {1, 3, 9, 27}
    assert all(epochs == resource for _, epochs, resource, _ in seen)
    for number, _, resource, continues in seen:
        if continues is not None:
            before = study.trials[continues]
            assert before.params == study.trials[number].params and before.resource < resource
    assert any(continues is not None for _, _, _, continues in seen)

    def raises(trial):
        trial.report(1.5, 1)
        raise TrialPruned

    study = Study(SPACE, "random")
    study.optimize(raises, 2)
    assert [t.value for t in study.trials] == [1.5, 1.5]


def test_mistakes_are_errors_with_a_remedy():
    study = Study(SPACE, "random")
    trial = study.ask()
    for wrong in (99, -1, 2**70):
        with pytest.raises(StudyError, match="never handed out"):
            study.tell(wrong, 1.0)
    study.tell(trial, float("nan"))
    with pytest.raises(StudyError, match="told already"):
        study.tell(trial, 1.0)
    assert study.trials[0].state == "failed" and study.best is None
    with pytest.raises(ValueError, match="could not convert"):
        study.tell(0, "low")
    with pytest.raises(ValueError, match="there are: random"):
        Study(SPACE, "magic")
    with pytest.raises(ValueError, match="no such setting"):
        Study(SPACE, {"kind": "tpe", "start": 3})
    with pytest.raises(ValueError, match="low < high"):
        Study({"x": Float(1.0, 0.0)}, "random")
    with pytest.raises(ValueError, match="low > 0"):
        Study({"x": Float(0.0, 1.0, log=True)}, "random")
    with pytest.raises(ValueError, match="at least one"):
        Study({}, "random")
    with pytest.raises(TypeError):
        Study({"x": 3}, "random")
    with pytest.raises(ValueError, match="size = 0"):
        Study(SPACE, "random", round_size=0)
    with pytest.raises(OSError, match="cannot open"):
        Study(SPACE, "random", path="/nowhere/at/all")


def test_any_calls_are_survived():
    """Random calls with random values: an error or an answer."""
    cases = int(os.environ.get("PROPTEST_CASES", "300"))
    chance = random.Random(4)
    values = [0.0, -0.0, 1.5, -1e308, 1e-320, math.inf, -math.inf, math.nan, None]
    for _ in range(cases):
        names = chance.choice(["random", "tpe", "hyperband", "cma-es", "dehb", "smac-like"])
        study = Study(SPACE, names, seed=chance.randrange(2**63), round_size=chance.choice([None, 1, 3]))
        told = set()
        for _ in range(chance.randrange(30)):
            call, id = chance.randrange(4), chance.randrange(12)
            if call < 2:
                study.ask()
            try:
                if call == 2:
                    study.tell(id, chance.choice(values), cost=chance.choice([None, 0.0, 3.0]))
                    assert id not in told
                    told.add(id)
                if call == 3:
                    study.give_back(id)
            except StudyError as error:
                assert "trial" in str(error)
        assert sum(t.state in ("complete", "failed") for t in study.trials) == len(told)


def test_pickled_studies_go_on_the_same(tmp_path):
    for path in (None, tmp_path / "study"):
        study = Study(SPACE, "tpe", seed=5, round_size=4, path=path)
        study.optimize(loss, 20)
        copy = pickle.loads(pickle.dumps(study))
        assert copy.trials == study.trials
        if path is None:
            assert copy.ask() == study.ask()
        else:
            # The same file: what one asks, the other does not.
            assert (copy.ask().id, study.ask().id) == (20, 21)
    trial = study.ask()
    assert pickle.loads(pickle.dumps(trial)) == trial


def test_an_interrupt_gives_trials_back():
    def interrupted(trial):
        if trial.id == 3:
            raise KeyboardInterrupt
        return 1.0

    for workers in (1, 2):
        study = Study(SPACE, "random", round_size=4)
        with pytest.raises(KeyboardInterrupt):
            study.optimize(interrupted, 10, workers=workers)
        assert study.pending == []
        study.optimize(lambda trial: 2.0, 10)
        assert len([t for t in study.trials[:10] if t.state == "complete"]) == 10


def test_a_real_interrupt_ends_a_program(tmp_path):
    program = """
        from retune_tuners import Float, Study
        import signal, sys, time
        # A shell's job in the background is started with interrupts ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        study = Study({"x": Float(0, 1)}, "random", path=sys.argv[1])
        def loss(trial):
            print(trial.id, flush=True)
            time.sleep(30 if trial.id == 2 else 0)
            return trial["x"]
        study.optimize(loss, 5)
    """
    path = str(tmp_path / "study")
    command = [sys.executable, "-c", textwrap.dedent(program), path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.stdout.readline().strip() != "2":
            pass
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=20)[1]
    study = Study({"x": Float(0, 1)}, "random", path=path)
    assert [t.state for t in study.trials] == ["complete", "complete", "ready"]


def test_others_run_while_a_suggestion_is_made():
    """The lock of the interpreter is free meanwhile."""
    space = {f"x{i}": Float(0, 1) for i in range(20)}
    study = Study(space, "gp-ei", seed=1)
    ticks, stop = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        took, during = 0.0, 0
        # Suggestions take longer the more there is to learn from.
        while took < 0.1:
            before, started = ticks, time.monotonic()
            trial = study.ask()
            took, during = time.monotonic() - started, ticks - before
            study.tell(trial, sum(trial.params.values()))
    finally:
        stop.set()
        thread.join()
    assert during > 5


def test_two_processes_share_a_file(tmp_path):
    program = """
        from retune_tuners import Float, Study
        import sys
        study = Study({"x": Float(0, 1), "y": Float(0, 1)}, "tpe", seed=6, round_size=4, path=sys.argv[1])
        study.optimize(lambda trial: trial["x"] + trial["y"], 40)
    """
    path = str(tmp_path / "study")
    command = [sys.executable, "-c", textwrap.dedent(program), path]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    space = {"x": Float(0, 1), "y": Float(0, 1)}
    shared = Study(space, "tpe", seed=6, round_size=4, path=path)
    alone = Study(space, "tpe", seed=6, round_size=4)
    alone.optimize(lambda trial: trial["x"] + trial["y"], 40)
    assert shared.trials == alone.trials
    with pytest.raises(StudyError, match="another space, method or settings"):
        Study(space, "tpe", seed=7, round_size=4, path=path)


def test_values_of_a_thousand_parameters():
    study = Study({f"x{i}": Float(0, 1) for i in range(1000)}, "tpe")
    study.optimize(lambda trial: sum(trial.params.values()), 12)
    assert len(study.best.params) == 1000


def test_a_space_without_a_choice_has_trials():
    study = Study({"x": Categorical(["only"])}, "random")
    study.optimize(lambda trial: 1.0, 3)
    assert [t.params for t in study.trials] == [{"x": "only"}] * 3
