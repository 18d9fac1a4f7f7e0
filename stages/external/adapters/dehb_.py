"""DEHB. Where there are no cheaper fidelities the package says to use its DE instead, and so does this."""

import queue
import tempfile
import threading

import spaces
from dehb import DE, DEHB
from line import WAIT, Start, serve


class Bands:
    """DEHB itself asks and tells."""

    def __init__(self, space, start: Start, folder: str):
        self.divisor = start.divisor
        self.optimiser = DEHB(
            cs=space,
            min_fidelity=1,
            max_fidelity=start.divisor,
            n_workers=1,
            seed=start.seed32,
            output_path=folder,
            save_freq="end",
        )
        self.jobs = []

    def ask(self):
        job = self.optimiser.ask()
        self.jobs.append(job)
        return dict(job["config"]), round(self.divisor / job["fidelity"])

    def tell(self, number, value, cost):
        loss = float("inf") if value is None else value
        self.optimiser.tell(self.jobs[number], {"fitness": loss, "cost": cost})


class Generations:
    """DE calls a function: it runs in a thread, which waits in that function for what is told."""

    def __init__(self, space, start: Start, folder: str):
        self.asked, self.told = queue.Queue(), queue.Queue()
        self.waiting = False
        self.optimiser = DE(
            cs=space,
            f=self.evaluate,
            dimensions=len(start.space),
            pop_size=20,
            mutation_factor=0.5,
            crossover_prob=0.5,
            strategy="rand1_bin",
            seed=start.seed32,
            output_path=folder,
        )
        self.generations = 1 + int(start.budget)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        # What goes wrong there is raised where it is asked.
        try:
            self.optimiser.run(generations=self.generations)
            self.asked.put(None)
        except Exception as error:
            self.asked.put(error)

    def evaluate(self, config, **_):
        self.asked.put(dict(config))
        return self.told.get()

    def ask(self):
        if self.waiting:
            return WAIT
        config = self.asked.get()
        if isinstance(config, Exception):
            raise config
        self.waiting = config is not None
        return config

    def tell(self, number, value, cost):
        self.waiting = False
        self.told.put({"fitness": float("inf") if value is None else value, "cost": cost})


class Dehb:
    package = "dehb"

    def __init__(self, start: Start):
        # It keeps files, which nobody reads.
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        kind = Bands if start.divisor > 1 else Generations
        self.optimiser = kind(spaces.space(start), start, self.folder.name)
        self.ask, self.tell = self.optimiser.ask, self.optimiser.tell


serve(Dehb)
