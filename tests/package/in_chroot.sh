#!/usr/bin/env bash
# A first day with the Debian package, in a fresh Debian 12: installs it, serves over TLS with access keys as its unit
# does, works with the AWS CLI, is looked at by a monitor, backs up, wipes, restores, verifies, upgrades, removes. As root; needs
# debootstrap, openssl, curl and awscli.
#
#   ./dev package && tests/package/in_chroot.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly WORK="$(mktemp -d)" PORT="${PORT:-18443}"
readonly ROOT="$WORK/root"
server=""

step() { printf '== %s\n' "$*"; }
die() {
  printf 'in_chroot: %s\n' "$*" >&2
  exit 1
}
clean() {
  [[ -z "$server" ]] || kill "$server" 2>/dev/null || true
  ! mountpoint -q "$ROOT/proc" || umount "$ROOT/proc"
  rm -rf "$WORK"
}
trap clean EXIT

((EUID == 0)) || die "only root can make a root directory."
for tool in debootstrap openssl aws curl; do command -v "$tool" >/dev/null || die "$tool is missing."; done
package=(build/package/partita_*.deb)
[[ -f "${package[0]}" ]] || die "there is no package; run ./dev package first."

inside() { chroot "$ROOT" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

apt() { inside apt-get -q -y --no-install-recommends "$@" >>"$WORK/apt.log" 2>&1 || die "$(tail -20 "$WORK/apt.log")"; }

# As systemd would, from the unit's own lines.
start() {
  local unit="$ROOT/lib/systemd/system/partita.service" command
  command="$(sed -n 's/^ExecStart=//p' "$unit")"
  inside install -d -m 0700 -o partita -g partita "/var/lib/$(sed -n 's/^StateDirectory=//p' "$unit")" \
    "/var/log/$(sed -n 's/^LogsDirectory=//p' "$unit")"
  : >"$WORK/out" # what the one before said there is not meant
  chroot --userspec=partita:partita "$ROOT" env -i /bin/sh -c "
    umask $(sed -n 's/^UMask=//p' "$unit")
    cd $(sed -n 's/^WorkingDirectory=//p' "$unit")
    . $(sed -n 's/^EnvironmentFile=//p' "$unit")
    exec $command" >"$WORK/out" 2>>"$WORK/log" &
  server=$!
  local deadline=$((SECONDS + 30))
  until grep -q 'is serving' "$WORK/out"; do
    kill -0 "$server" 2>/dev/null && ((SECONDS < deadline)) || die "the server did not start: $(cat "$WORK/log")"
    sleep 0.1
  done
}
stop() {
  kill "$server"
  wait "$server" || die "the server did not stop cleanly: $(cat "$WORK/log")"
  server=""
}

export AWS_CA_BUNDLE="$WORK/server.pem" AWS_DEFAULT_REGION=eu-central-1 AWS_CONFIG_FILE=/dev/null AWS_PAGER=""
export AWS_ACCESS_KEY_ID=AKIDFIRSTDAY AWS_SECRET_ACCESS_KEY="a secret of $RANDOM$RANDOM"
dynamodb() { aws dynamodb --endpoint-url "https://localhost:$PORT" "$@"; }
score() { dynamodb get-item --table-name Scores --key '{"Player": {"S": "ann"}}' --query Item.Score.N --output text; }

step "A fresh Debian"
mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)"
debootstrap --variant=minbase bookworm "$ROOT" ${mirror:+"$mirror"} >"$WORK/debootstrap.log" 2>&1 ||
  die "debootstrap failed: $(tail -5 "$WORK/debootstrap.log")"
mount -t proc proc "$ROOT/proc"
printf '#!/bin/sh\nexit 101\n' >"$ROOT/usr/sbin/policy-rc.d" # no service is started in here
chmod +x "$ROOT/usr/sbin/policy-rc.d"

step "Installing the package"
cp "${package[0]}" "$ROOT/partita.deb"
apt update
apt install /partita.deb
inside partita version
[[ "$(inside getent passwd partita)" == *:/var/lib/partita:* ]] || die "the user partita is not there."

step "Serving over TLS, with access keys"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$WORK/server.key" -out "$WORK/server.pem" 2>/dev/null
cp "$WORK/server.pem" "$WORK/server.key" "$ROOT/etc/partita/"
printf '[first]\naws_access_key_id = %s\naws_secret_access_key = %s\n' "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY" \
  >"$ROOT/etc/partita/credentials"
openssl rand -hex 16 >"$ROOT/etc/partita/token"
for secret in server.key credentials token; do
  inside chgrp partita "/etc/partita/$secret"
  inside chmod 0640 "/etc/partita/$secret"
done
sed -i "s|^PARTITA_OPTIONS=.*|PARTITA_OPTIONS=\"--data /var/lib/partita/data --listen localhost:$PORT \
--tls-cert /etc/partita/server.pem --tls-key /etc/partita/server.key --credentials /etc/partita/credentials --metrics-token /etc/partita/token \
--audit-log /var/log/partita/audit.json\"|" \
  "$ROOT/etc/partita/partita.conf"
start
cat "$WORK/out"

step "Working with the AWS CLI"
dynamodb create-table --table-name Scores --billing-mode PAY_PER_REQUEST \
  --attribute-definitions AttributeName=Player,AttributeType=S --key-schema AttributeName=Player,KeyType=HASH >/dev/null
