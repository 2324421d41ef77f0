# mad-warehouse: every target sets up what it needs in .venv; no network is used after that.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CLIENTS := $(VENV)/clients
CLIENT_STAMPS := $(patsubst tests/clients/locks/%.lock,$(CLIENTS)/%/.installed,$(wildcard tests/clients/locks/*.lock))
NODE_STAMP := $(CLIENTS)/node/.installed
WORKERS := -n auto --dist loadfile  # a worker a core; the tests of one file share what they built

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
		{ echo "Python 3.11 to 3.13 is needed; $(PYTHON) is $$($(PYTHON) -V 2>&1). Set PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# old and odd versions that tests read the file with, each in an environment of its own
$(CLIENT_STAMPS): $(CLIENTS)/%/.installed: tests/clients/locks/%.lock | $(STAMP)
	$(BIN)/python -m venv --clear --without-pip $(@D)
	$(BIN)/python -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# not where package.json stands: ruff, dbt and sqlfluff would look into node_modules there
$(NODE_STAMP): tests/clients/node/package.json tests/clients/node/package-lock.json | node-and-chromium
	@mkdir -p $(@D)
	cp tests/clients/node/package.json tests/clients/node/package-lock.json $(@D)
	npm ci --prefix $(@D) --no-audit --no-fund
	@touch $@

node-and-chromium:
	@tests/clients/install-programs

setup: $(STAMP) $(CLIENT_STAMPS) ## Install everything into .venv, but what test-clients needs

build: $(STAMP) ## Build warehouse/mad.duckdb from warehouse/raw, or from the bundled sample
	$(BIN)/madw build || { code=$$?; [ $$code -eq 3 ] || exit $$code; }  # 3: some input was rejected

test: setup lint ## Lint, run pytest, and run dbt build with every data test on the sample
	$(BIN)/python -m pytest $(WORKERS) -m "not soak and not clients"

test-clients: $(STAMP) $(NODE_STAMP) ## Open the file in Node and the report in Chromium; installs both as root
	$(BIN)/python -m pytest $(WORKERS) -m clients

lint: $(STAMP) ## Check style: ruff for Python, sqlfluff for SQL
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/sqlfluff lint --disable-progress-bar --processes 2 models tests/data ingest/report/queries

bench: $(STAMP) ## Measure ingest and build on a corpus of 500 MB, and print a table
	$(BIN)/python -m bench.run

soak: $(STAMP) ## Kill builds at random moments, many times
	$(BIN)/python -m pytest -m soak

shell: $(STAMP) ## Open the DuckDB shell on the warehouse, read-only
	@file="$$($(BIN)/python -c 'from ingest.home import find_home; print(find_home().published)')"; \
	test -e "$$file" || { echo "There is no $$file yet: run make build."; exit 1; }; \
	$(BIN)/duckdb -no-init -readonly -list -noheader "$$file" -f docs/banner.sql && \
	$(BIN)/duckdb -readonly -cmd ".read docs/shell.sql" "$$file"

docs: $(STAMP) ## Write the dbt documentation to warehouse/docs.html
	@home="$$($(BIN)/python -c 'from ingest.home import find_home; print(find_home().root)')"; \
	test -e "$$home/build/work.duckdb" || { echo "There is no $$home/build/work.duckdb yet: run make build."; exit 1; }; \
	DBT_PROFILES_DIR=. DBT_TARGET_PATH="$$home/build/target" DBT_LOG_PATH="$$home/build/logs" \
		$(BIN)/dbt docs generate --static --quiet && \
	mv "$$home/build/target/static_index.html" "$$home/docs.html" && echo "Open $$home/docs.html"

.PHONY: help setup build test test-clients node-and-chromium lint bench soak shell docs
