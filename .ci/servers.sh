# Real SPARQL servers for the tests that are marked "needs an Oxigraph server" or "needs a Virtuoso server".
#
#     source .ci/servers.sh
#     servers_start                  # installs what is missing, starts, loads the fixtures, waits until all is ready
#     cargo test --test kg -- --ignored servers
#
# Exports TOT_TEST_OXIGRAPH, TOT_TEST_VIRTUOSO, and TOT_MOUNTAINS (the graph of assets/mountains on the first). The servers listen on loopback, on free ports, keep their data
# under target/ci, and are stopped by an EXIT trap; a script with a trap of its own sets it after servers_start and
# calls servers_stop in it. Works in bash with `set -euo pipefail`. A server that cannot be installed
# is said and left out: its variable stays unset, and `servers_start` returns 1. With TOT_CI_GRAPH=FILE (N-Triples,
# plain or gz) that graph is loaded beside the fixtures, into http://fixture/large.

SERVERS_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
SERVERS_DIR="$SERVERS_ROOT/target/ci/servers"
SERVERS_PIDS=()
SERVERS_FIXTURES=(wikidata plain links-wikidata links-company)

servers_free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Waits until a command succeeds: servers_wait SECONDS COMMAND...
servers_wait() {
    local tries=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        ((tries-- > 0)) || return 1
        sleep 0.2
    done
}

servers_answers() {
    curl -sf -m 5 "$1" -H 'Accept: application/sparql-results+json' --data-urlencode 'query=ASK { }'
}

servers_stop() {
    local pid
    for pid in "${SERVERS_PIDS[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    SERVERS_PIDS=()
}

servers_install_oxigraph() {
    local venv="$SERVERS_ROOT/target/ci/venv"
    [ -x "$venv/bin/oxigraph" ] && return
    python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check oxigraph==0.5.13
}

servers_oxigraph() {
    local venv="$SERVERS_ROOT/target/ci/venv" port
    servers_install_oxigraph || return 1
    port="$(servers_free_port)"
    "$venv/bin/oxigraph" serve --bind "127.0.0.1:$port" >"$SERVERS_DIR/oxigraph.log" 2>&1 &
    SERVERS_PIDS+=($!)
    servers_wait 30 servers_answers "http://127.0.0.1:$port/query" || return 1
    local name store="http://127.0.0.1:$port/store?graph=http://fixture"
    for name in "${SERVERS_FIXTURES[@]}"; do
        curl -sf -X POST -H 'Content-Type: text/turtle' --data-binary "@$SERVERS_ROOT/tests/data/kg/$name.ttl" "$store/$name" || return 1
    done
    zcat "$SERVERS_ROOT/assets/mountains/mountains.ttl.gz" |
        curl -sf -X POST -H 'Content-Type: text/turtle' --data-binary @- "$store/mountains" || return 1
    if [ -n "${TOT_CI_GRAPH:-}" ]; then
        local unpack=cat
        case "$TOT_CI_GRAPH" in *.gz) unpack=zcat ;; esac
        "$unpack" "$TOT_CI_GRAPH" | curl -sf -X POST -H 'Content-Type: application/n-triples' -T - "$store/large" || return 1
    fi
    export TOT_TEST_OXIGRAPH="http://127.0.0.1:$port/query"
    export TOT_MOUNTAINS="$TOT_TEST_OXIGRAPH?default-graph-uri=http://fixture/mountains"
}

servers_install_virtuoso() {
    command -v virtuoso-t >/dev/null && return
    local sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo -n)
    command -v apt-get >/dev/null || return 1
    "${sudo[@]}" apt-get update -qq &&
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends virtuoso-opensource
}

servers_virtuoso() {
    servers_install_virtuoso >"$SERVERS_DIR/virtuoso-install.log" 2>&1 || return 1
    local dir="$SERVERS_DIR/virtuoso" sql http ini buffers=10000 name
    sql="$(servers_free_port)"
    http="$(servers_free_port)"
    ini="$(ls /etc/virtuoso-opensource-*/virtuoso.ini | head -n 1)" || return 1
    [ -z "${TOT_CI_GRAPH:-}" ] || buffers=170000
    mkdir -p "$dir/load"
    # The packaged settings, with our folder, ports (the first ServerPort is SQL, the second HTTP) and memory; and without the
    # limit on estimated time. Estimates are made from random samples: the same query passes ten times and is refused the
    # next, above all just after a large graph was loaded. No test may depend on that (tests/kg/estimates.rs has refusals
    # that come every time); TOT_CI_ESTIMATE=SECONDS sets a limit, to see what a real server refuses.
    sed -E "s#/var/lib/virtuoso-opensource-[0-9]+/db#$dir#g; s#/var/lib/virtuoso-opensource-[0-9]+#$dir#g" "$ini" |
        awk -v sql="127.0.0.1:$sql" -v http="127.0.0.1:$http" -v dir="$dir" -v buffers="$buffers" -v estimate="${TOT_CI_ESTIMATE:-0}" '
            /^ServerPort[ \t]*=/ { print "ServerPort = " (seen++ ? http : sql); next }
            /^DirsAllowed[ \t]*=/ { print "DirsAllowed = " dir ", " dir "/load"; next }
            /^MaxQueryCostEstimationTime[ \t]*=/ { print "MaxQueryCostEstimationTime = " estimate; next }
            /^NumberOfBuffers[ \t]*=/ { print "NumberOfBuffers = " buffers; next }
            /^MaxDirtyBuffers[ \t]*=/ { print "MaxDirtyBuffers = " int(buffers * 3 / 4); next }
            { print }' >"$dir/virtuoso.ini"
    (cd "$dir" && exec virtuoso-t +configfile virtuoso.ini +foreground) >"$SERVERS_DIR/virtuoso.log" 2>&1 &
    SERVERS_PIDS+=($!)
    servers_wait 60 servers_answers "http://127.0.0.1:$http/sparql" || return 1
    local load=""
    for name in "${SERVERS_FIXTURES[@]}"; do
        cp "$SERVERS_ROOT/tests/data/kg/$name.ttl" "$dir/load/"
        load+="DB.DBA.TTLP_MT(file_to_string_output('$dir/load/$name.ttl'), '', 'http://fixture/$name'); "
    done
    if [ -n "${TOT_CI_GRAPH:-}" ]; then
        name="$(basename "$TOT_CI_GRAPH")"
        cp "$TOT_CI_GRAPH" "$dir/load/"
        load+="ld_dir('$dir/load', '$name', 'http://fixture/large'); rdf_loader_run(); "
    fi
    isql-vt "127.0.0.1:$sql" dba dba exec="$load checkpoint;" >"$SERVERS_DIR/virtuoso-load.log" 2>&1 || return 1
    export TOT_TEST_VIRTUOSO="http://127.0.0.1:$http/sparql"
}

# Installs what is missing, without a word; what can't be installed is said by servers_start.
servers_install() {
    servers_install_oxigraph >/dev/null 2>&1 || true
    servers_install_virtuoso >/dev/null 2>&1 || true
}

servers_start() {
    local status=0
    rm -rf "$SERVERS_DIR"
    mkdir -p "$SERVERS_DIR"
    trap servers_stop EXIT
    servers_oxigraph || { echo "no Oxigraph server: see $SERVERS_DIR/oxigraph.log" >&2; status=1; }
    servers_virtuoso || { echo "no Virtuoso server: see $SERVERS_DIR/virtuoso*.log" >&2; status=1; }
    return "$status"
}
