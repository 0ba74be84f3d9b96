# `make demo` runs the main job, `make test` everything that must pass. Both set up what they need in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test test-rust test-python lint build docs bench bench-algorithms bench-instructions validate clean help

help:
	@echo "make demo      build, install into .venv, reproduce figure 3.5 of saedi2019 (quick)"
	@echo "make test      lints and tests, Rust and Python"
	@echo "make docs      write docs/reference from the tables of the engine"
	@echo "make bench     packet-hops per CPU second, beside ns-2 where it is installed"
	@echo "make bench-algorithms  CPU time of each algorithm beside NewReno's"
	@echo "make bench-instructions  instructions per packet-hop, beside the table kept last"
	@echo "make validate  compare with the stored ns-2 figures and write docs/validation.md"

$(BIN)/maturin: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Windlass needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@echo "making a Python environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.16,<2'
	@touch $(BIN)/maturin

# The extension and the package, in place: an edit of a Python file needs no new build.
build: $(BIN)/maturin
	@command -v cargo >/dev/null || { echo "Windlass needs Rust: no \`cargo\` found, see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "Windlass needs a C compiler to link: no \`cc\` found" >&2; exit 1; }
	@echo "building the engine (a minute or two the first time, seconds afterwards) ..."
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
		$(BIN)/maturin develop --quiet --release --extras dev >/dev/null

demo: build
	@echo "reproducing figure 3.5 of saedi2019, quick: about a minute on two cores, seconds on a second call ..."
	@$(BIN)/windlass reproduce saedi2019/fig3.5 --quick

test: lint test-rust test-python

lint: build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	$(BIN)/ruff check python tests benches
	$(BIN)/mypy

test-rust:
	cargo test --workspace --quiet

test-python: build
	$(BIN)/python -m pytest tests/python

bench: build
	cargo build --release --quiet -p windlass-bench
	$(BIN)/python benches/compare.py

bench-algorithms:
	cargo build --release --quiet -p windlass-bench
	$(PYTHON) benches/algorithms.py

bench-instructions:
	cargo build --release --quiet -p windlass-bench
	$(PYTHON) benches/instructions.py

validate: build
	$(BIN)/python -m windlass.validation

docs: build
	$(BIN)/python -m windlass.docs docs/reference

clean:
	rm -rf target $(VENV)
