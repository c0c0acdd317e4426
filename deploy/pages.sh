#!/usr/bin/env bash
# Builds the pages of the edge. If the build fails, prints a warning and succeeds: the API runs without the pages.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build

# Says on the terminal what takes a while.
step() {
  echo "pages: $1" >&3
}

build() {
  local node
  step 'finding or installing Node.js'
  node=$(PYTHON=$PWD/.venv/bin/python deploy/node.sh) || return
  cd services/edge/web || return
  step 'installing the packages of npm'
  PATH=$node:$PATH ../../../deploy/npm_ci.sh || return
  step 'building (the log is build/pages.log)'
  PATH=$node:$PATH npm run --silent build || return
}

if [ ! -e services/edge/web/package.json ]; then
  echo 'there are no pages to build'
elif (build) 3>&1 >build/pages.log 2>&1; then
  touch build/pages.stamp
else
  echo 'the pages could not be built (see build/pages.log): the API runs without them' >&2
fi
