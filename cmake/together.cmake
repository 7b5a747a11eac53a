# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DOUTPUT=together.cpp "-DTESTS=a.cpp;b.cpp" -P together.cmake
# Writes a source that includes those of the tests, each in a namespace of its own, so that no names clash, and its main
# with it; what they include comes first, and is nothing any more when they name it. The first argument says which one runs.
set(includes)
foreach(test ${TESTS})
  file(STRINGS ${test} lines REGEX "^#include")
  list(FILTER lines EXCLUDE REGEX "\\.moc\"")
  list(APPEND includes ${lines})
  get_filename_component(name ${test} NAME_WE)
  string(APPEND bodies "namespace ${name} {\n#include \"${test}\"\n}\n")
  string(APPEND calls "    if (test == \"${name}\") return ${name}::main(count - 1, words + 1);\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE ${OUTPUT} "${includes}
#include <cstdio>
#include <string_view>
${bodies}
int main(int count, char** words) {
    const std::string_view test = count > 1 ? words[1] : \"\";
${calls}    std::fputs(\"the first argument names the test: ctest -N lists them\\n\", stderr);
    return 2;
}
")
