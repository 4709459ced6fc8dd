#!/bin/sh
# Writes constraints.txt anew: the newest versions that go together, from a fresh environment.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh tools/make_venv.sh "$folder"
pip="$folder/bin/python -m pip --disable-pip-version-check"
$pip install --quiet --upgrade pip
$pip install --quiet --editable '.[all]' --group dev
{
    echo "# Every version that CI uses, names and versions alone. \`make pins\` writes it anew."
    $pip freeze --all --exclude-editable
} > constraints.txt
