"""Cycles of a self-tuning network's training: PyTorch on the CPU against ours.

Usage: tuned.py NAME GOAL PAIRS OURS lstm UNITS WORDS BATCH STRETCH CYCLES
       tuned.py NAME GOAL PAIRS OURS cnn SIDE NARROWER BATCH CYCLES

OURS is the program of stages/nets/examples/hyper_step.rs. Both sides take turns, with one thread, on random
data: five epochs of CYCLES cycles (two training batches and one validation batch), of which the first is
not counted. Theirs is the paper's method written plainly; the CNN's leaves the changes of images out,
which ours makes. Ends in a ratio line, and says what tuning costs over a plain network of ours.
"""

import json
import math
import statistics
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

EPOCHS = 5


class HyperLinear(nn.Module):
    """A linear layer or a convolution whose weights respond to n hyper-parameters."""

    def __init__(self, n, shape, stride=1):
        super().__init__()
        most = 1 / math.sqrt(math.prod(shape[1:]))
        uniform = lambda *s: nn.Parameter(torch.empty(*s).uniform_(-most, most))
        self.elem, self.hyper = uniform(*shape), uniform(*shape)
        self.elem_bias, self.hyper_bias = uniform(shape[0]), uniform(shape[0])
        self.scales = nn.Linear(n, 2 * shape[0], bias=False)
        nn.init.normal_(self.scales.weight, std=0.01)
        self.stride = stride

    def run(self, x, weight, bias=None):
        if weight.dim() == 2:
            return F.linear(x, weight, bias)
        return F.conv2d(x, weight, bias, padding=1, stride=self.stride)

    def forward(self, x, lam, mask=None):
        elem, hyper = self.elem, self.hyper
        if mask is not None:
            elem, hyper = elem * mask, hyper * mask
        scale, shift = self.scales(lam).chunk(2, 1)
        shift = shift * self.hyper_bias
        if elem.dim() == 4:
            scale, shift = scale[:, :, None, None], shift[:, :, None, None]
        return self.run(x, elem, self.elem_bias) + (scale * self.run(x, hyper) + shift)


def dropped(x, rates, shape):
    keep = (1 - rates).view(-1, *[1] * (len(shape) - 1)).expand(shape)
    return x * (torch.bernoulli(keep) / keep)


class Lstm(nn.Module):
    def __init__(self, n, units, words):
        super().__init__()
        self.units = units
        self.elem, self.hyper = nn.Embedding(words, units), nn.Embedding(words, units)
        self.scales = nn.Linear(n, units, bias=False)
        self.layers = nn.ModuleList(
            nn.ModuleList([HyperLinear(n, (4 * units, units)) for _ in range(2)]) for _ in range(2)
        )
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, words, lam, values, memory):
        factor = None
        elem, hyper = self.elem.weight, self.hyper.weight
        if self.training:
            keep = 1 - values[0, 3]
            factor = torch.bernoulli(keep.expand(len(elem), 1)) / keep
            elem, hyper = elem * factor, hyper * factor
        x = F.embedding(words, elem) + self.scales(lam) * F.embedding(words, hyper)
        lock = lambda x, i: dropped(x, values[:, i], x.shape[1:]) if self.training else x
        x = lock(x, 0)
        for l, (given, recurrent) in enumerate(self.layers):
            mask = None
            if self.training:
                keep = 1 - values[0, 4]
                mask = torch.bernoulli(keep.expand(recurrent.elem.shape)) / keep
            elem, hyper = recurrent.elem, recurrent.hyper
            if mask is not None:
                elem, hyper = elem * mask, hyper * mask
            scale, shift = recurrent.scales(lam).chunk(2, 1)
            shift = shift * recurrent.hyper_bias + recurrent.elem_bias
            h, c = memory[l]
            outputs = []
            for t in range(len(x)):
                sums = given(x[t], lam) + F.linear(h, elem) + scale * F.linear(h, hyper) + shift
                f, i, o = torch.sigmoid(sums[:, : 3 * self.units]).chunk(3, 1)
                c = f * c + i * torch.tanh(sums[:, 3 * self.units :])
                h = o * torch.tanh(c)
                outputs.append(h)
            memory[l] = (h.detach(), c.detach())
            raw = torch.stack(outputs)
            x = lock(raw, 2 if l else 1)
        penalty = values[0, 5].item() * x.pow(2).mean()
        penalty = penalty + values[0, 6].item() * (raw[1:] - raw[:-1]).pow(2).mean()
        return F.linear(x.flatten(0, 1), self.elem.weight, self.bias), penalty


