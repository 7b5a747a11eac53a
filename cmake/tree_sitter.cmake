# SPDX-License-Identifier: GPL-3.0-or-later
# tree-sitter and its Python grammar as static C libraries, from their PyPI source packages:
# tree_sitter (header tree_sitter/api.h) and tree_sitter_python (declares tree_sitter_python()).

set(core ${LANCET_TREE_SITTER}/tree_sitter/core/lib)

add_library(tree_sitter STATIC ${core}/src/lib.c)
target_include_directories(tree_sitter SYSTEM PUBLIC ${core}/include PRIVATE ${core}/src)

# The grammar includes a few headers of the core as tree_sitter/*.h; its package does not carry them.
set(grammar_include ${CMAKE_BINARY_DIR}/generated/tree_sitter_grammar)
foreach(header parser.h array.h alloc.h ts_assert.h)
  configure_file(${core}/src/${header} ${grammar_include}/tree_sitter/${header} COPYONLY)
endforeach()
add_library(tree_sitter_python STATIC
  ${LANCET_TREE_SITTER_PYTHON}/src/parser.c ${LANCET_TREE_SITTER_PYTHON}/src/scanner.c)
target_include_directories(tree_sitter_python PRIVATE ${grammar_include})
target_link_libraries(tree_sitter_python PUBLIC tree_sitter)

foreach(library tree_sitter tree_sitter_python)
  set_target_properties(${library} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
  target_compile_options(${library} PRIVATE -O2 -w)
endforeach()
