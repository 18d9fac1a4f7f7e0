"""libtorch.py WHEELS DEST: libtorch for the CPU out of three wheels, into DEST.

The wheel of torch holds libtorch twice over: for the CPU and for CUDA. The CPU's half needs the CUDA
runtime and its profiling library (some MB) but neither CUDA's kernels nor a driver.
"""

from __future__ import annotations

import hashlib
import pathlib
import shutil
import sys
import zipfile

# Wheel, its SHA-256, and which members go where.
LIBRARIES = {"libtorch_cpu.so", "libc10.so", "libgomp.so.1"}
WHEELS = [
    (
        "torch-2.11.0-*.whl",
        "7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a",
        LIBRARIES,
    ),
    (
        "nvidia_cuda_runtime-13.0.*.whl",
        "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
        {"libcudart.so.13"},
    ),
    (
        "nvidia_cuda_cupti-13.0.*.whl",
        "4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8",
        {"libcupti.so.13"},
    ),
]


def main(wheels: pathlib.Path, dest: pathlib.Path) -> None:
    for pattern, digest, libraries in WHEELS:
        found = sorted(wheels.glob(pattern))
        if len(found) != 1:
            sys.exit(f"error: {len(found)} files {pattern} in {wheels}, expected one")
        got = hashlib.sha256()
        with found[0].open("rb") as file:
            while block := file.read(1 << 20):
                got.update(block)
        if got.hexdigest() != digest:
            sys.exit(f"error: {found[0]} has SHA-256 {got.hexdigest()}, expected {digest}")
        with zipfile.ZipFile(found[0]) as wheel:
            for member in wheel.namelist():
                place = where(member, libraries)
                if place is None or member.endswith("/"):
                    continue
                target = dest / place
                target.parent.mkdir(parents=True, exist_ok=True)
                with wheel.open(member) as source, target.open("wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)


def where(member: str, libraries: set[str]) -> str | None:
    name = member.rsplit("/", 1)[-1]
    if name in libraries:
        return f"lib/{name}"
    if member.startswith("torch/include/"):
        return member.removeprefix("torch/")
    return None


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
