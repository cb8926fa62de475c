#!/usr/bin/env bash
# Install missing system tools by apt-get where that is possible, else say how: setup_system.sh [PACKAGE...]
# Never fails: without a tool, the tests that need it are skipped and the demo stays on the oracle.
set -u
[ $# -gt 0 ] || set -- verilator g++ iverilog yosys mlir-16-tools

present() {
    case "$1" in
        mlir-16-tools) command -v mlir-opt-16 || command -v mlir-opt || [ -x /usr/lib/llvm-16/bin/mlir-opt ] ;;
        *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

missing=()
for package in "$@"; do
    present "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ -z "${TENSORLIFT_NO_APT:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing ${missing[*]} with apt-get"
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    apt-get -o DPkg::Lock::Timeout=120 update -qq >"$log" 2>&1
    for package in "${missing[@]}"; do
        apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "$package" </dev/null >>"$log" 2>&1 ||
            { echo "note: apt-get could not install $package:"; tail -n 3 "$log"; }
    done
    rm -f "$log"
else
    echo "note: ${missing[*]} not found; what needs them is skipped. On Debian, as root: apt-get install ${missing[*]}"
fi
exit 0
