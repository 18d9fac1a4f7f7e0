"""Executes one notebook into one HTML file that needs nothing from the network.

notebook.py NOTEBOOK.ipynb FOLDER KEY writes FOLDER/NOTEBOOK.html and exits with 0 only if every cell
did what it should. The page carries KEY, which says what it was made from (`retune pages`). The Rust kernel reports a panic or a failed `?` as mere text on the error
stream and goes on; so whatever a cell writes to that stream counts as a failure. Such text may come
after the kernel has said that the cell is over, when nbclient drops it: it is heard and told all the same.
"""

import base64
import html
import itertools
import re
import sys
import time
from pathlib import Path

import nbformat
from jupyter_core.utils import ensure_async
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert import HTMLExporter

ROOT = Path(__file__).resolve().parent.parent
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="made-from" content="{key}">
<title>{title}</title><style>{style}</style><script src="site.js" defer></script></head>
<body><a class="skip" href="#content">Skip to the content</a>
<nav>{links}<button type="button" id="look" hidden>Dark</button></nav><main id="content">{body}</main></body></html>
"""
# The report's pages that every notebook's page leads to.
LINKS = {"index.html": "All papers", "figures.html": "Methods over time", "stages.html": "Stages"}
# What a cell shows: it scrolls by itself where it is too wide, also by keys.
OUTPUT = re.compile(r'<div class="output">')
HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)
# A marked place of a failed `?`, of a panic, or of a kernel that had to be restarted.
FAILURES = re.compile(r"panicked at|Subprocess terminated|child process terminated", re.IGNORECASE)
# A figure as the prelude writes it: pixels for a notebook, with what stands in their place on a page.
FIGURE = re.compile(r'<img alt="[^"]*" src="data:image/png;base64,[^"]*"[^>]* data-page="([^"]*)">')
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def failures(cell):
    """What in the outputs of `cell` says that it failed."""
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            yield "\n".join(output.traceback) or f"{output.ename}: {output.evalue}"
        elif output.output_type == "stream" and (
            output.name == "stderr" or FAILURES.search(output.text)
        ):
            yield output.text


def execute(path):
    """The executed notebook, and a message for each failure, in order."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=None, kernel_name="rust", resources={"metadata": {"path": path.parent}}
    )
    heard = []

    def listen(**_):
        channel = client.kc.iopub_channel
        get = channel.get_msg

        async def get_msg(*arguments, **named):
            message = await ensure_async(get(*arguments, **named))
            content = message["content"]
            if message["msg_type"] == "stream" and content["name"] == "stderr":
                heard.append(content["text"])
            return message

        channel.get_msg = get_msg

    client.on_notebook_start = listen
    found = []
    # Time for what the last cell has to say.
    pause = "std::thread::sleep(std::time::Duration::from_millis(500));"
    notebook.cells.append(nbformat.v4.new_code_cell(pause))
    try:
        client.execute()
    except (CellExecutionError, DeadKernelError, RuntimeError) as error:
        found.append(f"stopped: {type(error).__name__}: {str(error).splitlines()[-1]}")
    last = notebook.cells.pop()
    found += [f"after the last cell: {ANSI.sub('', text).strip()}" for text in failures(last)]
    for number, cell in enumerate(notebook.cells):
        found += [f"cell {number}: {ANSI.sub('', text).strip()}" for text in failures(cell)]
    for text in (ANSI.sub("", text).strip() for text in heard):
        if not any(text in one for one in found):
            found.append(f"after a cell was over: {text}")
    return notebook, found


def drawn(figure):
    """What stands in the place of a figure's pixels."""
    return base64.b64decode(figure[1]).decode()


def style():
    """The style sheet of pages: the notebooks' own, and what drawings look like."""
    sheets = [ROOT / "scripts/notebook.css", *sorted((ROOT / "notebooks/figures/assets").glob("*.css"))]
    return "".join(sheet.read_text() for sheet in sheets)


def page(notebook, name, key):
    """The notebook as one HTML page with its style inside, and its figures as drawings. `key` says what
    it was made from."""
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    heading = next(filter(None, map(HEADING.search, texts)), None)
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if "text/html" in output.get("data", {}):
            shown = output.data["text/html"]
            output.data["text/html"] = FIGURE.sub(drawn, shown)
    body, _ = HTMLExporter(template_name="basic").from_notebook_node(notebook)
    count = itertools.count(1)
    body = OUTPUT.sub(
        lambda _: f'<div class="output" tabindex="0" role="group" aria-label="Result {next(count)}">',
        body,
    )
    title = html.escape(heading[1] if heading else name)
    # The report has a page for each paper, of which this one is a part; other notebooks stand alone.
    own = {f"paper-{name}.html": "Verdicts"} if (ROOT / f"configs/{name}.claims.toml").is_file() else {}
    links = " ".join(f'<a href="{href}">{text}</a>' for href, text in (LINKS | own).items())
    return PAGE.format(key=key, title=title, style=style(), links=links, body=body)


def main():
    path, folder, key = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3]
    start = time.monotonic()
    notebook, found = execute(path)
    failed = folder / f"{path.stem}.failed.html"
    target = failed if found else folder / f"{path.stem}.html"
    # Never a report of an earlier run beside a failure of this one, nor the reverse.
    for old in (failed, folder / f"{path.stem}.html"):
        old.unlink(missing_ok=True)
    target.write_text(page(notebook, path.stem, key))
    for text in found:
        print(f"error: {path.name}: {text}", file=sys.stderr)
    print(f"{target} ({time.monotonic() - start:.1f} s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
