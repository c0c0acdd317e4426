#!/usr/bin/env bash
# Generates src/api/schema.d.ts from the API description. With --check, only compares them. Needs node and npm on the PATH.
set -euo pipefail
cd "$(dirname "$0")"
root=../../../..

"$root/deploy/npm_ci.sh"
"${PYTHON:-python3}" "$root/deploy/api_schemas.py" |
  node_modules/.bin/openapi-typescript --default-non-nullable=false --output ../src/api/schema.d.ts "$@" >/dev/null || {
  echo 'src/api/schema.d.ts is not current, run `make types`' >&2
  exit 1
}
