# Each target makes .venv, installs what it needs, and runs.
# EDITABLE= (empty) installs a plain copy, as a user gets it; the default is editable.
PYTHON ?= python3
# How many processes run the tests: one more than there are cores, since tests wait for servers,
# browsers and other processes. make test WORKERS=1 sets another number.
WORKERS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
EDITABLE ?= -e
BIN = .venv/bin

.PHONY: map models confidence no-gold test emulated cluster lint types build-types format page pages docs docs-serve clean

map: .venv/ready
	$(BIN)/dxjudge map examples/diagnoses.csv -o build/mapped.csv

# From the pairs to the seven files that ship, two hours on two cores: make models GOLD=FOLDER
models: $(if $(wildcard $(GOLD)/*-dev.tsv),.venv/ready-train,no-gold)
	rm -rf build/encoder
	$(BIN)/python training/encoder.py --threads 2 --output build/encoder
	cp build/encoder/* ontology/data/encoder/
	$(BIN)/python training/vectors.py
	$(BIN)/python training/languages.py --threads 2
	$(BIN)/python training/reranker.py --gold "$(GOLD)" --queries 9000
	$(BIN)/python training/refusal.py --gold "$(GOLD)"
	$(BIN)/python training/notes.py
	$(BIN)/python training/confidence.py --gold "$(GOLD)"

# The confidences alone, two minutes: after every change of terms, reading or models
confidence: $(if $(wildcard $(GOLD)/*-dev.tsv),.venv/ready-train,no-gold)
	$(BIN)/python training/confidence.py --gold "$(GOLD)"

no-gold:
	@echo "make models GOLD=FOLDER: a folder of development tables (training/README.md)" >&2; exit 2

test: .venv/ready-dev
	@command -v redis-server >/dev/null || echo "no redis-server here: its tests are skipped"
	$(BIN)/pytest -q -rs -n $(WORKERS) --dist worksteal

# The same vectors on a processor without AVX-512 and VNNI; needs qemu-user (Debian's package).
emulated: .venv/ready-dev
	DXJUDGE_EMULATE=1 $(BIN)/pytest -q tests/test_arithmetic.py

# Ray on several nodes, one of which is killed, and Spark, which needs Java.
cluster: .venv/ready-cluster
	DXJUDGE_RAY=1 $(BIN)/pytest -q -n 0 tests/test_map_batch.py tests/test_cluster_map.py \
	  tests/test_cluster_judge.py tests/test_recipes.py

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

# Type checkers read no import hooks: a folder of links stands in for the package.
build-types:
	@rm -rf build/types && mkdir -p build/types/dxjudge
	@for path in *.py py.typed */__init__.py; do \
	  name=$${path%/__init__.py}; ln -s "$(CURDIR)/$$name" build/types/dxjudge/$$name; done

types: .venv/ready-dev build-types
	$(BIN)/mypy
	$(BIN)/mypy --explicit-package-bases tests

format: .venv/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The pages of view, review, rate and the report, from web/ui; needs node and npm.
pages: web/ui/node_modules/.package-lock.json
	cd web/ui && npm run --silent build

web/ui/node_modules/.package-lock.json: web/ui/package-lock.json
	cd web/ui && npm ci --silent

# docs/scoring.md from the docstrings of scoring/
page: .venv/ready-dev
	$(BIN)/python docs/make_scoring.py

# The docs site in build/site, from docs/ and from the code; no part of it asks another server.
docs: .venv/ready-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

docs-serve: .venv/ready-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/ready: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt $(EDITABLE) "."
	@mkdir -p build
	@touch $@

.venv/ready-train: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt $(EDITABLE) ".[train]"
	@mkdir -p build
	@touch $@

.venv/ready-dev: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt $(EDITABLE) ".[dev]"
	@mkdir -p build
	@touch $@

.venv/ready-cluster: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet -c constraints.txt $(EDITABLE) ".[cluster]"
	@mkdir -p build
	@touch $@

clean:
	rm -rf .venv build dist *.egg-info
