#!/usr/bin/env bash
# Makes the hashed locks again: one per image, one for `make run`, one for developers. Needs uv.
# `lock.sh --upgrade` takes newer versions; without it, what is locked stays where it still fits.
set -euo pipefail
cd "$(dirname "$0")/.."

compile() { # LOCK SOURCE...
  local lock=$1
  shift
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
    --no-emit-index-url --no-emit-package landpartner-protos --no-emit-package servicekit \
    --no-emit-package demoland --no-emit-package landpartner-contract --no-emit-package edge --no-emit-package land --no-emit-package assistant --no-emit-package keys \
    "${upgrade[@]}" --output-file "requirements/$lock.lock" "$@"
}

upgrade=("$@")
services=(services/edge/pyproject.toml services/land/pyproject.toml services/assistant/pyproject.toml services/keys/pyproject.toml)
compile run "${services[@]}" requirements/build.in
for service in edge land assistant keys; do
  compile "$service" "services/$service/pyproject.toml" requirements/build.in --constraint requirements/run.lock
done
compile web requirements/web.in
compile audit requirements/audit.in
compile dev "${services[@]}" clients/python/pyproject.toml tools/addressfit/pyproject.toml requirements/build.in requirements/dev.in --constraint requirements/run.lock
