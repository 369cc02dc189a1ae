#!/bin/bash
# Tests the release of `npm run release`, each part on a clean system, and prints the time to its first answer:
#   npm run release:try [-- npm folder deb]
# npm needs nothing else; folder and deb need root, debootstrap and systemd-nspawn, and deb also lintian.
set -euo pipefail
# Each background process has its own group, so that it can be ended as a whole.
set -m
cd "$(dirname "$0")/../release"
release=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/kalends-try-XXXXXX")
pids=()
end() {
  local pid
  for pid in "${pids[@]}"; do kill -- "-$pid" 2> /dev/null || true; done
  wait
  rm -rf --one-file-system "$work"
}
trap end EXIT
sha256sum --quiet -c SHA256SUMS

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

now() { date +%s%N; }

# Waits until an address answers and prints the time since a moment. Fails after 30 seconds.
answers() { # WHAT SINCE URL [COMMAND IN FRONT OF CURL …]
  local what=$1 since=$2 url=$3
  shift 3
  until "$@" curl -sf -o /dev/null "$url"; do
    (($(now) - since < 30000000000)) || fail "$what does not answer within 30 seconds: $(cat "$work"/*/said 2> /dev/null)"
    sleep 0.1
  done
  awk -v what="$what" -v ns=$(($(now) - since)) 'BEGIN { printf "%6.1f s to the first answer: %s\n", ns / 1e9, what }'
}

free_port() { node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close() })'; }

try_npm() {
  local package version bin port since
  # No settings or cache of npm, as on a new machine.
  export npm_config_userconfig=$work/npmrc npm_config_cache=$work/npm-cache
  package=$(echo "$release"/kalends-*.tgz)
  mkdir "$work/npm"
  cd "$work/npm"
  for version in 18 20 22 24.7.0 24 26; do
    npm install --silent --no-audit --no-fund --prefix "node$version" "node@$version"
    bin=$work/npm/node$version/node_modules/.bin
    mkdir "empty$version"
    if ((${version%%.*} < 24)); then
      npm install --silent --no-audit --no-fund --prefix "on$version" "$package"
      if PATH=$bin:$PATH "on$version/node_modules/.bin/kalends" serve > said 2>&1; then fail "Node $version was taken"; fi
      [[ $(wc -l < said) == 1 && $(< said) == "Kalends needs Node 24.7 or newer, and this is $version."* ]] || fail "$(< said)"
      echo "          $(< said)"
      continue
    fi
    port=$(free_port)
    since=$(now)
    (cd "empty$version" && PATH=$bin:$PATH exec npx --yes --package="$package" kalends serve --demo --log-level warn --port "$port") > said 2>&1 &
    pids+=($!)
    answers "npx kalends serve --demo on Node $version" "$since" "http://127.0.0.1:$port/"
    ! grep -i warn said || fail "a warning on Node $version"
    kill -- "-$!"
    wait "$!" 2> /dev/null || true
  done
  cd "$release"
}

# Starts a minimal Debian with a copy of the release in /root.
boot() { # NAME
  local root=$work/$1
  [[ -d $work/debian ]] ||
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,adduser,debconf,libstdc++6,curl,iproute2 bookworm "$work/debian" > "$work/log" 2>&1 ||
    fail "$(tail -n 3 "$work/log")"
  cp -a "$work/debian" "$root"
  cp "$release"/*.deb "$release"/*.tar.gz "$root/root/"
  systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network -b --console=pipe > "$work/$1.log" 2>&1 < /dev/null &
  pids+=($!)
  until init=$(pgrep -P $!) && [[ $(inside systemctl is-system-running 2> /dev/null) =~ running|degraded ]]; do sleep 0.2; done
  inside ip link set lo up
}

inside() { nsenter -t "$init" -m -u -i -n -p -C env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }

add_event() {
  inside sh -c 'curl -sf -o /dev/null -u "admin:$(sed -n 2p /var/lib/kalends/first-password.txt)" -H "Content-Type: application/json" \
    -d "{\"title\": \"Kept\", \"status\": \"publish\", \"start_date\": \"tomorrow 5pm\", \"end_date\": \"tomorrow 7pm\"}" \
    http://127.0.0.1:8080/wp-json/tribe/events/v1/events'
}

has_event() { inside curl -sf 'http://127.0.0.1:8080/wp-json/tribe/events/v1/events' | grep -q '"title":"Kept"' || fail "the event is gone after $1"; }

# Commands of root run in every folder, take variables of their caller, and say why they fail.
try_commands() {
  local folder said
  for folder in / /root; do
    [[ $(inside sh -c "cd $folder && kalends user list") == *admin* ]] || fail "kalends user list in $folder"
    said=$(inside sh -c "cd $folder && KALENDS_LOG_LEVEL=nonsense kalends user list 2>&1") && fail "a wrong variable in $folder"
    [[ $said == *'KALENDS_LOG_LEVEL takes one of'* ]] || fail "kalends says of a wrong variable in $folder: $said"
  done
}

# Has two processes in place of one, and upgrades both by a command.
try_several() { # COMMAND …
  local port
  inside systemctl disable --quiet --now kalends
  inside systemctl enable --quiet --now kalends@8081 kalends@8082
  inside systemctl start kalends-backup.timer
  for port in 8081 8082; do answers "the process on $port" "$(now)" "http://127.0.0.1:$port/readyz" inside; done
  inside "$@" > "$work/log" 2>&1 || fail "$(< "$work/log")"
  for port in 8081 8082; do
    inside curl -sf -o /dev/null "http://127.0.0.1:$port/readyz" || fail "$port does not answer after an upgrade"
  done
  ! inside sh -c 'ls -l /proc/[0-9]*/exe 2> /dev/null' | grep 'kalends/node (deleted)' || fail "a process runs from files of before"
  ! inside systemctl is-active --quiet kalends || fail "an upgrade starts a third process"
}

