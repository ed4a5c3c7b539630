# The README's two commands are `make demo` and `make test`; CI calls the same targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.9
READY := $(VENV)/.ready

.PHONY: demo test check lint types imports format lock bench clean

demo: $(READY)
	@status=0; $(BIN)/evalkit run suites/support_rag --outputs candidate --out runs --run-id demo || status=$$?; \
	case $$status in \
	  0|1|3) echo "evalkit run ended with exit status $$status (1: a policy condition failed, 3: invalid for gating)";; \
	  *) exit $$status;; \
	esac

test: $(READY)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto --dist worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

check: lint types imports

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

imports: $(READY)
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks

# uv is quick and compiles bytecode (else the first import of litellm takes 13 s); pip does the same work where uv cannot be had.
$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "evalkit needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@if $(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION); then \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock --compile-bytecode && \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .; \
	else \
	  echo "uv could not be installed; falling back to pip (slower)"; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .; \
	fi
	@touch $(READY)

lock: $(READY)
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --extra dev --python-version 3.11 -o requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) .coverage* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist
