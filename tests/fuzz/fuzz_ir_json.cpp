// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/io/ir_json/ir_json.h"
#include "core/ir/lint.h"
#include "core/ir/print.h"
#include "tests/fuzz/temporary_file.h"

#include <cstdlib>

using namespace fx;

/// What is read prints, and reads back as it was after it was written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const TemporaryFile input("input.json"), output("output.json");
    try {
        const auto module = readIrJson(input.with(data, size));
        const std::string text = graphText(module->graph);
        (void)lint(module->graph);
        try {
            (void)generatePython(module->graph);
        } catch (const Error&) { // an infix operator with too few operands
        }
        writeIrJson(*module, output.path());
        if (graphText(readIrJson(output.path())->graph) != text) std::abort();
    } catch (const Error&) {}
    return 0;
}
