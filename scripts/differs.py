"""differs.py FOLDER PAPER...: writes FOLDER/PAPER-differs.tsv, every comment marked `DIFFERS:` in the code and
configs of PAPER, and in the shared code that these reach by name, a line each: place, tab, text. Comments
over several lines become one."""

import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What only lists others is not followed: registries, catalogues and the reference checks name everything.
LISTS = {"lib.rs", "mod.rs", "method.rs"}
APART = {"catalogue", "reference", "link"}
# As in "[Pedregosa2016]", on the first line of the config that has one.
CITATION = re.compile(r"[A-Z][A-Za-z]+[0-9]{4}")
# In code an import, or a path in full; in a config a data set or a method, with dashes.
USE = re.compile(r"^\s*(?:pub(?:\(\w+\))? )?use ([^;]+);", re.MULTILINE)
PATH = re.compile(r"\b\w+(?:::\w+)+")
NAME = re.compile(r'"([a-z0-9-]+)"')
# Not an attribute of Rust: a space follows.
COMMENT = re.compile(r"[ \t]*(?://[/!]?|#)(?:[ \t]|$)")
MARK = re.compile(r"(?://|#).*?DIFFERS:[ \t]*")


@functools.cache
def text(path):
    """The file's text, read once for all papers."""
    return path.read_text()


def own(paper):
    """The files of the paper alone."""
    folder = ROOT / "stages/papers" / paper
    return [*folder.rglob("*.rs"), *folder.rglob(f"{paper}*.toml"), *ROOT.glob(f"configs/{paper}*.toml")]


def module(path):
    """The module of a source file below stages/, as a tuple: crate, then its parts."""
    parts = path.relative_to(ROOT / "stages").with_suffix("").parts
    at = parts.index("src")
    inner = [part for part in parts[at + 1 :] if part not in ("lib", "mod")]
    return (parts[at - 1], *inner)


def leaves(tree):
    """The paths of a `use`, its groups taken apart."""
    tree = "".join(tree.split())
    if "{" not in tree:
        yield tree
        return
    before, rest = tree.split("{", 1)
    depth, start = 1, 0
    for at, sign in enumerate(rest):
        depth += (sign == "{") - (sign == "}")
        if depth == 0 or (depth == 1 and sign == ","):
            if rest[start:at]:
                yield from leaves(before + rest[start:at])
            start = at + 1
        if depth == 0:
            return


def named(path, modules):
    """The files of `modules` (by module) that a source file names, by import or in full."""
    own = module(path)
    code = re.sub(r"//[^\n]*", "", text(path))
    paths = [leaf for tree in USE.findall(code) for leaf in leaves(tree)] + PATH.findall(code)
    for one in paths:
        parts = one.split("::")
        ups = next((i for i, part in enumerate(parts) if part != "super"), len(parts))
        if ups:
            full = (*own[: len(own) - ups], *parts[ups:])
        elif parts[0] in ("crate", "self"):
            full = (*(own[:1] if parts[0] == "crate" else own), *parts[1:])
        else:
            full = tuple(parts)
        for candidate in (full, (*own, *full)):
            for length in range(len(candidate), 0, -1):
                if candidate[:length] in modules:
                    yield modules[candidate[:length]]
                    break


def reached(files, paper):
    """`files`, the shared ones that they name, those that these name, and so on, and who cites the paper."""
    # A folder of stages/ with sources is a crate that papers share; what trains networks is one of them.
    shared = [
        path
        for path in ROOT.glob("stages/*/src/**/*.rs")
        if path.name not in LISTS and not APART & set(path.relative_to(ROOT).parts)
    ]
    modules = {module(path): path for path in shared}
    # A place that `nets` fills in is not followed into that crate's list of them, but what fills it in is.
    links = {module(path): path for path in ROOT.glob("stages/nets/src/link/*.rs") if path.name != "mod.rs"}
    cited = CITATION.search(text(ROOT / f"configs/{paper}.toml"))
    found = {*files, *(path for path in shared if cited and cited[0] in text(path))}
    waiting = list(found)
    while waiting:
        path = waiting.pop()
        if path.suffix == ".rs":
            new = set(named(path, modules | links))
        else:
            names = {name.replace("-", "_") for name in NAME.findall(text(path))}
            new = {other for other in shared if other.stem in names}
        new -= found
        found |= new
        waiting += new
    return found


def notes(path):
    """The marked comments of one file: line, text."""
    note = None
    for number, line in enumerate(text(path).splitlines(), 1):
        comment = COMMENT.match(line)
        body = line[comment.end() :].strip() if comment else ""
        if mark := MARK.search(line):
            if note:
                yield note
            note = (number, line[mark.end() :].strip())
        elif note and body:
            note = (note[0], f"{note[1]} {body}".strip())
        elif note:
            yield note
            note = None
    if note:
        yield note


def differs(paper):
    """Place and text of each note, in the order of places."""
    files = own(paper)
    if not files:
        sys.exit(f"error: no paper is called {paper}")
    for path in sorted(reached(files, paper)):
        for number, note in notes(path):
            yield f"{path.relative_to(ROOT)}:{number}", note


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: scripts/differs.py FOLDER PAPER...")
    for name in sys.argv[2:]:
        lines = (f"{place}\t{note}\n" for place, note in differs(name))
        (Path(sys.argv[1]) / f"{name}-differs.tsv").write_text("".join(lines))
