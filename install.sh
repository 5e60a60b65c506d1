#!/bin/sh
# Installs abeval from a directory or an address that holds a release: the archives and SHA256SUMS.
set -eu

usage() {
  cat <<'TEXT'
usage: install.sh --from <directory-or-url> [--to <prefix>] [--sha256 <sum>]

  --from    where the release's files are (or ABEVAL_BASE_URL)
  --to      prefix (default ~/.local): the executable goes to <prefix>/bin,
            the web UI, scenarios, examples and licenses to <prefix>/share/abeval
  --sha256  what the archive's SHA-256 must be; by default what SHA256SUMS says,
            which comes from the same place as the archive
TEXT
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

main() {
  from=${ABEVAL_BASE_URL:-}
  to=
  sha256=
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --to | --sha256) [ $# -ge 2 ] || fail "$1 needs a value" ;;
    esac
    case $1 in
      --from) from=$2; shift 2 ;;
      --to) to=$2; shift 2 ;;
      --sha256) sha256=$2; shift 2 ;;
      -h | --help) usage; exit 0 ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  [ -n "$from" ] || fail "say where the release is: --from <directory-or-url>, or ABEVAL_BASE_URL"
  [ -n "$to" ] || to=${HOME:?set HOME, or say --to <prefix>}/.local

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM

  target=$(target_of_this_machine)
  fetch SHA256SUMS
  archive=$(archive_for "$target")
  fetch "$archive"
  verify "$archive"
  mkdir "$work/unpacked"
  tar -xzf "$work/$archive" -C "$work/unpacked"
  install_files
}

# As archives are named: linux-x64, linux-x64-musl, darwin-arm64, ...
target_of_this_machine() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    MINGW* | MSYS* | CYGWIN* | Windows*)
      fail "Windows: run this inside WSL (https://learn.microsoft.com/windows/wsl/install)" ;;
    *) fail "$(uname -s): there is no release for this system" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "$(uname -m): there is no release for this processor" ;;
  esac
  # A shell that Rosetta translates says x86_64 on Apple silicon.
  if [ "$os" = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then arch=arm64; fi
  if [ "$os" = linux ] && is_musl; then echo "$os-$arch-musl"; else echo "$os-$arch"; fi
}

is_musl() {
  case $(ldd --version 2>&1 || true) in
    *musl*) return 0 ;;
    *) return 1 ;;
  esac
}

fetch() {
  case $from in
    http://* | https://*) download "${from%/}/$1" "$work/$1" ;;
    *) cp "${from%/}/$1" "$work/$1" || fail "$from holds no $1" ;;
  esac
}

download() {
  if command -v curl >/dev/null; then
    curl -fsSL "$1" -o "$2" || fail "cannot download $1"
  elif command -v wget >/dev/null; then
    wget -q "$1" -O "$2" || fail "cannot download $1"
  else
    fail "install curl or wget first"
  fi
}

archive_for() {
  names=$(sed -n "s/^[0-9a-f]\{64\}  \(abeval-[0-9][0-9A-Za-z.-]*-$1\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS")
  case $names in
    '') fail "the release has no archive for $1" ;;
    *"
"*) fail "the release has more than one archive for $1: $names" ;;
    *) echo "$names" ;;
  esac
}

verify() {
  expected=$(grep "  $1\$" "$work/SHA256SUMS" | cut -d ' ' -f 1)
  source=SHA256SUMS
  # Windows and some web pages write sums in capitals.
  if [ -n "$sha256" ]; then expected=$(printf '%s' "$sha256" | tr 'A-F' 'a-f') source=--sha256; fi
  actual=$(sha256_of "$work/$1")
  [ "$actual" = "$expected" ] || fail "$1: SHA-256 is $actual, $source says $expected; nothing was installed"
}

sha256_of() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"
  elif command -v shasum >/dev/null; then shasum -a 256 "$1"
  else fail "install sha256sum or shasum first"
  fi | cut -d ' ' -f 1
}

# The executable is tried and then moved into place, so a running or an older one is never half overwritten.
install_files() {
  bin=$to/bin
  share=$to/share/abeval
  mkdir -p "$bin" "$share"
  cp "$work/unpacked/abeval" "$bin/.abeval.new"
  chmod 755 "$bin/.abeval.new"
  version=$("$bin/.abeval.new" --version) || { rm -f "$bin/.abeval.new"; fail "the executable does not run on this machine"; }
  rm -rf "$share/ui"
  for name in ui scenarios examples docs README.md CHANGELOG.md LICENSE THIRD_PARTY_NOTICES sbom.cdx.json; do
    cp -R "$work/unpacked/$name" "$share/"
  done
  mv "$bin/.abeval.new" "$bin/abeval"
  echo "abeval $version is in $bin/abeval; web UI, scenarios and examples are in $share"
  case :$PATH: in
    *:"$bin":*) ;;
    *) echo "add $bin to your PATH" ;;
  esac
}

main "$@"
