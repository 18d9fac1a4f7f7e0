"""What the page of a notebook is made from, as one digest, which the page carries.

made_from.py FOLDER NOTEBOOK.ipynb... prints the notebooks whose page in FOLDER is missing or was made
from something else. A page that was deleted is made again.
"""

import hashlib
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sources(notebook, folder):
    """Every file that may change what the notebook shows."""
    yield notebook
    yield from (folder / f"{notebook.stem}-{part}" for part in ("differs.tsv", "dag.svg"))
    # Which results there are, under which keys, and the runs that are remembered.
    store = Path(os.environ.get("RETUNE_ARTIFACTS") or ROOT / "artifacts") / "store/v1"
    yield store / "log"
    yield from sorted(store.glob("runs/*.json"))
    # The programs between results and page.
    for crate in ("notebooks/prelude", "pipeline"):
        yield ROOT / crate / "Cargo.toml"
        yield from sorted((ROOT / crate / "src").rglob("*.rs"))
    yield ROOT / "Cargo.lock"
    yield ROOT / "notebooks/evcxr.toml"
    yield from (ROOT / "scripts" / name for name in ("env.sh", "notebook.css", "notebook.py"))


def digest(notebook, folder):
    """The digest of all of them, names and contents; a file that is not there counts as such."""
    whole = hashlib.sha256()
    for path in sources(Path(notebook).resolve(), Path(folder)):
        content = path.read_bytes() if path.is_file() else b"nothing"
        whole.update(f"{path.name} {hashlib.sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()


def mark(notebook, folder):
    """What a page says of it, near its beginning."""
    return f'<meta name="made-from" content="{digest(notebook, folder)}">'


def up_to_date(notebook, folder):
    """Whether the page is there and made from what there is now."""
    page = Path(folder) / f"{Path(notebook).stem}.html"
    return page.is_file() and mark(notebook, folder) in page.read_text()[:1000]


if __name__ == "__main__":
    for one in sys.argv[2:]:
        if not up_to_date(one, sys.argv[1]):
            print(one)
