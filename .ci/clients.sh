# The providers' own Python clients, for the tests in tests/providers_wire/clients.rs. To be sourced:
#
#   . .ci/clients.sh
#   clients_install && cargo test --test providers_wire -- --ignored
#
# Everything lands in target/ci. Works in bash with `set -euo pipefail`.

CLIENTS_HOME="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/target/ci/clients"
CLIENTS=('openai==3.57.0' 'anthropic==2.14.0' 'ollama==0.6.3')

# Installs the clients into a virtual environment, unless these versions are there; exports TOT_TEST_PYTHON.
clients_install() {
    local python="$CLIENTS_HOME/bin/python"
    if [ "$(cat "$CLIENTS_HOME/versions" 2>/dev/null)" != "${CLIENTS[*]}" ]; then
        rm -rf "$CLIENTS_HOME"
        python3 -m venv "$CLIENTS_HOME" || return 1
        "$python" -m pip install --quiet --disable-pip-version-check "${CLIENTS[@]}" || return 1
        echo "${CLIENTS[*]}" >"$CLIENTS_HOME/versions"
    fi
    export TOT_TEST_PYTHON="$python"
}
