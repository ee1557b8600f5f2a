#!/usr/bin/env bash
# A first day with the Debian package, in a fresh Debian 12 that systemd runs in a container: installs it, serves over TLS
# with access keys, works with the AWS CLI, is looked at by a monitor, killed, backs up, wipes, restores, verifies,
# upgrades, removes. As root; needs debootstrap, systemd-container, procps, openssl, curl and awscli.
#
#   ./dev package && tests/debian/in_chroot.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly WORK="$(mktemp -d)" PORT="${PORT:-18443}"
readonly ROOT="$WORK/root"
container="" # what keeps the container
machine=""   # process 1 of it

step() { printf '== %s\n' "$*"; }
die() {
  printf 'in_chroot: %s\n' "$*" >&2
  exit 1
}
clean() {
  [[ -z "$machine" ]] || kill -KILL "$machine" 2>/dev/null || true
  [[ -z "$container" ]] || kill -KILL "$container" 2>/dev/null || true # which may be there without it
  wait 2>/dev/null
  rm -rf "$WORK"
}
trap clean EXIT

((EUID == 0)) || die "only root can make a root directory."
for tool in debootstrap systemd-nspawn nsenter pgrep openssl aws curl; do
  command -v "$tool" >/dev/null || die "$tool is missing."
done
package=(build/package/partita_*.deb)
[[ -f "${package[0]}" ]] || die "there is no package; run ./dev package first."

inside() {
  local enter=(nsenter -t "$machine" -a)
  [[ -n "$machine" ]] || enter=(chroot "$ROOT")
  "${enter[@]}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}

# The unit waits for its server without end (TimeoutStartSec), so nobody else may.
apt() {
  inside timeout 300 apt-get -q -y --no-install-recommends "$@" >>"$WORK/apt.log" 2>&1 ||
    die "apt-get $* failed, or took too long: $(tail -20 "$WORK/apt.log")"
}

system_state() { inside systemctl is-system-running 2>/dev/null || true; } # which ends with 1 when it is degraded

# Its network is its own, so that its ports are free; the tools of outside reach them through there().
boot() {
  systemd-nspawn --quiet --directory="$ROOT" --private-network --keep-unit --register=no --console=pipe \
    /lib/systemd/systemd --unit=multi-user.target >"$WORK/console" 2>&1 </dev/null &
  container=$!
  local deadline=$((SECONDS + 60))
  until [[ -n "$machine" ]] && [[ "$(system_state)" =~ ^(running|degraded)$ ]]; do
    kill -0 "$container" 2>/dev/null && ((SECONDS < deadline)) || die "systemd did not start: $(cat "$WORK/console")"
    sleep 0.2
    machine="$(pgrep -P "$container" || true)"
  done
}
there() { nsenter -t "$machine" -n "$@"; }

journal() { inside journalctl --no-pager --quiet --output=cat --unit=partita --lines=20; }
start() { inside timeout 60 systemctl start partita || die "the server did not start: $(journal)"; }
# until_it_is WHAT COMMAND...: waits for it.
until_it_is() {
  local what="$1" deadline=$((SECONDS + 30))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || die "it is not $what after 30 s: $(journal)"
    sleep 0.2
  done
}
stop() {
  inside systemctl stop partita
  [[ "$(inside systemctl show --property=Result --value partita)" == success ]] ||
    die "the server did not stop cleanly: $(journal)"
}

export AWS_CA_BUNDLE="$WORK/server.pem" AWS_DEFAULT_REGION=eu-central-1 AWS_CONFIG_FILE=/dev/null AWS_PAGER=""
export AWS_ACCESS_KEY_ID=AKIDFIRSTDAY AWS_SECRET_ACCESS_KEY="a secret of $RANDOM$RANDOM"
dynamodb() { there aws dynamodb --endpoint-url "https://localhost:$PORT" "$@"; }
score() { dynamodb get-item --table-name Scores --key '{"Player": {"S": "ann"}}' --query Item.Score.N --output text; }

step "A fresh Debian"
mirror="$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)"
debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus bookworm "$ROOT" ${mirror:+"$mirror"} \
  >"$WORK/debootstrap.log" 2>&1 ||
  die "debootstrap failed: $(tail -5 "$WORK/debootstrap.log")"

step "Installing the package"
cp "${package[0]}" "$ROOT/partita.deb"
apt update
apt install --download-only /partita.deb
boot
apt install /partita.deb
inside systemctl is-active --quiet partita || die "it does not serve once it is installed: $(journal)"
stop
inside partita version
[[ "$(inside getent passwd partita)" == *:/var/lib/partita:* ]] || die "the user partita is not there."

step "Serving over TLS, with access keys"
make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$WORK/server.key" -out "$WORK/server.pem" 2>/dev/null
  cp "$WORK/server.pem" "$WORK/server.key" "$ROOT/etc/partita/"
}
make_certificate
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
journal

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
  there aws sts get-caller-identity --endpoint-url "https://localhost:$PORT" --query Arn --output text | grep -q user/ann
)
there aws iam list-users --endpoint-url "https://localhost:$PORT" --query 'Users[].UserName' --output text | grep -qx ann

