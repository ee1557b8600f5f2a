#!/bin/sh
# Until the server can be used.
for _ in $(seq 60); do
  curl -sf http://localhost:4566/_localstack/health >/dev/null && exit 0
  sleep 1
done
echo "no answer" >&2
exit 1
