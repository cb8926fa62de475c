#!/usr/bin/env bash
# Install the project and its development tools into a virtual environment: setup_venv.sh FOLDER
set -euo pipefail
venv=$1

# The first Python that is new enough, unless PYTHON_FOR_VENV names one.
find_python() {
    local candidate
    for candidate in ${PYTHON_FOR_VENV:-python3 python3.11 python3.12 python3.13 python3.14}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "error: no Python >= 3.11 found; install one, or name it: PYTHON_FOR_VENV=/path/to/python3 make" >&2
    exit 1
}

# Debian splits `venv` from Python.
ensure_venv_module() {
    "$1" -c 'import venv, ensurepip' 2>/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing python3-venv"
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
    fi
    "$1" -c 'import venv, ensurepip' 2>/dev/null && return
    echo "error: $1 has no venv module; as root: apt-get install python3-venv" >&2
    exit 1
}

if [ ! -x "$venv/bin/python" ]; then
    python=$(find_python)
    ensure_venv_module "$python"
    echo "creating $venv with $("$python" --version)"
    "$python" -m venv "$venv"
fi
echo "installing into $venv (about a minute the first time)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --editable '.[dev]'
# Commands start quickly from byte code, which importing does not write where PYTHONDONTWRITEBYTECODE is set.
"$venv/bin/python" -m compileall -q act lift
