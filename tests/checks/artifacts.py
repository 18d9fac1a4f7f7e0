"""Opens every artifact of a store with DuckDB, pandas and polars, and compares what they read.

open.py ARTIFACTS exits with 1 and a line a fault where one of them refuses a file or sees other
rows, columns or values than the others, where a column does not say what it holds, or where
index.parquet does not fit the store.
"""

import math
import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow.parquet

INDEX = {
    "stage", "output", "kind", "paper", "problem", "method", "sweep", "data_set", "seed",
    "key", "digest", "path",
}
# What no artifact lacks. A table that loads nothing has no data set; a stage without chance, no seed.
FILLED = ("stage", "output", "kind", "paper", "key", "digest", "path")


def plain(values):
    """Values that compare: what is missing is None, whichever way a reader says it."""

    def one(value):
        if value is None or value is pandas.NA or isinstance(value, float) and math.isnan(value):
            return None
        return bytes(value) if isinstance(value, (bytearray, memoryview)) else value

    return [one(value) for value in values]


def readers(path, column):
    """Name of the reader → (rows, names of the columns, values of `column`)."""
    relation = duckdb.sql("SELECT * FROM read_parquet(?)", params=[str(path)])
    quoted = relation.columns[column].replace('"', '""')
    values = [row[0] for row in relation.project(f'"{quoted}"').fetchall()]
    frame = pandas.read_parquet(path)
    table = polars.read_parquet(path)
    return {
        "duckdb": (len(relation), len(relation.columns), values),
        "pandas": (len(frame), len(frame.columns), frame.iloc[:, column].tolist()),
        "polars": (table.height, table.width, table.to_series(column).to_list()),
    }


def differ(path):
    """What is wrong with a file; None if nothing is."""
    try:
        schema = pyarrow.parquet.read_schema(path)
        if not schema.names:
            return None
        # Another column in each file, and the same one whenever it is looked at.
        column = int(path.stem[:8], 16) % len(schema.names)
        seen = readers(path, column)
    except Exception as error:  # whatever a reader raises is a fault of the file
        return f"cannot be read: {type(error).__name__}: {error}"
    for name, (rows, columns, values) in seen.items():
        other = seen["duckdb"]
        if (rows, columns) != other[:2]:
            return f"{name} sees {rows} rows of {columns} columns, duckdb {other[0]} of {other[1]}"
        if plain(values) != plain(other[2]):
            return f"{name} and duckdb see different values in {schema.names[column]}"
    return None


def silent(path):
    """Columns of a file that do not say what they hold, and times that do not say their unit."""
    for field in pyarrow.parquet.read_schema(path):
        about = (field.metadata or {}).get(b"description", b"").decode()
        if not about.strip():
            yield f"column {field.name} has no description"
        elif field.name.endswith("_s") and not ("seconds" in about or "likewise" in about):
            yield f"column {field.name} does not name its unit: {about}"


def index(artifacts):
    """Faults of index.parquet, and the path of each artifact in it."""
    path, faults = artifacts / "index.parquet", []
    if not path.is_file():
        return [f"{path} is missing: `retune report` writes it"], []
    frames = {
        "duckdb": duckdb.sql("SELECT * FROM read_parquet(?)", params=[str(path)]).fetchall(),
        "pandas": [tuple(row) for row in pandas.read_parquet(path).itertuples(index=False)],
        "polars": polars.read_parquet(path).rows(),
    }
    if len({tuple(rows) for rows in frames.values()}) > 1:
        faults.append("index.parquet reads differently in DuckDB, pandas and polars")
    table = polars.read_parquet(path)
    faults += [f"index.parquet has no column {name}" for name in sorted(INDEX - set(table.columns))]
    faults += [f"index.parquet: {fault}" for fault in silent(path)]
    if faults:
        return faults, []
    rows = table.to_dicts()
    for row in rows:
        empty = [name for name in FILLED if not row[name]]
        if empty:
            faults.append(f"index.parquet: {row['stage']} {row['output']} has no {', '.join(empty)}")
        if not (artifacts / row["path"]).is_file():
            faults.append(f"index.parquet: {row['path']} of {row['stage']} is not there")
        elif row["digest"] not in row["path"]:
            faults.append(f"index.parquet: {row['stage']} has the digest of another file")
    return faults, [artifacts / row["path"] for row in rows]


def main():
    artifacts = Path(sys.argv[1])
    objects = sorted((artifacts / "store").glob("v*/objects/*/*.parquet"))
    if not objects:
        sys.exit(f"error: no artifact in {artifacts}; `make reproduce PROFILE=smoke` makes some")
    faults, listed = index(artifacts)
    for path in objects:
        if why := differ(path):
            faults.append(f"{path.relative_to(artifacts)}: {why}")
    for path in sorted(set(listed)):
        if path.is_file():
            faults += [f"{path.relative_to(artifacts)}: {fault}" for fault in silent(path)]
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    print(
        f"{len(objects)} artifacts in DuckDB {duckdb.__version__}, pandas {pandas.__version__} and polars "
        f"{polars.__version__}, {len(listed)} of them in index.parquet: {len(faults)} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