dynamodb wait table-exists --table-name Scores
dynamodb put-item --table-name Scores --item '{"Player": {"S": "ann"}, "Score": {"N": "41"}}'
dynamodb update-item --table-name Scores --key '{"Player": {"S": "ann"}}' --update-expression 'ADD Score :one' \
  --expression-attribute-values '{":one": {"N": "1"}}'
[[ "$(score)" == 42 ]] || die "the item is not what was written."
if AWS_SECRET_ACCESS_KEY=another dynamodb list-tables 2>"$WORK/refused"; then die "a wrong secret was taken."; fi
grep -q InvalidSignatureException "$WORK/refused" || die "a wrong secret was refused by $(cat "$WORK/refused")"

step "A user with least privilege, by the verbs and then by the AWS CLI"
verb() { inside runuser -u partita -- partita "$@" --data /var/lib/partita/data; }
printf '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": "%s"}]}' \
  "arn:aws:dynamodb:us-east-1:123456789012:table/Scores" >"$ROOT/srv/reads.json"
verb user create ann
verb user key create ann >"$WORK/ann"
verb policy put user ann reads /srv/reads.json
(
  unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
  export AWS_SHARED_CREDENTIALS_FILE="$WORK/ann" AWS_PROFILE=ann
  [[ "$(score)" == 42 ]] || die "ann may not read."
  if dynamodb scan --table-name Scores 2>"$WORK/refused"; then die "ann may do more than was said."; fi
  grep -q "AccessDeniedException.*user/ann" "$WORK/refused" || die "she was refused by $(cat "$WORK/refused")"
  aws sts get-caller-identity --endpoint-url "https://localhost:$PORT" --query Arn --output text | grep -q user/ann
)
aws iam list-users --endpoint-url "https://localhost:$PORT" --query 'Users[].UserName' --output text | grep -qx ann

step "Looking at it as a monitor does"
page() { curl -sS --cacert "$WORK/server.pem" "${@:2}" "https://localhost:$PORT$1"; }
[[ "$(page /ready)" == ready* ]] || die "/ready says $(page /ready)"
page /metrics -H "Authorization: Bearer $(cat "$ROOT/etc/partita/token")" >"$WORK/metrics"
grep -q '^partita_request_seconds_count{operation="UpdateItem"} 1$' "$WORK/metrics" || die "no metrics of the update."
[[ "$(page /metrics)" != *partita_* ]] || die "metrics were shown without the token."
grep -q '"eventName":"CreateTable"' "$ROOT/var/log/partita/audit.json" || die "the audit log has no CreateTable."
grep -q '"errorCode":"InvalidSignatureException"' "$ROOT/var/log/partita/audit.json" || die "nor the forged request."

step "Backing up while it serves, and verifying the backup"
as_partita() { inside runuser -u partita -- partita "$@"; }
inside install -d -o partita -g partita -m 0700 /var/backups/partita
as_partita backup /var/lib/partita/data /var/backups/partita --keep 14 >"$WORK/said"
dynamodb update-item --table-name Scores --key '{"Player": {"S": "ann"}}' --update-expression 'ADD Score :one' \
  --expression-attribute-values '{":one": {"N": "1"}}'
as_partita backup /var/lib/partita/data /var/backups/partita --keep 14 >>"$WORK/said"
as_partita backup list /var/backups/partita >>"$WORK/said"
as_partita verify /var/backups/partita >>"$WORK/said" || die "the backup is not sound: $(cat "$WORK/said")"
cat "$WORK/said"
if as_partita verify /var/lib/partita/data 2>"$WORK/refused"; then die "a store was verified beside its server."; fi
grep -q "in use by another server" "$WORK/refused" || die "which was refused by $(cat "$WORK/refused")"

step "Wiping and restoring"
stop
rm -rf "$ROOT/var/lib/partita/data"
start
[[ "$(dynamodb list-tables --output text)" == "" ]] || die "there are tables after the wipe."
stop
if as_partita restore /var/backups/partita /var/lib/partita/data 2>"$WORK/refused"; then die "it was restored over a store."; fi
for backup in 1 2; do
  rm -rf "$ROOT/var/lib/partita/data"
  as_partita restore /var/backups/partita /var/lib/partita/data --backup "$backup"
  as_partita verify /var/lib/partita/data >"$WORK/said" || die "what was restored is not sound: $(cat "$WORK/said")"
  start
  [[ "$(score)" == $((41 + backup)) ]] || die "backup $backup restored $(score)."
  stop
done
start

step "Upgrading, which keeps what was configured"
stop
apt install --reinstall /partita.deb
start
[[ "$(score)" == 43 ]] || die "the item is gone after the upgrade."
stop

step "Removing, which leaves the data"
apt purge partita
[[ ! -e "$ROOT/usr/bin/partita" && ! -e "$ROOT/etc/partita/partita.conf" ]] || die "something of the package was left."
[[ -d "$ROOT/var/lib/partita/data" ]] || die "the data was removed."
grep -q "left where it is" "$WORK/apt.log" || die "nobody said where the data is."

step "Installing where a user of that name is there already, and no such group"
inside deluser --quiet partita
inside useradd --system --gid nogroup partita
apt install /partita.deb
[[ "$(inside getent group partita)" == partita:* ]] || die "the group that the unit names is not there."
step "All is well"
