# SPDX-License-Identifier: GPL-3.0-or-later
# Configures and builds the presets of CMakePresets.json. Part of ../../dev, as setup.sh is.

configure() { # configure PRESET [cmake arguments]: only when something of it changed
    local preset=$1 build=build/$1 wanted
    shift
    wanted="$(sha256sum CMakePresets.json) ${LANCET_TORCH:-$cache} $*"
    [[ -e $build/build.ninja && $(cat "$build/configured" 2>/dev/null) == "$wanted" ]] && return 0
    say "configuring build/$preset (10 s)"
    rm -f "$build/configured"
    cmake --preset "$preset" -DLANCET_TORCH="${LANCET_TORCH:-$cache/torch}" "$@" ||
        fail "cmake --preset $preset" "see the message above; after ./dev clean the build starts from scratch"
    echo "$wanted" >"$build/configured"
}

progress() { # passes ninja's output on; of its steps, only how far it is and how long the rest takes at this rate
    local line finished total seconds left shown=-30
    while IFS= read -r line; do
        if [[ ! $line =~ ^@([0-9]+)/([0-9]+)\ ([0-9]+) ]]; then
            [[ $line == ninja:\ Entering* ]] || printf '%s\n' "$line"
            continue
        fi
        finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]} seconds=${BASH_REMATCH[3]}
        left=$(((total - finished) * seconds / (finished > 0 ? finished : 1)))
        line="    $finished of $total steps, about $((left / 60)) min $((left % 60)) s left"
        if [[ -t 1 ]]; then
            printf '\r%s\033[K' "$line"
            ((finished < total)) || echo
        elif ((seconds - shown >= 30 || finished == total)); then
            printf '%s\n' "$line"
            shown=$seconds
        fi
    done
}

# What reads the bytes and the sources of others: the tests that LANCET_ONCE leaves to the sanitized build.
readonly reading_folders="core/base;core/json;core/files;core/io;core/pysrc;core/torchscript;core/python;fuzz"

sanitized_ui= # what configure adds to have the window in the sanitized build, too

build() { # build PRESET [ninja targets]
    local preset=$1 options=() once=${LANCET_ONCE:-OFF}
    shift
    [[ $preset != asan && $preset != fuzz ]] || ensure_packages "${clang_packages[@]}"
    # Sanitized programs are too slow for what tests expect in time.
    local no_skip=OFF
    case $preset in
    dev)
        no_skip=ON
        [[ $once != ON ]] || options=(-DLANCET_BENCH=OFF -DLANCET_TEST_FLAGS=-O0
            -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -D_GLIBCXX_ASSERTIONS")
        ;;
    asan | tsan)
        options=(-DLANCET_PROGRAMS="$PWD/build/dev/bin")
        [[ $once != ON ]] || options+=(-DLANCET_TEST_FOLDERS="$reading_folders")
        ;;
    esac
    configure "$preset" -DLANCET_WERROR="${LANCET_WERROR:-ON}" -DLANCET_NO_SKIP=$no_skip "${options[@]}" $sanitized_ui
    ninja -C "build/$preset" -n "$@" 2>/dev/null | tail -n 1 | grep -q 'no work to do' && return 0
    say "building build/$preset with $jobs jobs"
    NINJA_STATUS='@%f/%t %e ' ninja -C "build/$preset" -j "$jobs" "$@" 2>&1 | progress ||
        fail "compiling build/$preset" "see the first error above; if memory ran out: LANCET_JOBS=1 ./dev build"
}

describe_sources() { # compile_commands.json in the root, for editors and clang-tidy: every source by itself
    configure ide
    ln -sfn build/ide/compile_commands.json compile_commands.json
}
