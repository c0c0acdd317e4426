# `make` alone shows what there is to do.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
EDGE_PORT ?= 8080
DATA_DIR ?= var
ARGS ?=
export DATA_DIR EDGE_PORT

BIN := .venv/bin
PACKAGES := protos libs/servicekit libs/demoland libs/contract services/edge services/land services/assistant services/keys
CLIENT := clients/python
TOOL := tools/addressfit
LAW_WEIGHTS = $(BIN)/python tools/lawfit/fit.py
PAGES := services/edge/web
PAGE_SOURCES := clients/python/README.md clients/typescript/README.md clients/typescript/package.json $(wildcard docs/guide/*.csv) docs/land-units.md docs/addresses.md docs/parcels.md docs/agents.md docs/gis.md docs/landpartner.qgs $(wildcard docs/gis-*.png) docs/verdicts.md docs/events.md docs/changes.md $(wildcard docs/fr/*.md docs/guide/*.md) $(wildcard clients/python/src/*/*.py clients/typescript/src/*.ts) $(shell find $(PAGES) -type f -not -path '*/node_modules/*' -not -path '*/dist/*' 2>/dev/null)
BACKUPS = PYTHONPATH=deploy $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m backups
EMBEDDED := PYTHONPATH=deploy $(BIN)/python -m embedded
CLIENT_TYPES := PYTHONPATH=deploy $(BIN)/python clients/python_types.py
SYNC_CLIENT := PYTHONPATH=deploy $(BIN)/python clients/sync_client.py
GENERATED_PAGES := PYTHONPATH=deploy $(BIN)/python deploy/generated_pages.py
TESTS := $(BIN)/pytest --dist loadfile --no-loadscope-reorder --durations=30
BENCH := PYTHONPATH=deploy:tests $(BIN)/python bench/run.py
OPENAPI := PYTHON=$(CURDIR)/$(BIN)/python deploy/openapi/generate.sh
WITH_NODE := PATH="$$(PYTHON=$(BIN)/python deploy/node.sh):$$PATH"

.PHONY: help
help: ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- running ---------------------------------------------------------------------------------------------------------

.PHONY: run
run: .venv/run.stamp pages ## Run everything here, without Docker (EDGE_PORT=8080, DATA_DIR=var)
	@exec env $(EMBEDDED).run

.PHONY: land
land: .venv/run.stamp ## Run land's command line on the data of `make run`: make land ARGS="import ban FILE"
	@$(EMBEDDED).tool land $(ARGS)

.PHONY: keys
keys: .venv/run.stamp ## Run keys' command line on the data of `make run`: make keys ARGS=list-keys
	@$(EMBEDDED).tool keys $(ARGS)

.PHONY: assistant
assistant: .venv/run.stamp ## Run assistant's command line on the data of `make run`: make assistant ARGS=runs
	@$(EMBEDDED).tool assistant $(ARGS)

.PHONY: up
up: ## Build and start everything in Docker (EDGE_PORT=8080)
	docker compose up --build --detach --wait
	@docker compose exec --no-TTY keys keys setup-token 2>/dev/null || true

.PHONY: rolling
rolling: ## Replace each replica in Docker by a new one, without a failed request (ARGS=edge: of one service)
	deploy/rolling.sh $(ARGS)

.PHONY: backup
backup: ## Write a verified backup to a new folder (ARGS=FOLDER; in Docker: ARGS="--docker FOLDER")
	@$(BACKUPS) make $(ARGS)

.PHONY: restore
restore: ## Restore a backup, after it said what that brings back (ARGS="[--docker] [--withdraw] FOLDER")
	@$(BACKUPS) restore $(ARGS)

.PHONY: down
down: ## Stop what `make up` started; its data stays
	docker compose down

.PHONY: edge
edge: .venv/run.stamp ## Run the edge's command line while `make run` runs: make edge ARGS=replay-refused
	@$(EMBEDDED).tool edge $(ARGS)

# --- working on it ---------------------------------------------------------------------------------------------------

.PHONY: test
test: .venv/dev.stamp ## Run a sample of the tests that need nothing but Python (ARGS for pytest; -n 0 for one process)
	$(TESTS) -n 3 --python-only $(ARGS)

.PHONY: test-all
test-all: .venv/dev.stamp pages ## Run every test, and say what is missing for the others (REQUIRE_ALL=1: then they fail)
	$(TESTS) -n 4 $(ARGS)

.PHONY: faults
faults: .venv/dev.stamp ## Exercise faults under load and write docs/reliability.md (ARGS="--minutes 30"; needs root)
	PYTHONPATH=tests:deploy:bench $(BIN)/python -m faults.run $(ARGS)

.PHONY: leases
leases: .venv/dev.stamp ## Simulate a million histories of leases (ARGS="--histories 10000 --first-seed 0")
	PYTHONPATH=tests $(BIN)/python -m leases.histories $(ARGS)

.PHONY: screens
screens: .venv/dev.stamp pages ## Check and photograph every state of the pages in all widths (var/screens; ARGS=--help)
	PYTHONPATH=tests:deploy $(BIN)/python -m screens.run $(ARGS)

.PHONY: gis-pictures
gis-pictures: .venv/dev.stamp ## Draw the pictures of docs/gis.md again, with QGIS
	PYTHONPATH=tests:deploy $(BIN)/python -m screens.gis

.PHONY: check
check: .venv/dev.stamp ## Lint, check types, contracts, generated code and import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	MYPYPATH=tests:bench $(BIN)/mypy libs deploy bench clients tools tests
	for each in services/*; do MYPYPATH=$$each/tests:$$each:tests:bench $(BIN)/mypy "$$each"; done
	PYTHON=$(CURDIR)/$(BIN)/python PATH="$(CURDIR)/$(BIN):$$PATH" protos/generate.sh --check
	$(WITH_NODE) protos/check.sh
	cd $(PAGES) && PATH="$$(PYTHON=$(CURDIR)/$(BIN)/python $(CURDIR)/deploy/node.sh):$$PATH" sh -c '$(CURDIR)/deploy/npm_ci.sh && npm run --silent check'
	$(WITH_NODE) $(OPENAPI) --check
	$(GENERATED_PAGES) --check
	$(CLIENT_TYPES) --check
	$(SYNC_CLIENT) --check
	$(LAW_WEIGHTS) --check
	$(BIN)/pytest -q tests/contract/test_imports.py tests/contract/test_tree.py

.PHONY: protos
protos: .venv/dev.stamp ## Generate the code of the contracts again
	PYTHON=$(CURDIR)/$(BIN)/python PATH="$(CURDIR)/$(BIN):$$PATH" protos/generate.sh

.PHONY: generated
generated: .venv/dev.stamp clients ## Write again what derives from the code: the pages' and the client's types, docs/settings.md, the table of docs/data.md
	$(WITH_NODE) $(OPENAPI)
	$(GENERATED_PAGES)

.PHONY: clients
clients: .venv/dev.stamp ## Write the Python client's types again from the API description, and its synchronous client
	$(CLIENT_TYPES)
	$(SYNC_CLIENT)

.PHONY: clients-all
clients-all: .venv/dev.stamp ## Run generated clients of each language that the machine has, and name what it lacks (ARGS="java go")
	PYTHONPATH=deploy:tests $(BIN)/python tests/clients/programs/run.py $(ARGS)

.PHONY: locks
locks: .venv/dev.stamp ## Make the locks of Python packages again (ARGS=--upgrade for newer versions)
	PATH="$(CURDIR)/$(BIN):$$PATH" requirements/lock.sh $(ARGS)

.PHONY: audit
audit: build/audit.stamp ## Compare the Python and npm locks with the databases of known vulnerabilities (needs the network)
	@build/audit/bin/pip-audit --strict --require-hashes --disable-pip $(patsubst %,--requirement %,$(wildcard requirements/*.lock))
	@export PATH="$$(PYTHON=$(PYTHON) deploy/node.sh):$$PATH"; \
	status=0; for folder in services/edge/web deploy/openapi protos clients/typescript; do \
	(cd $$folder && npm audit) || status=1; done; exit $$status

build/audit.stamp: requirements/audit.lock
	@rm -rf build/audit
	$(PYTHON) -m venv build/audit
	@build/audit/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/audit.lock
	@touch $@

.PHONY: corpus
corpus: .venv/dev.stamp ## Record the expected answers of the contract corpus again, to be read in the diff
	$(BIN)/pytest -q tests/contract/test_corpus.py -k embedded --record-corpus
	$(CLIENT_TYPES)

.PHONY: answers
answers: .venv/dev.stamp ## Write ten answers about real samples to build/answers.md, for a reader: services/assistant/README.md
	PYTHONPATH=deploy:tests $(BIN)/python tests/assessment_answers.py

.PHONY: bench
bench: .venv/dev.stamp ## Compare with tipg, the cheapest path and the bare frame, measure the rest, write docs/benchmarks.md (15 minutes; ARGS=--help)
	$(BENCH) $(ARGS)

.PHONY: address-weights
address-weights: .venv/dev.stamp ## Fit the weights of the address search again (ARGS=--help; needs the sample data)
	$(BIN)/python -m addressfit fit $(ARGS)

.PHONY: law-weights
law-weights: .venv/dev.stamp ## Fit the weights by which cards of law are found again, after a change of their texts (a minute)
	$(LAW_WEIGHTS)

.PHONY: bench-addok
bench-addok: .venv/dev.stamp ## Compare resolving with addok, which is installed under var/ (10 minutes)
	$(BENCH) addok $(ARGS)

.PHONY: bench-national
bench-national: .venv/dev.stamp ## Resolve among 26 million addresses (6 minutes, 4 GB under var/)
	$(BENCH) national $(ARGS)

.PHONY: bench-parcels
bench-parcels: .venv/dev.stamp ## Load up to 10 million parcels and ask about them (needs the sample data, 10 GB under var/)
	$(BENCH) parcels $(ARGS)

.PHONY: clean
clean: ## Remove what was installed and built here; data in DATA_DIR stays
	rm -rf .venv build $(PAGES)/dist $(PAGES)/node_modules deploy/openapi/node_modules protos/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis

# --- what they need --------------------------------------------------------------------------------------------------

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'Python 3.11 or newer is needed; name one with PYTHON=…' >&2; exit 1; }
	@echo 'making .venv'
	@$(PYTHON) -m venv .venv

define install # LOCK, PACKAGES: what it locks, then our own packages, which see changes in their files at once
	@echo 'installing the Python packages of $(1).lock into .venv: a minute or more'
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/$(1).lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation $(addprefix -e ,$(2))
	@touch $@
endef

.venv/run.stamp: requirements/run.lock $(PACKAGES:%=%/pyproject.toml) | .venv/bin/python
	$(call install,run,$(PACKAGES))

.venv/dev.stamp: requirements/dev.lock $(PACKAGES:%=%/pyproject.toml) $(CLIENT)/pyproject.toml $(TOOL)/pyproject.toml | .venv/bin/python
	$(call install,dev,$(PACKAGES) $(CLIENT) $(TOOL))
	@touch .venv/run.stamp

.PHONY: pages
pages: build/pages.stamp

build/pages.stamp: $(PAGE_SOURCES) deploy/node.sh | .venv/bin/python
	@deploy/pages.sh