step "Looking at it as a monitor does"
page() { there curl -sS --cacert "$WORK/server.pem" "${@:2}" "https://localhost:$PORT$1"; }
ready() { [[ "$(page /ready 2>/dev/null)" == ready* ]]; }
ready || die "/ready says $(page /ready)"
page /metrics -H "Authorization: Bearer $(cat "$ROOT/etc/partita/token")" >"$WORK/metrics"
grep -q '^partita_request_seconds_count{operation="UpdateItem"} 1$' "$WORK/metrics" || die "no metrics of the update."
[[ "$(page /metrics)" != *partita_* ]] || die "metrics were shown without the token."
grep -q '"eventName":"CreateTable"' "$ROOT/var/log/partita/audit.json" || die "the audit log has no CreateTable."
grep -q '"errorCode":"InvalidSignatureException"' "$ROOT/var/log/partita/audit.json" || die "nor the forged request."

step "A new certificate, without a restart"
cp "$WORK/server.pem" "$WORK/old.pem"
make_certificate
inside systemctl reload partita || die "it was not reloaded: $(journal)"
until_it_is "showing the new certificate" ready
if page /ready --cacert "$WORK/old.pem" 2>/dev/null; then die "it still has the certificate of before."; fi

step "Killed, it is started again"
main_process() { inside systemctl show --property=MainPID --value partita; }
killed="$(main_process)"
started_again() { [[ "$(main_process)" != "$killed" ]] && ready; }
inside systemctl kill --signal=KILL partita
until_it_is "started again" started_again
[[ "$(score)" == 42 ]] || die "the item is gone after the kill."

step "Backing up while it serves, and verifying the backup"
# What the operations guide says of every night, with the units of the package.
as_partita() { inside runuser -u partita -- partita "$@"; }
inside install -d -o partita -g partita -m 0700 /var/backups/partita
inside timeout 60 systemctl restart partita
inside systemctl enable --quiet --now partita-backup.timer
inside systemctl list-timers --no-legend partita-backup.timer | grep -q partita-backup.service || die "no timer is on."
inside timeout 60 systemctl start partita-backup.service ||
  die "the backup failed: $(inside journalctl --unit=partita-backup)"
dynamodb update-item --table-name Scores --key '{"Player": {"S": "ann"}}' --update-expression 'ADD Score :one' \
  --expression-attribute-values '{":one": {"N": "1"}}'
as_partita backup /var/lib/partita/data /var/backups/partita --keep 14 >"$WORK/said"
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
apt install --reinstall /partita.deb
[[ "$(score)" == 43 ]] || die "the item is gone after the upgrade."

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
inside systemctl is-active --quiet partita || die "it does not serve: $(journal)"
step "All is well"
