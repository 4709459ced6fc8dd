# passhat: `make` alone lists what there is to do.

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
PINS := -c constraints.txt
PYTEST_WORKERS ?= auto

export PYTHON
export PIP_BUILD_CONSTRAINT := constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test quick lint format docs bench pins ruff types mypy pyright floors links clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "Everything is installed into $(VENV) (make VENV=... for another folder)."

demo: $(VENV)/.runtime ## set up the runtime alone and score the bundled recordings
	@$(BIN)/passhat demo

test: lint ## set up everything, lint, then run every test, those of the docs too
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) --dist worksteal

quick: $(VENV)/.dev ## run the tests that are not slow
	$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) -m "not slow"

lint: $(VENV)/.dev ## check style, types, floors of the core, links and docs
	@# Beside each other, since each runs on one core; what they need has just been installed.
	@$(MAKE) --no-print-directory --jobs -o $(VENV)/.dev -o $(VENV)/.runtime ruff types floors links

ruff: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: mypy pyright

mypy: $(VENV)/.dev
	$(BIN)/mypy

pyright: $(VENV)/.dev
	$(BIN)/pyright --pythonpath $(BIN)/python

floors: $(VENV)/.dev
	$(BIN)/lint-imports

links: docs
	$(BIN)/python tools/docs_links.py

format: $(VENV)/.dev ## rewrite the code in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## build the docs into site/, strictly
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.dev ## run the benchmarks, which print ratios and judge nothing
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python "$$file" || exit 1; done

pins: ## write constraints.txt anew with the newest versions
	sh tools/pin.sh

clean: ## remove what these targets made
	rm -rf $(VENV) site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@sh tools/make_venv.sh $(VENV)

$(VENV)/.runtime: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing passhat into $(VENV)"
	@$(PIP) install -qq $(PINS) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing passhat, its extras and the tools of its house into $(VENV)"
	@$(PIP) install -qq $(PINS) --upgrade pip
	@$(PIP) install -qq $(PINS) --editable '.[all]' --group dev
	@touch $(VENV)/.runtime $@
