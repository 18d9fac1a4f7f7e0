"""Makes residual.json: residual networks in PyTorch 2.11.0 in double precision, for some choices of
the options in Table 2 of the Harmonica paper.

Usage: python residual.py > residual.json. Written for PyTorch's own layers and optimisers, with no
view of the Rust code but its names of options. Parameters are counted from 0 in the order stem,
blocks (first convolution, second, projection), last layer, links; within a convolution weight, bias,
scale, offset. Value i of parameter k is start + 0.25 sin(1 + 0.7 k + 1.3 i), where start is 1 for
scales, 0.5 for links, else 0. Pixel i of the batch is sin(0.31 i), image j has class j mod 4.
"""

import json

import torch
from torch import nn
from torch.nn import functional as F

IMAGES, CHANNELS, SIDE, CLASSES, STEPS = 6, 3, 8, 4, 3


class Convolution(nn.Module):
    def __init__(self, options, inputs, outputs, side, stride):
        super().__init__()
        bias = options["convolution-bias"]
        self.conv = nn.Conv2d(inputs, outputs, side, stride, padding=side // 2, bias=bias)
        norm = options["batch-norm"]
        self.norm = nn.BatchNorm2d(outputs, affine=norm["tuned"]) if norm else nn.Identity()

    def forward(self, x):
        return self.norm(self.conv(x))


class Padding(nn.Module):
    def __init__(self, stride, channels):
        super().__init__()
        self.stride, self.channels = stride, channels

    def forward(self, x):
        seen = F.avg_pool2d(x, 1, self.stride)
        zeros = seen.new_zeros(len(x), self.channels, *seen.shape[2:])
        return torch.cat([seen, zeros], 1)


class Block(nn.Module):
    def __init__(self, options, inputs, outputs, stride):
        super().__init__()
        self.places = options["places"]
        self.act = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}[
            options["activation"]
        ]
        self.first = Convolution(options, inputs, outputs, 3, stride)
        self.second = Convolution(options, outputs, outputs, 3, 1)
        changes = inputs != outputs or stride != 1
        if options["shortcut"] == "projections" or options["shortcut"] == "projection" and changes:
            self.around = Convolution(options, inputs, outputs, 1, stride)
        else:
            self.around = Padding(stride, outputs - inputs) if changes else nn.Identity()

    def forward(self, x, link):
        y = self.first(x)
        if self.places["first"]:
            y = self.act(y)
        y = self.second(y)
        if self.places["second"]:
            y = self.act(y)
        y = self.around(x) + link * y
        return self.act(y) if self.places["third"] else y


