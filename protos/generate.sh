#!/usr/bin/env bash
# Generates protos/src/landpartner from protos/landpartner. With --check, only says whether what is checked in is current.
set -euo pipefail
cd "$(dirname "$0")"

out=src
[ "${1:-}" != --check ] || { out=$(mktemp -d); trap 'rm -rf "$out"' EXIT; }
rm -rf "$out/landpartner"
mkdir -p "$out"
mapfile -t files < <(find landpartner -name '*.proto' | sort)
"${PYTHON:-python3}" -m grpc_tools.protoc --proto_path=. \
  --python_out="$out" --grpc_python_out="$out" --mypy_out="quiet:$out" --mypy_grpc_out="quiet:$out" "${files[@]}"
find "$out/landpartner" -type d -exec touch {}/__init__.py \;
touch "$out/landpartner/py.typed"

[ "${1:-}" = --check ] || exit 0
if ! diff -r --exclude=__pycache__ src/landpartner "$out/landpartner"; then
  echo 'protos: generated code is not current, run `make protos`' >&2
  exit 1
fi
