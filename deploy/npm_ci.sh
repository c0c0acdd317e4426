#!/usr/bin/env bash
# Installs the locked npm packages of the current folder, unless they are installed already.
set -euo pipefail
if [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000
  touch node_modules/.package-lock.json
fi
