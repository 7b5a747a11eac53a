// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/fx_classes.h"
#include "tests/table_cases.h"

/// Cases of tests/data whose input is a program, and what it prints.
namespace table {

/// "line 3: TypeError: ..."
inline QString failureAt(std::size_t line, const TableCase& given, const std::string& text) {
    const std::size_t before = given.linesBefore();
    return QString("line %1: ").arg(line > before ? line - before : 0) +
           QString::fromStdString(text).section('\n', 0, 0);
}

/// The first statement of a file at which Python would stop; Lancet goes on after it, since the model may not need it.
inline const fx::Warning* stopOf(const fx::python::Interpreter& in) {
    for (const fx::Warning& each : in.warnings)
        if (each.what.is("trace.skipped_statement") || each.what.is("trace.skipped_import")) return &each;
    return nullptr;
}

/// What a program prints, and the exception that ends it. `classes` provides torch.fx's own classes, if the program
/// uses them.
using FxClassesOf = std::function<std::shared_ptr<fx::python::FxClasses>(fx::python::Interpreter& in)>;
inline QString printedBy(const TableCase& given, const FxClassesOf& classes = {}) {
    fx::python::Sources sources("case.py", (given.preamble + given.input).toStdString(), {});
    fx::TorchGenerator random(0);
    fx::python::Interpreter in(sources, random, {});
    fx::GraphModule unused;
    fx::trace::ModuleIndex noModules(*unused.root);
    fx::trace::Tracer computing(unused.graph, noModules, fx::trace::Tracer::Mode::AsPython);
    in.recordWith(computing, false);
    const auto fxClasses = classes ? classes(in) : nullptr;
    const fx::trace::Spending spending(in.allowance());
    QString out;
    in.printed = [&](const std::string& line) {
        if (!stopOf(in)) out += QString::fromStdString(line) + "\n";
    };
    try {
        in.run(*in.importModule("case", true).as<fx::python::SourceFile>());
        in.builtins().finishLine();
    } catch (const fx::Error& error) { return out + failureAt(error.textPlace.line, given, error.message().text()); }
    const fx::Warning* stop = stopOf(in);
    if (!stop) return out;
    const std::string reason = stop->what.argument("reason");
    return out + failureAt(stop->textPlace.line, given, reason.empty() ? stop->what.text() : reason);
}

} // namespace table
