# SPDX-License-Identifier: GPL-3.0-or-later
# What the build and the tests need, installed once: Debian's packages, PyTorch, and what the oracle needs beside it.
# Part of ../../dev, which runs in the root of the project and has say() and fail().

readonly packages=(
    build-essential cmake ninja-build ccache mold git ca-certificates python3-venv
    qt6-base-dev libqt6opengl6-dev libxkbcommon-dev qt6-svg-dev qt6-charts-dev libqscintilla2-qt6-dev
    graphviz zlib1g-dev libpcre2-dev libseccomp-dev libcli11-dev
)
readonly test_packages=(xvfb xauth xdotool fonts-dejavu-core dbus-daemon strace libpython3.11-testsuite)
readonly check_packages=(clang-format-14 clang-tidy-14 pyflakes3)
readonly clang_packages=(clang-14 libclang-rt-14-dev libfuzzer-14-dev) # of the presets asan and fuzz

pinned_hash=$(sha256sum tools/pinned.txt | cut -c1-16)
readonly cache="${XDG_CACHE_HOME:-$HOME/.cache}/lancet/$pinned_hash"
readonly venv="$cache/venv"

ensure_packages() { # ensure_packages NAME...: installs those that are missing
    command -v dpkg-query >/dev/null || fail "dpkg-query not found: this is not Debian" "install these packages yourself: $*"
    local installed missing=() name
    installed=$(dpkg-query -W -f '${db:Status-Abbrev}|${Package}\n' "$@" 2>/dev/null | grep '^ii' || true)
    for name in "$@"; do
        [[ $'\n'$installed$'\n' == *"|$name"$'\n'* ]] || missing+=("$name")
    done
    ((${#missing[@]})) || return 0
    say "installing ${#missing[@]} Debian packages (a minute or two): ${missing[*]}"
    local root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "packages are missing and sudo is not installed" "run as root: apt-get install ${missing[*]}"
        root=(sudo)
    fi
    "${root[@]}" apt-get -q update || fail "apt-get update" "check the network and /etc/apt, then run ./dev again"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "${missing[@]}" ||
        fail "apt-get install" "see the message above; then run: apt-get install ${missing[*]}"
}

# Runs STEP_FUNCTION once per cache folder: a stamp is left only after it succeeded.
once() { # once STAMP FUNCTION
    [[ -e $cache/$1.done ]] && return 0
    mkdir -p "$cache" || fail "cannot write $cache" "set XDG_CACHE_HOME to a folder with 1 GB of room"
    "$2"
    touch "$cache/$1.done"
}

make_venv() {
    say "creating a Python environment (10 s): $venv"
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv" || fail "python3 -m venv" "apt-get install python3-venv, then run ./dev again"
}

pip() { "$venv/bin/pip" --disable-pip-version-check "$@"; }

make_torch() {
    local version index=()
    version=$(sed -n 's/^torch==//p' tools/pinned.txt)
    [[ -n ${LANCET_TORCH_INDEX:-} ]] && index=(--extra-index-url "$LANCET_TORCH_INDEX")
    say "downloading torch $version (CPU build, 200 MB: about two minutes)"
    if pip install -q "${index[@]}" "torch==$version+cpu" 2>"$cache/pip.log"; then
        say "installed torch $version+cpu"
    else
        say "the package index has no torch $version+cpu; downloading the wheel with CUDA (3 GB)"
        pip install -q "${index[@]}" "torch==$version" || fail "pip install torch==$version" \
            "check the network and the settings of pip, or set LANCET_TORCH_INDEX or LANCET_TORCH (./dev help)"
        say "installed torch $version with CUDA"
    fi
    ln -sfn "$(echo "$venv"/lib/python3*/site-packages/torch)" "$cache/torch"
}

# What tests/oracle needs beside torch; installed again when its list changes.
ensure_oracle() {
    local list=tests/oracle/requirements.txt stamp
    [[ -e $list && -z ${LANCET_TORCH:-} ]] || return 0
    stamp="oracle-$(sha256sum "$list" | cut -c1-16)"
    [[ -e $cache/$stamp.done ]] && return 0
    say "installing the Python packages of the oracle tests (a minute)"
    pip install -q -r "$list" || fail "pip install -r $list" "check the network and pip's settings, then run ./dev again"
    touch "$cache/$stamp.done"
}

# The libraries whose files library_traces.py traces: only for all tests.
ensure_libraries() {
    local list=tests/oracle/library_requirements.txt stamp
    [[ -e $list && -z ${LANCET_TORCH:-} ]] || return 0
    stamp="libraries-$(sha256sum "$list" | cut -c1-16)"
    [[ -e $cache/$stamp.done ]] && return 0
    say "installing torchvision, timm, transformers and diffusers for the oracle tests (a minute)"
    pip install -q --no-deps --target "$cache/libraries" -r "$list" ||
        fail "pip install -r $list" "check the network and pip's settings, then run ./dev again"
    touch "$cache/$stamp.done"
}

# The packages whose models packages.py traces: only for all tests.
ensure_traced_packages() {
    local list=tests/oracle/package_models.txt stamp
    [[ -e $list && -z ${LANCET_TORCH:-} ]] || return 0
    stamp="packages-$(sed 's/^ .*//' "$list" | sha256sum | cut -c1-16)"
    [[ -e $cache/$stamp.done ]] && return 0
    say "installing a hundred packages with PyTorch models for the oracle tests (some minutes)"
    rm -rf "$cache/packages"
    "$venv/bin/python" tests/oracle/install_packages.py "$cache/packages" ||
        fail "install_packages.py" "check the network and pip's settings, then run ./dev again"
    touch "$cache/$stamp.done"
}

setup() {
    if [[ -n ${LANCET_TORCH:-} && ! -e $LANCET_TORCH/lib/libtorch_cpu.so ]]; then
        fail "LANCET_TORCH=$LANCET_TORCH has no lib/libtorch_cpu.so" \
            "set it to the folder that contains include/ and lib/, or unset it"
    fi
    # torch arrives while apt works: each of the two waits for the network most of the time.
    ensure_packages ca-certificates python3-venv
    once venv make_venv
    local download=
    if [[ -z ${LANCET_TORCH:-} && ! -e $cache/torch.done ]]; then
        once torch make_torch &
        download=$!
    fi
    ensure_packages "${packages[@]}"
    [[ -z $download ]] || wait "$download"
}

torch_python() { # the Python that has torch: that of LANCET_TORCH where it lies in a Python environment, else ours
    local python="${LANCET_TORCH:-}"
    python="${python%/lib/python3*}/bin/python"
    [[ -n ${LANCET_TORCH:-} && -x $python ]] || python=$venv/bin/python
    echo "$python"
}
