# mad-warehouse: every target sets up what it needs in .venv; no network is used after that.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
		{ echo "Python 3.11 to 3.13 is needed; $(PYTHON) is $$($(PYTHON) -V 2>&1). Set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(STAMP) ## Install everything into .venv

build: $(STAMP) ## Build warehouse/mad.duckdb from warehouse/raw, or from the bundled sample
	$(BIN)/madw build || { code=$$?; [ $$code -eq 3 ] || exit $$code; }  # 3: some input was rejected

test: lint ## Lint, run pytest, and run dbt build with every data test on the sample
	$(BIN)/python -m pytest -m "not soak"

lint: $(STAMP) ## Check style: ruff for Python, sqlfluff for SQL
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/sqlfluff lint --disable-progress-bar --processes 2 models tests/data

bench: $(STAMP) ## Measure ingest and build on a corpus of 500 MB, and print a table
	$(BIN)/python -m bench.run

soak: $(STAMP) ## Kill builds at random moments, many times
	$(BIN)/python -m pytest -m soak

shell: $(STAMP) ## Open the DuckDB shell on the warehouse, read-only
	@test -e warehouse/mad.duckdb || { echo "There is no warehouse/mad.duckdb yet: make build"; exit 1; }
	$(BIN)/duckdb -readonly warehouse/mad.duckdb

docs: $(STAMP) ## Write the dbt documentation to warehouse/build/target/static_index.html
	@test -d warehouse/lake || { echo "There is no lake yet: make build"; exit 1; }
	DBT_PROFILES_DIR=. $(BIN)/dbt docs generate --static --quiet
	@echo "Open warehouse/build/target/static_index.html"

.PHONY: help setup build test lint bench soak shell docs
