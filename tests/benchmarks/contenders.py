"""Ways to run the programs of a book; each gives the seconds that it took."""

import asyncio
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from .books import ROOT, Book

CORES = len(os.sched_getaffinity(0))
EXTRAS = ROOT / ".cache/benchmark"
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def install_markdown_exec() -> None:
    """Install it beside the environment, which it must not change."""
    wanted = (Path(__file__).parent / "requirements.txt").read_bytes()
    made_from = EXTRAS / "made-from-requirements.txt"
    if made_from.exists() and made_from.read_bytes() == wanted:
        return
    run(
        "-m",
        "pip",
        "install",
        "--quiet",
        "--upgrade",
        "--no-deps",
        "--require-hashes",
        "--target",
        EXTRAS,
        "-r",
        "benchmarks/requirements.txt",
        cwd=ROOT,
    )
    made_from.write_bytes(wanted)


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
    return {
        "markdown-exec": _seconds(
            book, "mkdocs", "build", "-f", "exec.yml", PYTHONPATH=str(EXTRAS)
        )
    }


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
SLOW = (interpreters, kernels, mkdocs_jupyter)
