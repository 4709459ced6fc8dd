#!/bin/sh
# Makes the virtual environment $1 with the first Python at hand that can: 3.11 or newer, with venv.
# `PYTHON=...` in the environment names the one to take instead.
set -u
folder=$1
tried=""

usable() {
    "$1" - <<'CHECK' 2>/dev/null
import sys

version = "Python %d.%d.%d" % sys.version_info[:3]
if sys.version_info < (3, 11):
    print("%s, too old" % version)
    sys.exit(1)
try:
    import ensurepip, venv
except ImportError:
    print("%s without venv (Debian, Ubuntu: apt-get install python3-venv)" % version)
    sys.exit(1)
print("%s" % version)
CHECK
}

for python in ${PYTHON:-python3.11 python3.12 python3.13 python3.14 python3 /usr/bin/python3 python}; do
    path=$(command -v "$python") || continue
    if said=$(usable "$path"); then
        echo "making $folder with $said ($path)"
        [ ! -e "$folder" ] || existed=yes
        "$path" -m venv "$folder" && exit 0
        [ -n "${existed-}" ] || rm -rf "$folder"
        exit 1
    fi
    [ -z "$said" ] || tried="$tried
  $path: $said"
done

echo "passhat needs Python 3.11 or newer, with venv; found:${tried:- none}" >&2
echo "Install one, or name it: make PYTHON=/path/to/python3 ..." >&2
exit 1
