#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build the documents into a folder: the site for browsers, with search, from the pages of doc/ and
# the reference of the public headers, and the manual's pages of that reference. Nothing is fetched,
# and any warning of Doxygen or Sphinx is an error.
#   doc/build.sh FOLDER              FOLDER/html and FOLDER/man3
#   doc/build.sh --reference FOLDER  without the pages, so that Doxygen is enough: FOLDER/reference
#                                    and FOLDER/man3
# The packages are those of `test/deps.sh docs`.
set -eu

die() { echo "build: $*" >&2; exit 1; }

pages=yes
folder=
for argument; do
  case $argument in
    -h | --help) awk 'NR > 2 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    --reference) pages=no ;;
    -*) die "unknown option '$argument'" ;;
    *) folder=$argument ;;
  esac
done
[ -n "$folder" ] || die "which folder? (doc/build.sh --help)"
for program in doxygen python3; do
  command -v $program >/dev/null 2>&1 || die "there is no $program (test/deps.sh docs)"
done
[ $pages = no ] || command -v sphinx-build >/dev/null 2>&1 ||
  die "there is no sphinx-build (test/deps.sh docs)"

source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(awk '/define OP2_VERSION_M|define OP2_VERSION_P/ { printf "%s%s", dot, $3; dot = "." }' \
  "$source/include/op2/version.h")
# Packages are built again to the same bytes if the date is given.
date=$(date -u ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"} +%Y-%m-%d)

sed -e "s|@version@|$version|" -e "s|@source@|$source|g" -e "s|@output@|$work|g" \
  "$source/doc/site/Doxyfile.in" >"$work/Doxyfile"
doxygen "$work/Doxyfile"
rm -rf "$folder/man3"
python3 "$source/doc/site/man_pages.py" "$work/xml" "$folder/man3" "$version" "$date"
if [ $pages = no ]; then
  rm -rf "$folder/reference"
  mv "$work/reference" "$folder/"
  exit 0
fi

# Pages link to one another, and to sources, by relative paths: what they link to goes beside them.
mkdir "$work/site" "$work/extra"
mv "$work/reference" "$work/extra/"
(cd "$source" && cp -R README.md CONTRIBUTING.md CHANGELOG.md CITATION.cff LICENSE doc test bench \
  examples include lib codegen backends scheduler compat fortran python tools "$work/site/")
cp "$source/doc/site/index.md" "$source/doc/site/conf.py" "$work/site/"
failed=no
OP2_SITE_VERSION=$version OP2_SITE_TAGS=$work/op2.tag sphinx-build -q -W --keep-going -n \
  -d "$work/trees" "$work/site" "$work/html" || failed=yes
python3 "$source/doc/site/links.py" "$work/html" >"$work/lost" || failed=yes
if [ -s "$work/lost" ]; then
  sed 's/^/build: a link that leads nowhere: /' "$work/lost" >&2
  failed=yes
fi
[ $failed = no ] || die "there were warnings"
rm -rf "$folder/html"
mv "$work/html" "$folder/html"
