"""Writes gp_ei.json: Gaussian processes at given hyper-parameters by scikit-learn 1.9.1 and scipy 1.17.1.

Usage: gp_ei.py FILE
"""

import json
import math
import random
import sys

import numpy as np
import sklearn
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

AMPLITUDE, NOISE, MEAN, JITTER = 1.37, 0.02, 0.25, 1e-6


def case(n, d, seed):
    """A process on n points in d dimensions, and what it says at six others."""
    generator = random.Random(seed)
    point = lambda: [round(generator.random(), 4) for _ in range(d)]
    points = [point() for _ in range(n)]
    targets = [round(math.sin(5 * x[0]) + 0.5 * x[-1] ** 2, 4) for x in points]
    scales = [round(0.2 + 1.5 * generator.random(), 3) for _ in range(d)]
    kernel = ConstantKernel(AMPLITUDE, "fixed") * Matern(scales, length_scale_bounds="fixed", nu=2.5)
    gp = GaussianProcessRegressor(kernel, alpha=NOISE + AMPLITUDE * JITTER, optimizer=None)
    gp.fit(np.array(points), np.array(targets) - MEAN)
    at = [point() for _ in range(6)]
    means, deviations = gp.predict(np.array(at), return_std=True)
    means = means + MEAN
    z = (min(targets) - means) / deviations
    improvements = (min(targets) - means) * norm.cdf(z) + deviations * norm.pdf(z)
    likelihood = gp.log_marginal_likelihood() + 0.5 * n * math.log(2 * math.pi)
    return {
        "points": points, "targets": targets, "scales": scales, "amplitude": AMPLITUDE,
        "noise": NOISE, "mean": MEAN, "best": min(targets), "log_likelihood": float(likelihood),
        "at": at, "means": [float(v) for v in means],
        "variances": [float(v * v) for v in deviations],
        "improvements": [float(v) for v in improvements],
    }


def main():
    cases = [case(n, d, seed) for n, d, seed in [(5, 1, 1), (14, 3, 2), (40, 6, 3)]]
    description = (
        f"scikit-learn {sklearn.__version__} GaussianProcessRegressor without optimiser on targets"
        " less the mean: ConstantKernel(amplitude) * Matern(scales, nu=2.5), alpha = noise + 1e-6"
        " amplitude. variances are those of the noise-free function without its 1e-6 amplitude;"
        " improvements are (best-m) Phi(z) + s phi(z) with scipy.stats.norm at these means and"
        " deviations; log_likelihood is log_marginal_likelihood + n/2 ln 2 pi. Made by gp_ei.py."
    )
    with open(sys.argv[1], "w") as file:
        rows = ",\n".join(json.dumps(c) for c in cases)
        file.write('{"description":' + json.dumps(description) + ',\n"cases":[\n' + rows + "\n]}\n")


main()