class Network(nn.Module):
    def __init__(self, options, depth, widths):
        super().__init__()
        self.stem = Convolution(options, CHANNELS, widths[0], 3, 1)
        self.blocks = nn.ModuleList()
        inputs = widths[0]
        for group, outputs in enumerate(widths):
            for i in range((depth - 2) // 6):
                stride = 2 if group > 0 and i == 0 else 1
                self.blocks.append(Block(options, inputs, outputs, stride))
                inputs = outputs
        self.last = nn.Linear(inputs, CLASSES)
        self.links = nn.ParameterList([nn.Parameter(torch.ones(())) for _ in self.blocks])

    def forward(self, x):
        x = self.blocks[0].act(self.stem(x))
        for block, link in zip(self.blocks, self.links):
            x = block(x, link)
        return self.last(F.adaptive_avg_pool2d(x, 1).flatten(1))


def fill(network, links):
    k = 0
    for name, value in network.named_parameters():
        if name.startswith("links") and not links:
            continue
        start = 1.0 if name.endswith("norm.weight") else 0.5 if name.startswith("links") else 0.0
        i = torch.arange(value.numel(), dtype=torch.float64)
        wave = start + 0.25 * torch.sin(1.0 + 0.7 * k + 1.3 * i)
        value.data.copy_(wave.reshape(value.shape))
        k += 1


def summary(tensors):
    """Of each tensor the sum of v_i cos(i) and the sum of squares."""
    found = []
    for tensor in tensors:
        flat = tensor.detach().flatten()
        i = torch.arange(flat.numel(), dtype=torch.float64)
        found.append([(flat * torch.cos(i)).sum().item(), (flat * flat).sum().item()])
    return found


def case(depth, widths, options):
    network = Network(options, depth, widths).double()
    tuned = options["link"]["tuned"] is not None
    weighed = tuned or options["link"]["start"] != "one"
    fill(network, weighed)
    for link in network.links:
        link.requires_grad_(tuned)
    i = torch.arange(IMAGES * CHANNELS * SIDE * SIDE, dtype=torch.float64)
    x = torch.sin(0.31 * i).reshape(IMAGES, CHANNELS, SIDE, SIDE)
    y = torch.arange(IMAGES) % CLASSES
    parameters = [p for p in network.parameters() if p.requires_grad]
    settings = {"lr": options["learning-rate"], "weight_decay": options["weight-decay"] or 0.0}
    if options["optimiser"] == "adam":
        optimiser = torch.optim.Adam(parameters, **settings)
    else:
        momentum = float(options["optimiser"]["sgd"]["momentum"] or 0.0)
        optimiser = torch.optim.SGD(parameters, momentum=momentum, **settings)
    found = {"depth": depth, "widths": widths, "options": options, "losses": []}
    for step in range(STEPS):
        for module in network.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.momentum = 1.0 / (step + 1)
        logits = network(x)
        loss = F.cross_entropy(logits, y)
        optimiser.zero_grad()
        loss.backward()
        if step == 0:
            found["logits"] = logits.detach().flatten().tolist()
            found["gradients"] = summary([p.grad for p in parameters])
        found["losses"].append(loss.item())
        optimiser.step()
    network.eval()
    with torch.inference_mode():
        found["parameters"] = summary(parameters)
        found["tested"] = network(x).flatten().tolist()
    return found


def options(**chosen):
    usual = {
        "initialisation": "kaiming",
        "optimiser": {"sgd": {"momentum": None}},
        "learning-rate": 0.05,
        "drops": None,
        "link": {"start": "one", "tuned": None},
        "places": {"first": True, "second": False, "third": True},
        "convolution-bias": False,
        "activation": "relu",
        "dropout": None,
        "batch-norm": {"tuned": True},
        "shortcut": "identity",
        "weight-decay": None,
        "batch-size": 32,
    }
    return usual | {key.replace("_", "-"): value for key, value in chosen.items()}


def places(first, second, third):
    return {"first": first, "second": second, "third": third}


cases = [
    case(8, [3, 5, 8], options(optimiser={"sgd": {"momentum": "0.9"}}, weight_decay=1e-4)),
    case(
        14,
        [2, 3, 4],
        options(
            optimiser="adam",
            learning_rate=0.01,
            link={"start": "random", "tuned": "start"},
            places=places(True, True, True),
            convolution_bias=True,
            activation="tanh",
            batch_norm={"tuned": False},
            shortcut="projections",
            weight_decay=1e-3,
        ),
    ),
    case(
        8,
        [3, 3, 6],
        options(
            link={"start": "one", "tuned": "start"},
            places=places(False, False, False),
            convolution_bias=True,
            activation="sigmoid",
            batch_norm=None,
            shortcut="projection",
        ),
    ),
    case(
        8,
        [2, 4, 4],
        options(
            optimiser={"sgd": {"momentum": "0.99"}},
            link={"start": "random", "tuned": None},
            places=places(False, True, False),
            batch_norm=None,
            weight_decay=1e-3,
        ),
    ),
    case(
        8,
        [2, 3, 4],
        options(optimiser="adam", places=places(True, True, False), shortcut="projection"),
    ),
]
description = "Residual networks in double precision by PyTorch 2.11.0; made by residual.py beside it."
lines = ",\n".join(json.dumps(one) for one in cases)
print(f'{{"description": {json.dumps(description)},\n"cases": [\n{lines}\n]}}')
