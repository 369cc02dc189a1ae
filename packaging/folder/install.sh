#!/bin/sh
# Installs the folder of this file as a systemd service. It prints each step before it is done.
#   ./install.sh            installs, or replaces an older version
#   ./install.sh --print    only prints the steps
#   ./install.sh --remove   removes the service, but not the calendar and its settings
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
code=/opt/kalends
link=/usr/local/bin/kalends
units=/etc/systemd/system
settings=/etc/kalends/kalends.env
data=/var/lib/kalends
# What is shipped. Anything else in the folder, such as the calendar of a trial, stays where it is.
shipped='bin dist install.sh kalends kalends-backup.service kalends-backup.timer kalends.env kalends.service kalends@.service LICENSE node
  node_modules npm-shrinkwrap.json package.json README.md restart-processes THIRD-PARTY-NOTICES.txt'

refuse() {
  echo "$*" >&2
  exit 1
}

step() {
  echo "+ $*"
  [ "$action" = --print ] || "$@"
}

# Lists the loaded units that match.
loaded() {
  systemctl list-units --all --plain --no-legend "$@" 2> /dev/null | cut -d ' ' -f 1
}

action=${1:-install}
case $action in
  install | --print | --remove) ;;
  *) refuse "install.sh takes --print, --remove or nothing, and not $action." ;;
esac
if [ "$action" != --print ]; then
  [ "$(id -u)" = 0 ] || refuse "install.sh needs root; without it, $here/kalends serve runs the calendar from where it is."
  [ -d /run/systemd/system ] || refuse "There is no systemd here; $here/kalends serve runs the calendar from where it is."
fi

if [ "$action" = --remove ]; then
  [ "$here" = $code ] || [ -x $code/install.sh ] || refuse "$code is not what install.sh has made."
  for unit in kalends.service $(loaded 'kalends@*.service' kalends-backup.timer); do
    step systemctl disable --now "$unit"
  done
  step rm -f $units/kalends.service $units/kalends@.service $link
  step systemctl daemon-reload
  step rm -rf $code /var/cache/kalends
  echo "The calendar is still in $data, its settings in $settings, and the user kalends owns them."
  exit 0
fi

[ "$here" != $code ] || refuse "This is the installed version; run install.sh in the folder of another one."
[ ! -e $code ] || [ -x $code/install.sh ] || refuse "$code is there, and install.sh has not made it; move it away first."
[ ! -e $link ] || [ "$(readlink $link)" = $code/kalends ] || refuse "$link is there, and install.sh has not made it; move it away first."
[ ! -e /usr/lib/kalends ] || refuse "Kalends is installed as a package of this system; upgrade that, or remove it first."

echo "Kalends goes into $code, its settings into $settings, the calendar into $data; beside that there are the user kalends, $units/kalends.service and $link."
step rm -rf $code.new
step install -d $code.new
for name in $shipped; do step cp -R "$here/$name" $code.new/; done
step chown -R 0:0 $code.new
id -u kalends > /dev/null 2>&1 ||
  step useradd --system --user-group --home-dir $data --no-create-home --shell /usr/sbin/nologin kalends
if [ ! -e $settings ]; then
  step install -d -m 755 /etc/kalends
  step install -m 600 "$here/kalends.env" $settings
fi
# A single service stops until its files are replaced. Several start again one after the other, so that another answers meanwhile.
several=$(loaded 'kalends@*.service')
[ ! -e $units/kalends.service ] || step systemctl stop kalends
step rm -rf $code
step mv $code.new $code
step install -m 644 "$here/kalends.service" $units/kalends.service
[ ! -e $units/kalends@.service ] || step install -m 644 "$here/kalends@.service" $units/kalends@.service
step ln -sfn $code/kalends $link
step systemctl daemon-reload
if [ -z "$several" ]; then
  step systemctl enable kalends
  step systemctl restart kalends
else
  step $code/restart-processes
fi
[ "$action" != --print ] || exit 0
port=$(sed -n 's/^KALENDS_PORT=//p' $settings)
[ -n "$several" ] || echo "Kalends answers at http://localhost:${port:-8080}/ in a moment; journalctl -u kalends shows how it goes."
echo "The first start writes a password and a link to the desk, where the calendar is kept, into $data/first-password.txt."
[ ! -e "$here/data" ] || echo "The calendar of your trial is still in $here/data. docs/installing.md says how the service takes it over."