none_left() {
  [[ -z $(inside systemctl list-units --plain --no-legend --state=active 'kalends*') ]] || fail "a removal leaves processes or timers"
}

try_folder() {
  local since before
  boot folder
  before=$(inside find / -xdev -newer /root -not -path '/proc/*' -not -path '/var/log/*' -not -path '/tmp/*' -not -path '/root/*' | sort)
  since=$(now)
  inside sh -c 'cd /root && tar -xzf kalends-*-linux-x64.tar.gz && cd kalends-*-linux-x64 && ./install.sh > /root/said'
  answers "the folder, unpacked and installed" "$since" http://127.0.0.1:8080/ inside
  try_commands
  add_event
  inside sh -c 'cd /root/kalends-*-linux-x64 && ./install.sh > /root/said'
  answers "the folder, over an older one" "$(now)" http://127.0.0.1:8080/ inside
  has_event "an upgrade"
  inside sh -c 'cp /opt/kalends/kalends@.service /opt/kalends/kalends-backup.* /etc/systemd/system/ && systemctl daemon-reload'
  try_several sh -c 'cd /root/kalends-*-linux-x64 && ./install.sh'
  inside sh -c 'cd /root/kalends-*-linux-x64 && ./install.sh --remove > /root/said 2>&1'
  none_left
  # Lists the files that a removal leaves, except the caches of the system.
  comm -13 <(echo "$before") <(inside find / -xdev -newer /root -not -path '/proc/*' -not -path '/var/log/*' -not -path '/tmp/*' -not -path '/root/*' | sort) |
    sed 's/^/          left: /'
  inside test -e /var/lib/kalends/kalends.sqlite || fail "the calendar is gone after a removal"
  ! inside test -e /opt/kalends || fail "the code is there after a removal"
  inside systemctl poweroff 2> /dev/null || true
}

try_deb() {
  local deb since next
  deb=$(cd "$release" && echo kalends_*_amd64.deb)
  lintian --allow-root --fail-on error,warning "$release/$deb"
  boot deb
  since=$(now)
  inside dpkg -i "/root/$deb" > "$work/log" 2>&1 || fail "$(< "$work/log")"
  answers "the package of Debian" "$since" http://127.0.0.1:8080/ inside
  [[ $(inside stat -c '%a %U' /etc/kalends/kalends.env /var/lib/kalends) == $'600 root\n700 kalends' ]] || fail "modes"
  inside sh -c 'echo KALENDS_SITE_NAME=Ours >> /etc/kalends/kalends.env'
  try_commands
  add_event

  next=${deb/-1_/-2_}
  dpkg-deb -R "$release/$deb" "$work/next"
  sed -i 's/^\(Version: .*\)-1$/\1-2/' "$work/next/DEBIAN/control"
  dpkg-deb -Zgzip --root-owner-group -b "$work/next" "$work/deb/root/$next" > /dev/null
  inside dpkg -i "/root/$next" > "$work/log" 2>&1 || fail "$(< "$work/log")"
  answers "the package, upgraded" "$(now)" http://127.0.0.1:8080/ inside
  has_event "an upgrade"
  inside grep -q KALENDS_SITE_NAME=Ours /etc/kalends/kalends.env || fail "an upgrade has overwritten the settings"

  try_several dpkg -i "/root/$next"
  inside dpkg -r kalends > "$work/log" 2>&1 || fail "$(< "$work/log")"
  none_left
  inside test -e /var/lib/kalends/kalends.sqlite || fail "the calendar is gone after a removal"
  ! inside test -e /usr/lib/kalends || fail "the code is there after a removal"
  inside dpkg -P kalends > "$work/log" 2>&1 || fail "$(< "$work/log")"
  inside test -e /var/lib/kalends/kalends.sqlite || fail "a purge deletes the calendar without having been told so"
  ! inside test -e /etc/kalends || fail "settings are there after a purge"

  inside dpkg -i "/root/$deb" > "$work/log" 2>&1 || fail "$(< "$work/log")"
  answers "the package, over the calendar of an older one" "$(now)" http://127.0.0.1:8080/ inside
  has_event "removing and installing"
  echo 'kalends kalends/delete_calendar boolean true' | inside debconf-set-selections
  inside dpkg -P kalends > "$work/log" 2>&1 || fail "$(< "$work/log")"
  ! inside test -e /var/lib/kalends || fail "the calendar is there after a purge that was told to delete it"
  inside systemctl poweroff 2> /dev/null || true
}

for what in "${@:-npm folder deb}"; do for one in $what; do "try_$one"; done; done
