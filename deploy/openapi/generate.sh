#!/usr/bin/env bash
# Lints the API descriptions, and generates the TypeScript types of the pages from them. With --check, only compares the
# types. Needs node and npm on the PATH.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
built=$root/build/openapi

../npm_ci.sh
"${PYTHON:-python3}" ../api_description.py "$built"
node_modules/.bin/redocly lint --config rules.yaml >"$built/lint.log" 2>&1 || { cat "$built/lint.log" >&2; exit 1; }
types=$root/services/edge/web/src/api/schema.d.ts
node_modules/.bin/openapi-typescript "$built/schemas.json" --default-non-nullable=false --output "$types" "$@" >/dev/null || {
  echo 'services/edge/web/src/api/schema.d.ts is not current, run `make generated`' >&2
  exit 1
}
