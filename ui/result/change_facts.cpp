// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/change_facts.h"

#include "core/base/plain_number.h"
#include "core/edit/version_diff.h"
#include "core/module/model_info.h"
#include "core/tensor/tensor_ref.h"

#include <QCoreApplication>

namespace ui {

namespace {
struct ChangeText {
    Q_DECLARE_TR_FUNCTIONS(ui::ChangeFacts)
};

std::int64_t weightBytes(const fx::GraphModule& model) {
    const fx::ModuleTotals all = fx::totals(*model.root);
    return all.parameters.bytes + all.buffers.bytes + fx::packedTotals(*model.root).bytes;
}

/// Nullopt: symbolic, or more than can be counted.
std::optional<std::int64_t> bytesOf(const fx::ValueInfo& value) {
    if (!value.isTensor) return 0;
    const auto dtype = fx::dtypeFromName(value.dtype);
    if (!dtype || fx::elementSize(*dtype) == 0) return std::nullopt;
    auto bytes = static_cast<std::int64_t>(fx::elementSize(*dtype));
    for (const std::string& text : value.sizes) {
        const auto size = fx::plainNumber(text);
        if (!size || *size < 0 || __builtin_mul_overflow(bytes, *size, &bytes)) return std::nullopt;
    }
    return bytes;
}
} // namespace

ChangeFacts changeFacts(const fx::GraphModule& before, const fx::GraphModule& after, const fx::Progress& progress) {
    fx::VersionDiff diff(before, after, progress);
    const fx::EditEffect& effect = diff.effect();
    ChangeFacts facts{effect.created.size(), effect.erased.size(), effect.changed.size(), 0, !diff.sameModules()};
    if (facts.modules) facts.weightBytes = weightBytes(after) - weightBytes(before);
    return facts;
}

std::optional<std::int64_t> activationBytes(const fx::GraphModule& shown) {
    std::int64_t sum = 0;
    for (const fx::Node& node : shown.graph.nodes()) {
        if (node.op() == fx::Op::Placeholder || node.op() == fx::Op::GetAttr || node.op() == fx::Op::Output) continue;
        if (node.meta().values.empty()) return std::nullopt;
        for (const fx::ValueInfo& value : node.meta().values) {
            const auto bytes = bytesOf(value);
            if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
        }
    }
    return sum;
}

QString nodesText(const ChangeFacts& facts) {
    QStringList parts;
    const auto part = [&](std::size_t nodes, const QString& one, const QString& many, const QString& further) {
        if (nodes > 0) parts << (!parts.isEmpty() ? further : nodes == 1 ? one : many).arg(nodes);
    };
    part(facts.changed, ChangeText::tr("%1 node changed"), ChangeText::tr("%1 nodes changed"), {});
    part(facts.created, ChangeText::tr("%1 node created"), ChangeText::tr("%1 nodes created"),
         ChangeText::tr("%1 created"));
    part(facts.erased, ChangeText::tr("%1 node erased"), ChangeText::tr("%1 nodes erased"),
         ChangeText::tr("%1 erased"));
    if (parts.isEmpty()) return facts.modules ? ChangeText::tr("modules changed") : ChangeText::tr("nothing changed");
    return parts.join(QStringLiteral(", "));
}

QString bytesText(std::int64_t difference) {
    static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double size = std::abs(static_cast<double>(difference));
    int unit = 0;
    for (; size >= 999.5 && unit < 5; ++unit) size /= 1000;
    return QStringLiteral("%1%2 %3").arg(difference < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                                         QString::number(size, 'f', unit == 0 || size >= 99.95 ? 0 : 1),
                                         QLatin1String(kUnits[unit]));
}

} // namespace ui
