# SPDX-License-Identifier: GPL-3.0-or-later
# How every target of the project is declared: one static library per folder of core, thin executables,
# one test executable per unit. Nothing is set directory-wide; a target names what it uses.

option(LANCET_UI "Build the window (Qt 6 Widgets)" ON)
option(LANCET_TESTS "Build tests" ON)
set(LANCET_TEST_FOLDERS "" CACHE STRING "Folders of tests that are built, e.g. core/io; none: all")
option(LANCET_BENCH "Build benchmarks" ON)
option(LANCET_FUZZ "Build the libFuzzer targets (needs clang)" OFF)
option(LANCET_NO_SKIP "A test that skips something fails: for Debian 12 with all packages of ./dev" OFF)
option(LANCET_UNITY "Compile several sources at a time" ON)
option(LANCET_WERROR "Treat warnings as errors" OFF)
set(LANCET_GENERATED ${CMAKE_BINARY_DIR} CACHE PATH "The build folder whose generated files the sources include")
set(LANCET_SANITIZE "" CACHE STRING "Sanitizers for all targets, e.g. address,undefined")
set(LANCET_PROGRAMS "" CACHE PATH "With LANCET_SANITIZE: the folder with lancet-worker and lancet-reader of another build")
set(LANCET_TEST_FLAGS "" CACHE STRING "Further compiler flags of tests, e.g. -O1: they are compiled more often than they run")
set(LANCET_FRONT_FLAGS "" CACHE STRING "Further compiler flags of the window, the command line and COLD folders of core, e.g. -O1: what must be fast is elsewhere")

set(LANCET_TEST_SECONDS 300) # that a test may take
set(LANCET_SLOWNESS 1) # limits of time in tests are multiplied by it
if(LANCET_SANITIZE) # ten times as slow, and more
  set(LANCET_TEST_SECONDS 1500)
  set(LANCET_SLOWNESS 20)
endif()

# ccache takes precompiled headers only with these settings, and g++ must tell it which one it used (-fpch-preprocess, below).
find_program(LANCET_CCACHE ccache)
if(LANCET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${LANCET_CCACHE})
endif()

