#!/bin/bash
# Starts HAProxy. Patterns of an ACL come from a file, so the comma-separated networks are written to one.
set -euo pipefail
printf '%s\n' "${FRONT_TRUSTED_PROXIES:-}" | tr -s ', ' '\n' | sed '/^$/d' >/tmp/trusted-proxies
exec haproxy -db -f /etc/haproxy/haproxy.cfg
