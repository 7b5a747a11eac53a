// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/save_pt2.h"

#include "core/diff/written_check.h"
#include "core/files/replaced_file.h"
#include "core/io/pt2/pt2_form.h"
#include "core/io/pt2/pt2_writer.h"
#include "core/model_files/read_back.h"

namespace fx {

SaveReport savePt2(const GraphModule& model, const std::string& path, bool verify, const Progress& progress) {
    SaveReport report;
    KeptFile before(path);
    report.warnings = writePt2(model, path, progress);
    if (!verify) {
        before.forget();
        return report;
    }
    OpenOptions options;
    options.modelName = model.modelName;
    const auto back = readBack(path, kSaveAsGraph, options, progress);
    for (const Warning& warning : back->warnings)
        if (back->notLoadable && !model.notLoadable) report.warnings.push_back(warning);
    GraphModule expected = pt2Form(model);
    for (const LiftedInput& input : expected.lifted)
        expected.graph.setTarget(input.node, expected.graph.node(input.node).name()); // the file has one name for both
    for (const NodeId id :
         expected.graph.order()) { // nor is there one for the node that reads a graph inside the graph
        const Node& node = expected.graph.node(id);
        if (node.op() != Op::GetAttr || node.name() == node.target()) continue;
        report.warnings.push_back(
            {Message("saving.node_renamed", {{"node", node.name()}, {"name", node.target()}}), node.name(), {}, {}});
        expected.graph.setNameUnchecked(id, node.target());
    }
    sortGetItems(expected.graph);
    sortGetItems(back->graph);
    requireSame(expected, *back, path, progress, DiffScope::TensorFiles);
    before.forget();
    report.verified = true;
    return report;
}

} // namespace fx
