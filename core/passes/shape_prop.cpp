// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/shape_prop.h"

#include "core/module/exported_signature.h"
#include "core/passes/fresh_values.h"
#include "core/shapes/annotate.h"

namespace fx {
namespace {

std::string operandText(const ShapeOperand& operand) {
    const std::string shape = operand.info.shapeText();
    std::string text = operand.name + " is " + (shape.empty() ? "of unknown shape" : shape);
    if (!operand.origin.empty() && operand.origin != operand.name) text += " (from " + operand.origin + ")";
    return text;
}

/// The inputs of an exported program are described in it, with symbols.
bool recompute(const PassRun& run) {
    const Graph before = run.graph();
    const std::vector<ShapeFailure> failures = recomputeValues(run.model, *run.engine);
    if (!failures.empty()) throw shapeError(failures.front());
    for (const Node& node : before.nodes())
        if (node.meta().values != run.graph().node(node.id()).meta().values) return true;
    return false;
}

bool propagate(const PassRun& run) {
    if (ExportedSignature::of(run.model)) return recompute(run);
    const NodeShapes shapes = run.engine->shapes(run.model);
    if (!shapes.failures.empty()) throw shapeError(shapes.failures.front());
    return noteShapes(run.graph(), shapes);
}

} // namespace

Error shapeError(const ShapeFailure& failure) {
    std::string given;
    for (const ShapeOperand& operand : failure.operands) given += (given.empty() ? "" : ", ") + operandText(operand);
    Error error(ErrorKind::Run, failure.what);
    error.onNode(failure.node);
    std::string hint = given;
    if (!failure.cause.empty()) hint += (hint.empty() ? "" : "; ") + ("look at " + failure.cause);
    if (!failure.hint.empty()) hint += (hint.empty() ? "" : "; ") + failure.hint;
    return error.hinting(hint);
}

Pass shapePropPass() { return {"shape_prop", "records the shape and dtype of every value", {}, propagate, {}, true}; }

} // namespace fx