class Cnn(nn.Module):
    def __init__(self, n, side, narrower):
        super().__init__()
        widths = [3] + [w // narrower for w in (64, 192, 384, 256, 256)]
        hidden = 4096 // narrower
        self.convolutions = nn.ModuleList(
            HyperLinear(n, (b, a, 3, 3), 1 if i else 2)
            for i, (a, b) in enumerate(zip(widths, widths[1:]))
        )
        flat = widths[-1] * (side // 16) ** 2
        self.dense = nn.ModuleList(
            HyperLinear(n, s) for s in ((hidden, flat), (hidden, hidden), (10, hidden))
        )

    def forward(self, x, lam, values):
        for i, layer in enumerate(self.convolutions):
            x = F.relu(layer(x, lam))
            if i in (0, 1, 4):
                x = F.max_pool2d(x, 2)
            if self.training:
                x = dropped(x, values[:, i], (*x.shape[:2], 1, 1))
        x = x.flatten(1)
        for i, layer in enumerate(self.dense):
            if i < 2 and self.training:
                x = dropped(x, values[:, 13 + i], x.shape)
            x = layer(x, lam)
            x = F.relu(x) if i < 2 else x
        return x


class Tuned:
    """Hyper-parameters in (0, 1/2) by a sigmoid, with a perturbation."""

    def __init__(self, n, learned):
        self.at = torch.full((n,), math.log(0.05 / 0.45), requires_grad=True)
        self.raw = torch.full((n,), 0.5413 if not learned else -0.4328, requires_grad=True)
        self.learned = learned
        tuned = [self.at, self.raw] if learned else [self.at]
        self.adam = torch.optim.Adam(tuned, lr=0.003)

    def draw(self, batch, perturb):
        lam = self.at.expand(batch, -1)
        if perturb:
            lam = lam + F.softplus(self.raw) * torch.randn(batch, len(self.at))
        return lam, 0.5 * torch.sigmoid(lam.detach())

    def step(self, loss):
        if self.learned:
            loss = loss - 1e-3 * torch.log(F.softplus(self.raw)).sum()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()


def measured(cycles, train, tune, evaluate):
    found = []
    for epoch in range(EPOCHS):
        start = time.process_time()
        for _ in range(cycles):
            train(), train(), tune()
        evaluate()
        if epoch > 0:
            found.append((time.process_time() - start) / cycles)
    return statistics.median(found)


def lstm(units, words, batch, stretch, cycles):
    model, tuned = Lstm(7, units, words), Tuned(7, learned=False)
    descent = torch.optim.SGD(model.parameters(), lr=1.0)
    text = torch.randint(0, words, (stretch * 2 * cycles + 1, batch))
    state = {"at": 0}
    blank = lambda: [(torch.zeros(batch, units), torch.zeros(batch, units)) for _ in range(2)]
    memory, valid_memory = blank(), blank()

    def loss(at, perturb, memory):
        x, y = text[at : at + stretch], text[at + 1 : at + 1 + stretch].flatten()
        lam, values = tuned.draw(batch, perturb)
        logits, penalty = model(x, lam, values, memory)
        return F.cross_entropy(logits, y) + penalty

    def train():
        model.train()
        descent.zero_grad()
        loss(state["at"], True, memory).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        descent.step()
        state["at"] = (state["at"] + stretch) % (stretch * 2 * cycles)

    def tune():
        model.eval()
        tuned.step(loss(0, False, valid_memory))

    def evaluate():
        model.eval()
        with torch.no_grad():
            loss(0, False, blank()), loss(0, False, blank())

    return measured(cycles, train, tune, evaluate)


def cnn(side, narrower, batch, cycles):
    model, tuned = Cnn(15, side, narrower), Tuned(15, learned=True)
    descent = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    images, labels = torch.randn(2 * cycles * batch, 3, side, side), torch.arange(2 * cycles * batch) % 10

    def loss(perturb=True):
        rows = torch.randint(0, len(images), (batch,))
        lam, values = tuned.draw(batch, perturb)
        return F.cross_entropy(model(images[rows], lam, values), labels[rows])

    def train():
        model.train()
        descent.zero_grad()
        loss().backward()
        descent.step()

    def tune():
        model.eval()
        tuned.step(loss())

    def evaluate():
        model.eval()
        with torch.no_grad():
            loss(False), loss(False)

    return measured(cycles, train, tune, evaluate)


def main():
    name, goal, pairs, program, kind = *sys.argv[1:3], int(sys.argv[3]), *sys.argv[4:6]
    sizes = sys.argv[6:]
    torch.set_num_threads(1)
    torch.manual_seed(1)

    def own(how):
        out = subprocess.run([program, kind, how, *sizes], check=True, capture_output=True, text=True)
        return statistics.median(json.loads(out.stdout)["cpu"])

    ours, plain, theirs = [], [], []
    for _ in range(pairs):
        ours.append(own("tuned"))
        theirs.append({"lstm": lstm, "cnn": cnn}[kind](*map(int, sizes)))
        plain.append(own("plain"))
    print(f"{name}: {kind} {' '.join(sizes)}, {pairs} pairs")
    for who, times in (("ours", ours), ("torch, 1 thread", theirs), ("ours, plain", plain)):
        print(f"  {who:18} {1e3 * statistics.median(times):8.1f} ms of CPU a cycle")
    print(f"  tuning costs {statistics.median(o / p for o, p in zip(ours, plain)):.2f} times a plain network")
    ratio = statistics.median(t / o for t, o in zip(theirs, ours))
    print(f"ratio {name} {ratio:.2f} goal {goal}")


main()
