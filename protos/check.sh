#!/usr/bin/env bash
# Lints the contracts, and fails where one of them breaks what released.binpb, the contracts as last released, promised.
# With --release, writes released.binpb anew: part of a release, never of a change.
# Buf comes from the locked package, for which node and npm are needed on the PATH; on other systems than Linux from the PATH.
set -euo pipefail
cd "$(dirname "$0")"

if [ "$(uname -s)" = Linux ]; then
  if [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
  fi
  PATH=$PWD/node_modules/@bufbuild/buf-linux-$(uname -m | sed s/x86_64/x64/)/bin:$PATH
fi
case "${1:-}" in
  --release) buf build --exclude-source-info --output released.binpb ;;
  *) buf lint && buf breaking --against released.binpb ;;
esac
