"""Hunt for traces that do not hold every time: ``python -m tests.drills.flakes``.

All snippets again and again, in random order, with a random number at a time,
while every core is busy, with oneDNN's kernels and without.
"""

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from tracebook import compare, output, settings, snippet
from tracebook.runner import Run, Runner

SETTINGS = settings.load(Path(__file__).resolve().parents[2])


def spin() -> None:
    """Keep one core busy."""
    while True:
        pass


def hunt(runs: int, seed: int, one_dnn: str) -> Counter:
    """Run all snippets ``runs`` times; how often each did not hold."""
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = one_dnn
    chance = random.Random(seed)
    snippets = snippet.find(SETTINGS)
    differed: Counter = Counter()

    def judge(each: snippet.Snippet, run: Run) -> None:
        shown = each.output_path.read_text("utf-8")
        found = compare.difference(shown, run.output, each.rel)
        problem = run.problem or output.unshowable(run.output)
        if problem or found:
            differed[each.name] += 1
            print(f"{each.label}: {problem or found[1]}", flush=True)

    # What is imported once reads its environment once: a runner for each.
    runner = Runner(replace(SETTINGS, time_limit=10 * SETTINGS.time_limit))
    try:
        for number in range(1, runs + 1):
            chance.shuffle(snippets)
            runner.jobs = chance.randint(1, 2 * SETTINGS.workers)
            began = time.monotonic()
            runner.run(snippets, judge)
            print(
                f"oneDNN {one_dnn}, run {number} of {runs}: {len(snippets)}"
                f" snippets, {runner.jobs} at a time,"
                f" {time.monotonic() - began:.0f} s",
                flush=True,
            )
    finally:
        runner.close()
    return differed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drills.flakes")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    load = [
        multiprocessing.Process(target=spin, daemon=True)
        for _ in range(SETTINGS.workers)
    ]
    for process in load:
        process.start()
    half = (arguments.runs + 1) // 2
    context = multiprocessing.get_context("spawn")
    differed: Counter = Counter()
    for one_dnn, runs in (("1", half), ("0", arguments.runs - half)):
        with ProcessPoolExecutor(1, context) as pool:
            differed += pool.submit(hunt, runs, arguments.seed, one_dnn).result()
    for process in load:
        process.kill()
    for name, times in differed.most_common():
        print(f"{name}: differed in {times} of {arguments.runs} runs")
    print(f"{arguments.runs} runs, {differed.total()} differences")
    return 1 if differed else 0


if __name__ == "__main__":
    sys.exit(main())
