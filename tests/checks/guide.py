"""Runs a Markdown guide: what it tells the reader to do is done, in order, in the folder it is run in.

guide.py GUIDE.md carries out its fenced blocks, by the words that open them:

    sh           commands; variables and the folder carry over to the next block
    LANG file=P  the whole content of the file P
    diff         changes, applied with `git apply`
    text output  lines that the commands before have printed, each somewhere, in this order

Other blocks are only shown. Exits with 1 at the first block that does not do what the guide says.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FENCE = re.compile(r"^```(\S+)?[ \t]*(.*?)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


def blocks(text):
    """(line, language, other words, content) of each fenced block."""
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield line, match[1] or "", match[2].split(), match[3]


def shell(content, state):
    """Runs commands; (exit status, what they printed). `state` keeps what the next block needs."""
    script = f'[ ! -e {state} ] || . {state}\nset -euo pipefail\n{content}\n{{ export -p; echo "cd $PWD"; }} >{state}\n'
    done = subprocess.run(
        ["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.returncode, done.stdout


def missing(expected, printed):
    """The first expected line that is not in what was printed after the one before it."""
    at = 0
    for line in filter(None, map(str.strip, expected.splitlines())):
        found = printed.find(line, at)
        if found < 0:
            return line
        at = found + len(line)
    return None


def carry_out(language, words, content, printed, state):
    """Does what a block says; (trouble or None, what was printed so far)."""
    files = [word.removeprefix("file=") for word in words if word.startswith("file=")]
    if language == "sh":
        status, printed = shell(content, state)
        return (f"exit status {status}:\n{printed}" if status else None), printed
    if files:
        path = Path(files[0])
        if not path.parent.is_dir():
            return f"{path} has no folder to be in", printed
        path.write_text(content)
    elif language == "diff":
        # The folder may lie in a checkout without being one.
        here = {**os.environ, "GIT_CEILING_DIRECTORIES": str(Path.cwd().parent)}
        done = subprocess.run(
            ["git", "apply", "-"], input=content, capture_output=True, text=True, env=here
        )
        if done.returncode:
            return f"the change does not apply:\n{done.stdout}{done.stderr}", printed
    elif "output" in words and (line := missing(content, printed)) is not None:
        return f"not printed: {line}\nbut:\n{printed}", printed
    return None, printed


def main():
    guide, printed, ran = Path(sys.argv[1]).resolve(), "", 0
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state")
        for line, language, words, content in blocks(guide.read_text()):
            start = time.monotonic()
            trouble, printed = carry_out(language, words, content, printed, state)
            if trouble:
                print(f"error: {guide.name}:{line}: {trouble}", file=sys.stderr)
                return 1
            if language == "sh":
                ran += 1
                print(f"{guide.name}:{line}: {time.monotonic() - start:.1f} s", flush=True)
    if ran == 0:
        print(f"error: {guide.name} has no commands", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
