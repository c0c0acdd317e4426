#!/usr/bin/env bash
# Lints the API descriptions, and generates the types of the pages and of the TypeScript client from them. With --check, only compares the
# types. Needs node and npm on the PATH.
set -euo pipefail
cd "$(dirname "$0")"
root=../..
built=$root/build/openapi

../npm_ci.sh
"${PYTHON:-python3}" ../api_description.py "$built"
node_modules/.bin/redocly lint --config rules.yaml >"$built/lint.log" 2>&1 || { cat "$built/lint.log" >&2; exit 1; }
write() { # DESCRIPTION TYPES [--check]
  local description=$1 types=$2
  shift 2
  node_modules/.bin/openapi-typescript "$built/$description" --default-non-nullable=false --output "$root/$types" "$@" >/dev/null || {
    echo "$types is not current, run \`make generated\`" >&2
    exit 1
  }
}
write schemas.json services/edge/web/src/api/schema.d.ts "$@"
write public.en.json clients/typescript/src/schema.d.ts "$@"
