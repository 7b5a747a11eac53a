# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DOUTPUT=together.cpp "-DTESTS=a.cpp;b.cpp" -DUNITY=ON -P together.cmake
# Writes the main of a program of several tests: its first argument says which one runs. With UNITY it includes the tests,
# each in a namespace of its own, so that no names clash: what they include comes first, and is nothing any more when they
# name it. Without, the tests are compiled beside it, each with its main under another name.
set(includes "#include <cstdio>" "#include <string_view>")
foreach(test ${TESTS})
  get_filename_component(name ${test} NAME_WE)
  if(UNITY)
    file(STRINGS ${test} lines REGEX "^#include")
    list(FILTER lines EXCLUDE REGEX "\\.moc\"")
    list(APPEND includes ${lines})
    string(APPEND bodies "namespace ${name} {\n#include \"${test}\"\n}\n")
    set(main "${name}::main")
  else()
    string(APPEND bodies "int ${name}_main(int, char**);\n")
    set(main "${name}_main")
  endif()
  string(APPEND calls "    if (test == \"${name}\") return ${main}(count - 1, words + 1);\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE ${OUTPUT} "${includes}
${bodies}
int main(int count, char** words) {
    const std::string_view test = count > 1 ? words[1] : \"\";
${calls}    std::fputs(\"the first argument names the test: ctest -N lists them\\n\", stderr);
    return 2;
}
")
