#!/usr/bin/env bash
# Replaces every replica of the services by new ones, one at a time, without a failed request.
#
# Usage: deploy/rolling.sh [SERVICE…]      land, keys, assistant and edge if none is named; in any case in this order
#
# Run it as `docker compose up` was run: in the same folder, with the same variables. It builds the images, migrates,
# and then for each replica: starts one with the new image and settings, waits until it is healthy, and stops an old
# one, which finishes its requests. The number of replicas stays. If a new replica does not become healthy, it is
# removed, the others are left as they are, and the status is 1.
set -euo pipefail
healthy_within_s=${HEALTHY_WITHIN_S:-180}
all=(land keys assistant edge)
wanted=" ${*:-${all[*]}} "

say() { printf 'rolling: %s\n' "$*"; }
fail() { printf 'rolling: %s\n' "$*" >&2; exit 1; }
replicas() { docker compose ps --quiet --status running "$1"; }

health() { docker inspect --format '{{.State.Health.Status}}' "$1" 2>/dev/null || echo gone; }

wait_until_healthy() { # CONTAINER
  local ends=$((SECONDS + healthy_within_s))
  until [[ $(health "$1") == healthy ]]; do
    if [[ $(health "$1") == gone ]] || ((SECONDS > ends)); then
      docker logs --tail 20 "$1" >&2 || true
      return 1
    fi
    sleep 0.5
  done
}

edges_in_use() { # how many edges the front sends requests to
  docker compose exec -T front bash -c \
    'exec 3<>/dev/tcp/127.0.0.1/8081 && printf "GET / HTTP/1.0\r\n\r\n" >&3 && tail -n 1 <&3'
}

wait_for_front() { # COUNT
  [[ -n $(replicas front) ]] || return 0 # another proxy is in front
  local ends=$((SECONDS + 60))
  until (($(edges_in_use) >= $1)); do
    ((SECONDS < ends)) || return 1
    sleep 0.5
  done
}

replace_one() { # SERVICE CONTAINER
  local service=$1 old=$2 before after new
  before=$(replicas "$service")
  docker compose --progress quiet up --detach --no-deps --no-build --no-recreate \
    --scale "$service=$(($(wc -w <<<"$before") + 1))" "$service"
  after=$(docker compose ps --all --quiet "$service")
  new=$(comm -13 <(sort <<<"$before") <(sort <<<"$after") | head -n 1)
  [[ -n $new ]] || fail "$service: no new replica started"
  if ! wait_until_healthy "$new"; then
    docker rm --force "$new" >/dev/null || true
    fail "$service: the new replica is not healthy and was removed; the others serve on as before"
  fi
  if [[ $service == edge ]] && ! wait_for_front "$(wc -w <<<"$after")"; then
    docker rm --force "$new" >/dev/null
    fail "edge: the front does not reach the new replica, which was removed; the others serve on as before"
  fi
  docker stop "$old" >/dev/null
  docker rm "$old" >/dev/null
}

for service in $wanted; do
  [[ " ${all[*]} " == *" $service "* ]] || fail "unknown service: $service (services: ${all[*]})"
  [[ -n $(replicas "$service") ]] || fail "$service does not run: use docker compose up"
done
docker compose build ${BUILD_OPTIONS:---quiet}
docker compose --progress quiet run --rm --no-deps -T secrets
for service in "${all[@]}"; do
  [[ $wanted == *" $service "* ]] || continue
  if [[ $service != edge ]]; then
    say "migrating $service"
    docker compose --progress quiet run --rm --no-deps -T "$service-migrate"
  fi
  for old in $(replicas "$service"); do
    say "replacing $service ${old:0:12}"
    replace_one "$service" "$old"
  done
done
say "done"
