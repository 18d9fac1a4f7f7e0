"""BOHB as published, with its brackets and its model; only its servers, which hand out work, are left out."""

import logging

import hpbandster.optimizers.bohb
import numpy
import spaces
from hpbandster.core.dispatcher import Job
from hpbandster.optimizers.config_generators.bohb import BOHB as Model
from hpbandster.optimizers.iterations import SuccessiveHalving
from line import WAIT, Start, serve

ETA = 3


class Bands(hpbandster.optimizers.bohb.BOHB):
    """Its brackets without its master: only the budgets and `get_next_iteration` are used."""

    def __init__(self, model: Model, divisor: int):
        self.config_generator = model
        self.eta, self.min_budget, self.max_budget = ETA, 1, divisor
        # As in the class's own constructor, which would start a server.
        self.max_SH_iter = -int(numpy.log(1 / divisor) / numpy.log(ETA)) + 1
        steps = numpy.linspace(self.max_SH_iter - 1, 0, self.max_SH_iter)
        self.budgets = divisor * numpy.power(ETA, -steps)


class Bohb:
    package = "hpbandster"

    def __init__(self, start: Start):
        logging.getLogger("hpbandster").setLevel(logging.ERROR)
        self.divisor = start.divisor
        self.model = Model(configspace=spaces.space(start))
        self.bands = Bands(self.model, start.divisor)
        self.iterations = []
        self.jobs = []

    def ask(self):
        for iteration in self.iterations:
            run = iteration.get_next_run()
            if run is not None:
                break
        else:
            # Of one evaluation at a time, as here, all are told when the next bracket begins.
            if any(not one.is_finished for one in self.iterations):
                return WAIT
            iteration = self.bands.get_next_iteration(len(self.iterations))
            self.iterations.append(iteration)
            run = iteration.get_next_run()
        number, config, budget = run
        self.jobs.append((iteration, Job(number, config=config, budget=budget)))
        return config, max(1, round(self.divisor / budget))

    def tell(self, number, value, cost):
        iteration, job = self.jobs[number]
        job.timestamps = {}
        job.result = None if value is None else {"loss": value, "info": {}}
        job.exception = "failed" if value is None else None
        iteration.register_result(job)
        self.model.new_result(job)


serve(Bohb)
