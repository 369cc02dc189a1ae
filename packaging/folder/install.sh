#!/bin/sh
# Installs the folder of this file as a systemd service. It prints each step before it is done.
#   ./install.sh            installs, or replaces an older version
#   ./install.sh --print    only prints the steps
#   ./install.sh --remove   removes the service, but not the calendar and its settings
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
code=/opt/kalends
link=/usr/local/bin/kalends
unit=/etc/systemd/system/kalends.service
settings=/etc/kalends/kalends.env
data=/var/lib/kalends

refuse() {
  echo "$*" >&2
  exit 1
}

step() {
  echo "+ $*"
  [ "$action" = --print ] || "$@"
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
  step systemctl disable --now kalends
  step rm -f $unit $link
  step systemctl daemon-reload
  step rm -rf $code /var/cache/kalends
  echo "The calendar is still in $data, its settings in $settings, and the user kalends owns them."
  exit 0
fi

[ "$here" != $code ] || refuse "This is the installed version; run install.sh in the folder of another one."
[ ! -e $code ] || [ -x $code/install.sh ] || refuse "$code is there, and install.sh has not made it; move it away first."
[ ! -e $link ] || [ "$(readlink $link)" = $code/kalends ] || refuse "$link is there, and install.sh has not made it; move it away first."
[ ! -e /usr/lib/kalends ] || refuse "Kalends is installed as a package of this system; upgrade that, or remove it first."

echo "Kalends goes into $code, its settings into $settings, the calendar into $data; beside that there are the user kalends, $unit and $link."
step rm -rf $code.new
step cp -R "$here" $code.new
step chown -R 0:0 $code.new
id -u kalends > /dev/null 2>&1 ||
  step useradd --system --user-group --home-dir $data --no-create-home --shell /usr/sbin/nologin kalends
if [ ! -e $settings ]; then
  step install -d -m 755 /etc/kalends
  step install -m 600 "$here/kalends.env" $settings
fi
[ ! -e $unit ] || step systemctl stop kalends
step rm -rf $code
step mv $code.new $code
step install -m 644 "$here/kalends.service" $unit
step ln -sfn $code/kalends $link
step systemctl daemon-reload
step systemctl enable kalends
step systemctl restart kalends
[ "$action" != --print ] || exit 0
port=$(sed -n 's/^KALENDS_PORT=//p' $settings)
echo "Kalends answers at http://localhost:${port:-8080}/ in a moment; journalctl -u kalends shows how it goes."
echo "The first start writes a password and a link to the desk, where the calendar is kept, into $data/first-password.txt."
