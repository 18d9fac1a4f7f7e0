"""Every config fits its schema, and a mispelt key in any of its tables does not.

schemas.py RETUNE, in the checkout, with the notebooks' Python.
"""

import copy
import json
import subprocess
import sys
import tomllib
from pathlib import Path

from jsonschema import Draft202012Validator

# Where names are free, a value of no type that any config has.
MISPELT = {"mispelt-key": {"no": {"such": "value"}}}


def tables(value, way=()):
    """The ways to all tables of a value."""
    if isinstance(value, dict):
        yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in inner:
        if isinstance(below, (dict, list)):
            yield from tables(below, (*way, key))


def mispelt(config, way):
    """The config with one key more in the table at the end of the way."""
    wrong = copy.deepcopy(config)
    table = wrong
    for key in way:
        table = table[key]
    table.update(MISPELT)
    return wrong


def main():
    asked = subprocess.run([sys.argv[1], "schema"], stdout=subprocess.PIPE, check=True)
    schemas, failures, places = json.loads(asked.stdout), [], 0
    configs = sorted(path for path in Path("configs").glob("*.toml") if path.name != "slurm.toml")
    for path in configs:
        name = "claims" if path.name.endswith(".claims.toml") else path.stem
        if name not in schemas:
            failures.append(f"{path}: no schema is called {name}")
            continue
        Draft202012Validator.check_schema(schemas[name])
        validator = Draft202012Validator(schemas[name])
        config = tomllib.loads(path.read_text())
        for error in validator.iter_errors(config):
            failures.append(f"{path}: {error.json_path}: {error.message[:200]}")
        for way in tables(config):
            places += 1
            if validator.is_valid(mispelt(config, way)):
                failures.append(f"{path}: a mispelt key is not noticed in {'.'.join(map(str, way))}")
    for text in failures:
        print(f"error: {text}", file=sys.stderr)
    print(f"{len(configs)} configs, {places} tables: {len(failures)} failures")
    return 1 if failures or not configs else 0


if __name__ == "__main__":
    sys.exit(main())