# What every target of ours is compiled and linked with.
add_library(lancet_flags INTERFACE)
target_compile_features(lancet_flags INTERFACE cxx_std_20)
target_include_directories(lancet_flags INTERFACE ${CMAKE_SOURCE_DIR} ${LANCET_GENERATED}/generated)
target_compile_options(lancet_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${LANCET_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>)
# g++ 12 sees overlapping copies in plain string concatenation (GCC bug 105651).
target_compile_options(lancet_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# It would spend a tenth of its time on collecting garbage, to need a sixth less memory.
target_compile_options(lancet_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=1000> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1500000>)
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  target_compile_options(lancet_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endif()
# With -O3 it also sees strings of 2^63 bytes there, and deletes inside a block.
target_compile_options(lancet_flags INTERFACE
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-free-nonheap-object>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-array-bounds>)
# In a batch, g++ takes classes with members of anonymous namespaces for those of a header, names of one file for shadows
# in the next, and loses sight of what an optional holds.
if(LANCET_UNITY)
  target_compile_options(lancet_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage -Wno-error=shadow -Wno-maybe-uninitialized>)
endif()
if(LANCET_SANITIZE)
  target_compile_options(lancet_flags INTERFACE -fsanitize=${LANCET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(lancet_flags INTERFACE -fsanitize=${LANCET_SANITIZE})
endif()
find_program(LANCET_MOLD mold)
if(LANCET_MOLD)
  target_link_options(lancet_flags INTERFACE -fuse-ld=mold)
endif()

# lancet_precompiled(NAME HEADERS <a>... [USES targets...] [DEFINES words...] [FLAGS flags...])
# Headers of others, compiled once for all targets of a layer; never our own, whose edits would rebuild all of it.
# A target uses them through lancet_use_precompiled, and has the same flags and at least its definitions.
function(lancet_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;USES;DEFINES;FLAGS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE lancet_flags ${ARG_USES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINES})
  target_compile_options(${name} PRIVATE ${ARG_FLAGS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

set(LANCET_STANDARD_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem> <functional>
  <map> <memory> <numeric> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <unordered_map> <unordered_set>
  <utility> <variant> <vector>)
# What the window and its tests include most. All of <QtWidgets> would cost each file half a second more to load.
set(LANCET_WIDGET_HEADERS <QAbstractTableModel> <QAction> <QApplication> <QCheckBox> <QClipboard> <QComboBox> <QDialogButtonBox> <QDir>
  <QFileInfo> <QHBoxLayout> <QHeaderView> <QJsonArray> <QJsonDocument> <QJsonObject> <QKeyEvent> <QLabel> <QLineEdit> <QListWidget>
  <QLocale> <QMenu> <QMessageBox> <QMimeData> <QMouseEvent> <QPainter> <QPainterPath> <QPointer> <QPushButton> <QRegularExpression>
  <QScrollArea> <QSortFilterProxyModel> <QSpinBox> <QSplitter> <QStyle> <QTableView> <QTabWidget> <QTextBrowser> <QTimer>
  <QToolButton> <QTreeView> <QUrl> <QVBoxLayout>)

# Libraries and executables use what LANCET_PRECOMPILED names in their CMakeLists.txt or one above it, with the flags
# LANCET_PRECOMPILED_FLAGS that it was compiled with.
function(lancet_use_precompiled target)
  target_compile_options(${target} PRIVATE ${LANCET_PRECOMPILED_FLAGS})
  if(LANCET_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${LANCET_PRECOMPILED})
  endif()
endfunction()

# lancet_batch(TARGET [SEPARATE a.cpp...]): several sources at a time are compiled as one, which takes a quarter of the time:
# most of it goes into code of templates that they have in common. SEPARATE ones have names of their own for the same thing.
function(lancet_batch name)
  cmake_parse_arguments(ARG "" "" "SEPARATE" ${ARGN})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${LANCET_UNITY} UNITY_BUILD_BATCH_SIZE 32)
  if(ARG_SEPARATE)
    set_source_files_properties(${ARG_SEPARATE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# lancet_library(NAME [COLD] SOURCES a.cpp... [SEPARATE b.cpp...] USES targets... [PRIVATE_USES targets...])
# One folder of core as a static library; SEPARATE sources are compiled one by one. COLD: no loops over all nodes of a
# model that users wait for; it is compiled in three quarters of the time.
function(lancet_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;GENERATED;SEPARATE;USES;PRIVATE_USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_GENERATED} ${ARG_SEPARATE})
  lancet_batch(${name} SEPARATE ${ARG_SEPARATE})
  target_link_libraries(${name} PUBLIC lancet_flags ${ARG_USES} PRIVATE ${ARG_PRIVATE_USES})
  lancet_use_precompiled(${name})
  if(ARG_COLD)
    target_compile_options(${name} PRIVATE ${LANCET_FRONT_FLAGS})
  endif()
endfunction()

# lancet_window_library(NAME SOURCES ... USES ...): a folder of the window, as lancet_library. What moc makes of its headers is
# one source of a batch: AUTOMOC compiles it apart, for seven seconds a folder.
function(lancet_window_library name)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.h)
  list(TRANSFORM headers REPLACE "(.+)" "${CMAKE_CURRENT_BINARY_DIR}/moc/\\1.moc" OUTPUT_VARIABLE made)
  foreach(header moc IN ZIP_LISTS headers made)
    add_custom_command(OUTPUT ${moc} COMMAND Qt6::moc --no-notes ${CMAKE_CURRENT_SOURCE_DIR}/${header} -o ${moc}
      DEPENDS ${header} COMMENT "moc ${header}" VERBATIM)
  endforeach()
  list(TRANSFORM made REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
  list(JOIN includes "" includes)
  set(together ${CMAKE_CURRENT_BINARY_DIR}/moc/${name}.cpp)
  file(CONFIGURE OUTPUT ${together} CONTENT "${includes}")
  lancet_library(${name} ${ARGN} GENERATED ${together} ${made})
  target_compile_definitions(${name} PUBLIC QT_NO_KEYWORDS)
endfunction()

# lancet_executable(NAME SOURCES ... [SEPARATE ...] USES ...)
function(lancet_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;SEPARATE;USES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_SEPARATE})
  lancet_batch(${name} SEPARATE ${ARG_SEPARATE})
  target_link_libraries(${name} PRIVATE lancet_flags ${ARG_USES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  lancet_use_precompiled(${name})
endfunction()

# lancet_other_build(NAME): the program of the build in LANCET_PROGRAMS, where ours look for it
function(lancet_other_build name)
  add_executable(${name} IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${LANCET_PROGRAMS}/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  file(CREATE_LINK ${LANCET_PROGRAMS}/${name} ${CMAKE_BINARY_DIR}/bin/${name} SYMBOLIC)
endfunction()

if(LANCET_TESTS)
  add_custom_target(test_programs) # and what they need
endif()

# lancet_test(tst_unit SOURCES ... USES ... [GUI])
# One QtTest executable and one ctest entry; those of widgets are GUI. Each source with Q_OBJECT includes its own .moc.
function(lancet_test name)
  lancet_test_program(${name} TESTS ${name} ${ARGN})
  lancet_add_test(${name} ${name})
endfunction()

# lancet_tests(folder_tests TESTS tst_a tst_b ... [SOURCES ...] USES ... [GUI])
# Tests of a folder, tst_a.cpp and so on, as one executable that is compiled at a time (with LANCET_UNITY), for a fifth of the time; ctest knows each,
# and ninja builds it by its name. `folder_tests tst_a` runs that one alone. One that starts itself again names itself first.
function(lancet_tests name)
  cmake_parse_arguments(ARG "GUI" "" "TESTS;SOURCES;USES" ${ARGN})
  set(gui)
  if(ARG_GUI)
    set(gui GUI)
  endif()
  set(together ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  list(TRANSFORM ARG_TESTS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1.cpp" OUTPUT_VARIABLE sources)
  add_custom_command(OUTPUT ${together}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${together} "-DTESTS=${sources}" -DUNITY=${LANCET_UNITY} -P ${CMAKE_SOURCE_DIR}/cmake/together.cmake
    DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/cmake/together.cmake COMMENT "putting ${name} together" VERBATIM)
  if(LANCET_UNITY)
    set(sources)
  endif()
  foreach(source ${sources})
    get_filename_component(test ${source} NAME_WE)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS main=${test}_main)
  endforeach()
  lancet_test_program(${name} ${gui} TESTS ${ARG_TESTS} SOURCES ${together} ${sources} ${ARG_SOURCES} USES ${ARG_USES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(test ${ARG_TESTS})
    lancet_add_test(${test} ${name} ${test})
    add_custom_target(${test} DEPENDS ${name})
  endforeach()
endfunction()

# moc is called here: AUTOMOC would compile one more file for each test.
function(lancet_test_program name)
  cmake_parse_arguments(ARG "GUI" "" "TESTS;SOURCES;USES" ${ARGN})
  set(precompiled precompiled_tests)
  if(ARG_GUI)
    set(precompiled precompiled_widget_tests)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(test_programs ${name})
  foreach(test ${ARG_TESTS})
    set(moc ${CMAKE_CURRENT_BINARY_DIR}/moc/${test}.moc)
    add_custom_command(OUTPUT ${moc} COMMAND Qt6::moc ${CMAKE_CURRENT_SOURCE_DIR}/${test}.cpp -o ${moc}
      DEPENDS ${test}.cpp COMMENT "moc ${test}.cpp" VERBATIM)
    target_sources(${name} PRIVATE ${moc})
  endforeach()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
  target_include_directories(${name} PRIVATE ${LANCET_GENERATED}/${folder}/moc)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE lancet_flags Qt6::Test ${ARG_USES})
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS LANCET_SLOWNESS=${LANCET_SLOWNESS} LANCET_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # Plain string concatenation: GCC bug 105651.
  target_compile_options(${name} PRIVATE ${LANCET_TEST_FLAGS} $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  target_precompile_headers(${name} REUSE_FROM ${precompiled})
endfunction()

function(lancet_add_test name) # lancet_add_test(tst_a COMMAND [words...])
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${LANCET_TEST_SECONDS} ENVIRONMENT "QT_QPA_PLATFORM=offscreen;XDG_STATE_HOME=${CMAKE_BINARY_DIR}/tests/state;QTEST_FUNCTION_TIMEOUT=${LANCET_TEST_SECONDS}000")
  if(LANCET_NO_SKIP)
    set_tests_properties(${name} PROPERTIES FAIL_REGULAR_EXPRESSION "SKIP   : ")
  endif()
endfunction()

# lancet_bench(bench_unit SOURCES ... USES ...)
# A benchmark in bench/: prints one JSON line per figure. `./dev bench` builds and runs them in the release preset.
if(LANCET_BENCH)
  add_custom_target(benchmarks)
endif()
function(lancet_bench name)
  if(NOT LANCET_BENCH)
    return()
  endif()
  lancet_executable(${name} ${ARGN})
  add_dependencies(benchmarks ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_compile_definitions(${name} PRIVATE LANCET_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endfunction()
