# SPDX-License-Identifier: GPL-3.0-or-later
# Format, words, pyflakes and clang-tidy. Part of ../../dev, as setup.sh is.

verb_format() {
    ensure_packages clang-format-14
    git ls-files '*.h' '*.cpp' | xargs -r clang-format-14 -i
}

# Folders that compile without a build, and checks that report defects, not taste: a minute or two on 2 cores.
readonly tidy_folders=(core/base core/json core/ir core/module core/match core/edit)
readonly tidy_checks="-*,bugprone-use-after-move,bugprone-dangling-handle,bugprone-infinite-loop,bugprone-sizeof-expression,\
bugprone-string-constructor,bugprone-undefined-memory-manipulation,performance-for-range-copy,\
performance-unnecessary-copy-initialization"

check_format() {
    say "checking the format of all C++ files"
    git ls-files '*.h' '*.cpp' | xargs -r clang-format-14 --dry-run -Werror || fail "format of the above" "./dev format"
    # clang-format does not break raw strings.
    git ls-files '*.h' '*.cpp' | LC_ALL=C.UTF-8 xargs -r grep -nE '^.{121}' &&
        fail "lines of more than 120 columns, above" "break them by hand"
    return 0
}

check_defects() {
    say "running clang-tidy on ${tidy_folders[*]}"
    git ls-files "${tidy_folders[@]/%//*.cpp}" | xargs -r -n 4 -P "$jobs" sh -c \
        'clang-tidy-14 --quiet --checks="$0" --header-filter=core/ --warnings-as-errors="*" "$@" \
        -- -std=gnu++20 -I. 2>/dev/null' "$tidy_checks" ||
        fail "clang-tidy" "mend what it names above"
}

readonly most_changed=30 # sources that `check` gives to all of clang-tidy, at 5 s each on two processors

readonly python_builtins=(cached_property module NoneType Tensor OpOverload OpOverloadPacket HigherOrderOperator map_aggregate
    map_arg Node Graph GraphModule Parameter OrderedDict defaultdict Embedding TraceError)

check_python() {
    say "running pyflakes on core/python/library and core/own"
    { /usr/bin/python3 tools/library/lint.py core/python/library "${python_builtins[@]}" &&
        /usr/bin/python3 tools/library/lint.py core/own; } || fail "pyflakes" "mend what it names above"
}

changed_sources() { # those that differ from what is pushed, or, where all is, from the commit before
    local since
    since=$(git rev-parse -q --verify '@{upstream}' 2>/dev/null || true)
    [[ -n $since && $since != "$(git rev-parse HEAD)" ]] || since=$(git rev-parse -q --verify HEAD~1 || echo HEAD)
    { git diff --name-only --diff-filter=d "$since"; git ls-files -o --exclude-standard; } |
        { grep -E '^(app|core|ui)/.*\.cpp$' || true; } | sort -u
}

tidy_whole() { # tidy_whole WHAT: all of .clang-tidy on the sources that standard input names
    local sources
    sources=$(cat)
    [[ -n $sources ]] || return 0
    say "running all of clang-tidy on $1 ($(wc -l <<<"$sources") sources, about 10 s each)"
    setup
    build dev lancet-gui lancet lancet-worker # what the sources include of generated files
    describe_sources
    xargs -n 2 -P "$jobs" clang-tidy-14 --quiet -p build/ide --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option <<<"$sources" 2>/dev/null ||
        fail "clang-tidy" "mend what it names above"
}

verb_check() {
    ensure_packages "${packages[@]}" "${check_packages[@]}"
    check_format
    say "checking the words of the headers' comments"
    python3 tools/dev/words.py || fail "comments of the headers above" "CONTRIBUTING.md, Texts"
    check_python
    check_defects
    if [[ ${1:-} == --all ]]; then
        git ls-files 'core/*.cpp' | tidy_whole "all of core"
    else
        local changed
        changed=$(changed_sources)
        if (($(wc -l <<<"$changed") > most_changed)); then
            say "more than $most_changed sources changed: ./dev check --all runs all of clang-tidy"
        else
            tidy_whole "what changed" <<<"$changed"
        fi
    fi
    say "format and clang-tidy are clean"
}
