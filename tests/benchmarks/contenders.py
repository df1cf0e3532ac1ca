"""Ways to run the programs of a book; each gives the seconds that it took."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
from nbclient import NotebookClient

from ..project import ROOT
from .books import Book

CORES = len(os.sched_getaffinity(0))
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def run(*arguments, cwd: Path, **environment: str) -> str:
    """What Python prints to its output; raises RuntimeError if it fails."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        text=True,
        capture_output=True,
        env={**ENVIRONMENT, **environment},
    )
    if done.returncode:
        raise RuntimeError(f"{arguments}: {done.stdout}{done.stderr}"[-4000:])
    return done.stdout


def build(book: Book) -> dict[str, float]:
    return {"build": _seconds(book, "mkdocs", "build")}


def check(book: Book) -> dict[str, float]:
    return {"check": _seconds(book, "tracebook", "check")}


def truth(book: Book) -> dict[str, float]:
    """Every formula, rule, sentence and number, with nothing known; of a clone, for a
    book lacks what some pages speak of."""
    clone = Book(book.root / "clone")
    shutil.rmtree(clone.root, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", ROOT, clone.root], check=True)
    (clone.root / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return {"truth": _seconds(clone, "truth")}


def first_page(book: Book) -> dict[str, float]:
    """From ``mkdocs serve`` to its first page, where all was built before."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    began = time.perf_counter()
    serving = subprocess.Popen(
        [sys.executable, "-m", "mkdocs", "serve", "--no-strict", "-a", address],
        cwd=book.root,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            with suppress(URLError), urlopen(f"http://{address}/", timeout=60):
                return {"first page": time.perf_counter() - began}
            time.sleep(0.02)
    finally:
        serving.terminate()
        serving.wait()


def floor(book: Book) -> dict[str, float]:
    """One import, the programs' own time ÷ cores, and a build without them."""
    bare = _seconds(book, "mkdocs", "build", "-f", "bare.yml")
    began = time.perf_counter()
    said = run(
        Path(__file__).with_name("forkloop.py"),
        str(CORES),
        *book.programs,
        cwd=book.root / "site",
    )
    took = time.perf_counter() - began
    programs = json.loads(said.splitlines()[-1])["programs"]
    return {
        "floor": bare + took,
        "import": took - programs,
        "programs": programs,
        "bare": bare,
    }


def markdown_exec(book: Book) -> dict[str, float]:
    return {"markdown-exec": _seconds(book, "mkdocs", "build", "-f", "exec.yml")}


def interpreters(book: Book) -> dict[str, float]:
    """A fresh interpreter for each program, as many at a time as cores."""

    def one(program: Path) -> None:
        subprocess.run(
            [sys.executable, program],
            cwd=book.root / "site",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    began = time.perf_counter()
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(one, book.programs))
    return {"interpreters": time.perf_counter() - began}


def kernels(book: Book) -> dict[str, float]:
    """A fresh Jupyter kernel for each program, as many at a time as cores."""

    async def one(program: Path, free: asyncio.Semaphore) -> None:
        cell = nbformat.v4.new_code_cell(program.read_text("utf-8"))
        async with free:
            await NotebookClient(
                nbformat.v4.new_notebook(cells=[cell]),
                allow_errors=True,
                kernel_name="python3",
                resources={"metadata": {"path": str(book.root / "site")}},
            ).async_execute(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    async def everyone() -> None:
        free = asyncio.Semaphore(CORES)
        await asyncio.gather(*(one(each, free) for each in book.programs))

    began = time.perf_counter()
    asyncio.run(everyone())
    return {"kernels": time.perf_counter() - began}


def mkdocs_jupyter(book: Book) -> dict[str, float]:
    return {"mkdocs-jupyter": _seconds(book, "mkdocs", "build", "-f", "jupyter.yml")}


def _seconds(book: Book, *arguments: str, **environment: str) -> float:
    began = time.perf_counter()
    run("-m", *arguments, cwd=book.root, **environment)
    return time.perf_counter() - began


QUICK = (build, check, floor)
OTHERS = (markdown_exec,)
WHOLE = (truth, first_page)
SLOW = (interpreters, kernels, mkdocs_jupyter)
