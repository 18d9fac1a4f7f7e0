"""differs.py FOLDER PAPER...: writes FOLDER/PAPER-differs.tsv, every comment marked `DIFFERS:` in the code and
configs of PAPER, and in the shared code that these reach by name, a line each: place, tab, text. Comments
over several lines become one."""

import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What only lists others is not followed: registries, catalogues and the reference checks name everything, and
# the kit, which no paper differs in, has files of the same names as others.
LISTS = {"lib.rs", "mod.rs", "method.rs"}
APART = {"catalogue", "kit", "reference", "link"}
# As in "[Pedregosa2016]", on the first line of the config that has one.
CITATION = re.compile(r"[A-Z][A-Za-z]+[0-9]{4}")
# In code a part of a path with something in it (the last part is an item), in a config as a data set with
# dashes.
NAMES = re.compile(r'\b(?=(\w+)::)|"([a-z0-9-]+)"')
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


def reached(files, paper):
    """`files`, the shared ones that they name, those that these name, and so on, and who cites the paper."""
    # A folder of stages/ with sources is a crate that papers share; what trains networks is one of them.
    shared = [
        path
        for path in ROOT.glob("stages/*/src/**/*.rs")
        if path.name not in LISTS and not APART & set(path.relative_to(ROOT).parts)
    ]
    cited = CITATION.search(text(ROOT / f"configs/{paper}.toml"))
    found = {*files, *(path for path in shared if cited and cited[0] in text(path))}
    waiting = list(found)
    while waiting:
        matches = NAMES.finditer(text(waiting.pop()))
        names = {name.replace("-", "_") for match in matches for name in match.groups() if name}
        new = {path for path in shared if path.stem in names} - found
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
