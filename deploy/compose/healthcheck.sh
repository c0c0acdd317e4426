#!/bin/bash
# Usage: healthcheck PORT PATH. Exits 0 if http://127.0.0.1:PORT/PATH answers 200 within four seconds.
exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$2" >&3
read -r -t 4 _ status _ <&3 && [[ $status == 200 ]]
