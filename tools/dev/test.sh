# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests, sanitizers, and comparisons with PyTorch. Part of ../../dev, as setup.sh is.

run_ctest() { # run_ctest PRESET [arguments of ctest]
    local preset=$1
    shift
    QT_QPA_PLATFORM=offscreen ctest --test-dir "build/$preset" --output-on-failure -j "$jobs" "$@" ||
        fail "tests of build/$preset" "see the output above; to run one test: ctest --test-dir build/$preset -R NAME"
}

test_sanitized() { # these builds look for what happens at run time; warnings are for the dev build
    build dev lancet-worker lancet-reader
    LANCET_WERROR=OFF build asan test_programs
    # Frames of code that is not optimised, with the sanitizers' fields, are large. Qt and its fonts leave blocks behind.
    (ulimit -s 65536; LSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/leaks.txt:print_suppressions=0 run_ctest asan)
}

readonly threaded=(tst_task_slot tst_worker tst_faults tst_script tst_node_values tst_model_store tst_run_session tst_timing_session)

test_threads() {
    local pattern
    build dev lancet-worker lancet-reader
    LANCET_WERROR=OFF build tsan "${threaded[@]}" canned_worker
    pattern="^($(IFS='|' && echo "${threaded[*]}"))\$"
    TSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/races.txt:ignore_noninstrumented_modules=1:die_after_fork=0 run_ctest tsan -R "$pattern"
}

compare_with_pytorch() { # compare_with_pytorch sample|all: the scripts of tests/oracle, as its CMakeLists.txt lists them
    say "comparing with PyTorch (the oracle); what each script says: build/oracle.log"
    ctest --test-dir build/dev -C "$1" -L oracle -N | grep -q 'Total Tests: 0' &&
        fail "the oracle tests need a Python with torch" "unset LANCET_TORCH, so that ./dev sets one up"
    run_ctest dev -C "$1" -L oracle --output-log "$PWD/build/oracle.log"
}

verb_test() {
    local compared=sample
    [[ ${1:-} == --all ]] && compared=all
    setup
    if [[ ${1:-} == --asan ]]; then
        test_sanitized
        say "all tests passed under ASan and UBSan"
        return
    fi
    ensure_packages "${test_packages[@]}"
    build dev
    describe_sources
    run_ctest dev -LE oracle
    if [[ ${1:-} == --all ]]; then
        sanitized_ui=-DLANCET_UI=ON test_sanitized
        test_threads
    fi
    ensure_oracle
    [[ $compared == sample ]] || { ensure_libraries && ensure_traced_packages; }
    compare_with_pytorch $compared
    say "all tests passed"
}
