"""Answers one query with DuckDB: what `nb.sql` runs, with the file of the answer as its argument.

Standard input: the query, and its tables, each with a name, the Parquet files that it is made of and the stages that wrote
them; a table of several stages has a column `stage` in front. The answer has numbers, flags and texts.
"""

import json
import sys

import duckdb

NUMBERS = {
    *("tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"),
    *("float", "double", "decimal"),
}


def quoted(name):
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def text(value):
    """A text as SQL has it."""
    return "'" + value.replace("'", "''") + "'"


def made(connection, table):
    """The query of a table: its rows, or those of its files one below the other, each with its stage."""
    paths = sorted({part["path"] for part in table["parts"]})
    read = f"read_parquet([{', '.join(map(text, paths))}], union_by_name=true, filename=true)"
    if not table["pattern"]:
        return f"SELECT * EXCLUDE (filename) FROM {read}"
    own = {row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {read}").fetchall()}
    hidden = ", ".join(name for name in ("filename", "stage") if name in own)
    # Stages with the same result share a file.
    of = ", ".join(f"({text(part['path'])}, {text(part['stage'])})" for part in table["parts"])
    return (
        f"SELECT part.stage, content.* EXCLUDE ({hidden}) FROM (VALUES {of}) AS part(path, stage) "
        f"JOIN {read} AS content ON content.filename = part.path"
    )


def plain(column, kind):
    """A column of the answer as a number, flag or text."""
    if str(kind) in ("BOOLEAN", "VARCHAR"):
        return quoted(column)
    wanted = "DOUBLE" if kind.id in NUMBERS else "VARCHAR"
    return f"CAST({quoted(column)} AS {wanted}) AS {quoted(column)}"


def main():
    """The query on standard input."""
    asked = json.load(sys.stdin)
    connection = duckdb.connect()
    try:
        for table in asked["tables"]:
            connection.execute(f"CREATE VIEW {quoted(table['name'])} AS {made(connection, table)}")
        answer = connection.sql(asked["query"])
        if answer is None:
            sys.exit("the query has no answer: it should be a SELECT")
        columns = ", ".join(map(plain, answer.columns, answer.types))
        answer.project(columns).write_parquet(sys.argv[1], compression="zstd")
    except duckdb.Error as error:
        sys.exit(str(error))


main()
