// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/fuse.h"
#include "core/partition/partitioner.h"
#include "core/partition/split.h"
#include "tests/table_models.h"

using namespace fx;

namespace {

/// The graph, and those of the modules whose names begin so.
QString withParts(const GraphModule& model, const char* prefix) {
    QString text = table::graphLines(model.graph);
    std::map<std::string, const GraphModule*> parts;
    for (const Module::Child& child : model.root->children)
        if (child.module && child.module->graphModule && child.name.starts_with(prefix))
            parts[child.name] = child.module->graphModule.get();
    for (const auto& [name, part] : parts)
        text += QString::fromStdString(name) + ":\n" + table::graphLines(part->graph);
    return text;
}

QString splitText(const GraphModule& model, const table::Request& request) {
    SplitAssignment parts;
    parts.partOf.assign(model.graph.idLimit(), SplitAssignment::kNoPart);
    int last = 0;
    for (const Node& node : model.graph.nodes()) {
        if (node.op() == Op::Placeholder || node.op() == Op::GetAttr || node.op() == Op::Output) continue;
        const JsonValue part = request.json->root().find(node.name());
        parts.partOf[index(node.id())] = part.exists() ? static_cast<int>(part.asInt()) : 0;
        last = std::max(last, parts.partOf[index(node.id())]);
    }
    parts.partitions.resize(static_cast<std::size_t>(last) + 1);
    try {
        return withParts(splitModule(model, parts), "submod_");
    } catch (const Error& error) { return QString("refused: ") + error.what(); }
}

/// The partitions that are proposed, and the fused or split model.
QString partitioned(const TableCase& given) {
    const table::Request request(given);
    const auto model = table::tracedIn(table::programOf(given), "net");
    if (request.word == "split") return splitText(*model, request);
    const std::vector<std::string> names = request.texts("supported");
    const auto support = createOpSupport([&](const Module& root, const Node& node) {
        return node.op() != Op::Placeholder && node.op() != Op::GetAttr && node.op() != Op::Output &&
               std::find(names.begin(), names.end(), nodeTarget(root, node)) != names.end();
    });
    PartitionerOptions options;
    options.allowsSingleNodePartition = request.flag("allows_single_node_partition");
    options.nonComputeOps = request.texts("non_compute_ops");
    options.allowedSingleNodePartitionOps = request.texts("allowed_single_node_partition_ops");
    options.skipHorizontalFusion = request.flag("skip_horizontal_fusion");
    CapabilityBasedPartitioner partitioner(*model, *support, options);
    auto partitions = partitioner.proposePartitions();
    if (request.flag("trim")) partitioner.removeBookendNonComputeOps(partitions);
    QString text;
    for (const Partition& partition : partitions) {
        text += QString("partition %1:").arg(partition.id);
        for (const NodeId id : partition.nodes) text += " " + QString::fromStdString(model->graph.node(id).name());
        text += "\n";
    }
    if (request.word != "fuse") return text.isEmpty() ? "no partition" : text;
    fuseByPartitions(*model, partitions);
    return text + withParts(*model, "fused_");
}

} // namespace

/// tests/data/partition: what a back end supports, and the partitions, fused models and split models of torch.fx.
class TestPartitionTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void model_isPartitionedAsInTorchFx_data() { table::addRows("partition", "*.txt"); }
    void model_isPartitionedAsInTorchFx() {
        QFETCH(const TableCase, given);
        table::compare(given, partitioned(given));
    }
};

QTEST_APPLESS_MAIN(TestPartitionTables)
#include "tst_partition_tables.moc"
