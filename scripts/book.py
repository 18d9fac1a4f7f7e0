"""Makes the book's chapters complete: a preprocessor of mdbook, which needs nothing from the network.

{{#section FILE#HEADING}}  what FILE of the checkout says under HEADING, its own headings left as they are
{{#differs}}               every note marked DIFFERS, by paper: $RETUNE_DIFFERS/PAPER.json, rows as JSON objects
$...$ and $$...$$          formulas, as MathML

Links of what comes from elsewhere in the checkout lead to the chapter that has the target, and are
plain text where none has. Blocks of code are left alone.
"""

import json
import os
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"(^```.*?^```[ \t]*$|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
SECTION = re.compile(r"^\{\{#section ([^#}]+)#([^}]+)\}\}$", re.MULTILINE)
HEADING = re.compile(r"^(#+) +(.*?) *$")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
# What other documents link to, and the chapter that has it.
CHAPTERS = {
    "#on-a-cluster": "slurm.md",
    "ARCHITECTURE.md#how-to-add": "tuner.md",
    **{
        f"stages/papers/{paper}/NOTES.md": f"notes-{paper}.md"
        for paper in ("harmonica", "hoag", "hypertune", "smoothie", "stn", "tpe")
    },
}


def outside_code(text, change):
    """`text` with `change` made of what is no code."""
    parts = CODE.split(text)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def section(name, heading):
    """What the file says under the heading, up to the next of the same level or above."""
    taken, level, fenced = [], None, False
    for line in (ROOT / name).read_text().splitlines():
        fenced ^= line.startswith("```")
        match = None if fenced else HEADING.match(line)
        # The title alone begins with text of its own, which the first section ends.
        if match and level and (len(match[1]) <= level or level == 1):
            break
        if level:
            taken.append(line)
        elif match and match[2] == heading:
            level = len(match[1])
    if level is None:
        raise SystemExit(f"error: {name} has no heading `{heading}`")
    return linked("\n".join(taken).strip())


def linked(text):
    """Links that lead to chapters, or nowhere."""

    def link(match):
        picture, words, target = match.groups()
        if "://" in target:
            return match[0]
        if picture:
            return ""
        return f"[{words}]({CHAPTERS[target]})" if target in CHAPTERS else words

    return outside_code(text, lambda part: LINK.sub(link, part))


def differs():
    """Every note, a heading a paper."""
    lines = []
    summary = (ROOT / "docs/book/src/SUMMARY.md").read_text()
    for rows in sorted(Path(os.environ["RETUNE_DIFFERS"]).glob("*.json")):
        paper = rows.stem
        named = re.search(rf"\[(.+?)\]\(notes-{paper}\.md\)", summary)
        lines.append(f"\n## {named[1] if named else paper}\n")
        for note in map(json.loads, rows.read_text().splitlines()):
            text = note["text"].replace("<", "&lt;")
            lines.append(f"- {text} (`{note['place']}`)")
    return "\n".join(lines)


def formulas(text):
    """The formulas of a text without code, as MathML."""

    def formula(match):
        block, inline = match.groups()
        display = "block" if block else "inline"
        math = convert((block or inline).strip(), display=display)
        if "\\" in math:
            raise SystemExit(f"error: a formula has a command that is not understood: {match[0]}")
        # Markdown would take these for its own.
        return math.replace("*", "&#42;").replace("_", "&#95;")

    return FORMULA.sub(formula, text)


def complete(text):
    """A chapter with everything in it."""
    text = SECTION.sub(lambda match: section(match[1].strip(), match[2].strip()), text)
    if "{{#differs}}" in text:
        # Notes are of the code, and have no formulas.
        return text.replace("{{#differs}}", differs())
    return outside_code(text, formulas)


def walk(value):
    """Completes every chapter of mdbook's tree."""
    if isinstance(value, list):
        for item in value:
            walk(item)
    elif isinstance(value, dict):
        for item in value.values():
            walk(item)
        if isinstance(value.get("content"), str):
            value["content"] = complete(value["content"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return 0
    _, book = json.load(sys.stdin)
    walk(book)
    json.dump(book, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
