"""Hyper-parameter tuners by ask and tell: the same trials at any number of workers.

>>> from retune_tuners import Float, Int, Study
>>> study = Study({"rate": Float(1e-5, 1.0, log=True), "layers": Int(1, 8)}, "tpe", seed=1)
>>> study.optimize(lambda trial: (trial["layers"] - 3) ** 2 + abs(trial["rate"] - 0.01), 40)
>>> study.best.value < 1.0
True
"""

from importlib.metadata import version as _version

from .native import StudyError
from .space import Categorical, Float, Int, When, from_configspace
from .study import Finished, Study, Trial, TrialPruned, methods

__version__ = _version("retune-tuners")

__all__ = [
    "Categorical",
    "Finished",
    "Float",
    "Int",
    "Study",
    "StudyError",
    "Trial",
    "TrialPruned",
    "When",
    "from_configspace",
    "methods",
]
