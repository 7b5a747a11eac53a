// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/problems_model.h"

#include "core/io/ir_json/ir_json.h"
#include "core/ir/lint.h"
#include "core/torchscript/torchscript.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"

#include <algorithm>

namespace ui {

namespace {

/// What a reader of TorchScript made of the file beside what it warns of.
void addNotes(std::vector<Problem>& problems, const fx::script::ImportReport& report) {
    const auto add = [&](const fx::Message& message) {
        problems.push_back({Problem::Severity::Note, elidedLines(message.text(), 1000), fx::kNoNode, {}});
    };
    int recognised = 0, all = 0;
    for (const auto& [type, counts] : report.leaves) {
        recognised += counts.first;
        all += counts.first + counts.second;
    }
    if (all > 0) add(fx::Message("script.recognised", {{"count", recognised}, {"all", all}}));
    if (report.folded > 0) add(fx::Message("script.folded", {{"count", report.folded}}));
}

/// Without the traceback of a script.
QString reasonOf(const fx::ShapeFailure& failure) {
    const std::string reason = failure.what.argument("reason");
    return elidedLines(reason.empty() ? failure.what.text() : reason, 400).simplified();
}

/// "x 2×3 float32 (shape from conv1)"; the dtype only `withType`.
QString wordsOf(const fx::ShapeOperand& operand, bool withType) {
    const QString shape = fromCore(operand.info.shapeText());
    QString text = QStringLiteral("%1 %2").arg(elided(operand.name, 60),
                                               shape.isEmpty() ? ProblemsModel::tr("of unknown shape") : shape);
    if (withType && !operand.info.dtype.empty())
        text += u' ' + fromCore(operand.info.dtype).remove(QLatin1String("torch."));
    if (!operand.origin.empty() && operand.origin != operand.name)
        text += (withType ? ProblemsModel::tr(" (from %1)") : ProblemsModel::tr(" (shape from %1)"))
                    .arg(elided(operand.origin, 60));
    return text;
}

/// That the inputs may be, or are, at fault.
QString remarkOnInputs(const QString& guessed, OriginalTakes original) {
    if (original == OriginalTakes::No)
        return guessed.isEmpty() ? ProblemsModel::tr("; the original fails on these inputs, too")
                                 : ProblemsModel::tr("; the original fails on the guessed input %1, too").arg(guessed);
    if (original == OriginalTakes::Yes || guessed.isEmpty()) return {};
    return ProblemsModel::tr("; guessed input: %1").arg(guessed);
}

} // namespace

std::vector<Problem> problemsOf(const fx::GraphModule& module) {
    std::vector<Problem> problems;
    for (const fx::LintProblem& problem : fx::lint(module.graph)) {
        const QString place =
            problem.node == fx::kNoNode ? QString() : elided(module.graph.node(problem.node).name(), 120);
        problems.push_back({Problem::Severity::Error, elidedLines(problem.message.text(), 1000), problem.node, place});
    }
    for (const fx::Warning& warning : module.warnings) {
        const fx::NodeId node = warning.node.empty() ? fx::kNoNode : module.graph.find(warning.node);
        std::string place = warning.node.empty() ? warning.modulePath : warning.node;
        if (!warning.where.empty()) place += (place.empty() ? "" : " · ") + warning.where;
        QString text = elidedLines(warning.what.text(), 1000);
        if (!warning.what.argument(fx::kSaidBy).empty()) text = ProblemsModel::tr("the file says: %1").arg(text);
        problems.push_back({Problem::Severity::Warning, std::move(text), node, elided(place, 200)});
    }
    if (const auto* script = dynamic_cast<const fx::script::ScriptOrigin*>(module.origin.get()))
        addNotes(problems, script->report);
    return problems;
}

qsizetype problemCount(const std::vector<Problem>& problems) {
    return std::ranges::count_if(problems,
                                 [](const Problem& each) { return each.severity != Problem::Severity::Note; });
}

bool isShapeMismatch(const fx::ShapeFailure& failure) {
    return failure.what.is("engine.torch") || failure.what.is("engine.dtypes");
}

Problem problemOf(const fx::ShapeFailure& failure, fx::NodeId node, const QString& guessed, OriginalTakes original) {
    const auto severity = failure.needsValues || suspectsInputs(original, guessed) ? Problem::Severity::Warning
                                                                                   : Problem::Severity::Error;
    const QString inputs = remarkOnInputs(guessed, original);
    if (!isShapeMismatch(failure) && !failure.needsValues)
        return {severity, reasonOf(failure) + inputs, node, elided(failure.node, 120), true};
    QStringList given;
    for (const fx::ShapeOperand& operand : failure.operands)
        given << wordsOf(operand, failure.what.is("engine.dtypes"));
    QString what = failure.needsValues                ? ProblemsModel::tr("the shape depends on run-time values")
                   : failure.what.is("engine.dtypes") ? ProblemsModel::tr("dtype mismatch")
                                                      : ProblemsModel::tr("shape mismatch");
    if (!given.isEmpty()) what += ProblemsModel::tr(": given %1").arg(given.join(QStringLiteral(", ")));
    if (!failure.cause.empty() && !failure.needsValues)
        what +=
            (failure.causeIsEdit && original == OriginalTakes::Yes ? ProblemsModel::tr("; likely cause: the edit at %1")
                                                                   : ProblemsModel::tr("; likely cause: %1"))
                .arg(elided(failure.cause, 60));
    what += inputs;
    what += QStringLiteral(". ") + reasonOf(failure);
    return {severity, what, node, elided(failure.node, 120), true};
}

void ProblemsModel::setProblems(std::vector<Problem> problems) {
    beginResetModel();
    m_problems = std::move(problems);
    endResetModel();
}

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Problem& problem = at(index.row());
    const QString severity = problem.severity == Problem::Severity::Error     ? tr("Error")
                             : problem.severity == Problem::Severity::Warning ? tr("Warning")
                                                                              : tr("Note");
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == What ? severity + QStringLiteral(": ") + problem.what : problem.place;
    case Qt::AccessibleTextRole: return QStringLiteral("%1: %2, %3").arg(severity, problem.what, problem.place);
    case Qt::ToolTipRole: return plainToolTip(problem.what + u'\n' + problem.place);
    default: return {};
    }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
    return section == What ? tr("Problem") : tr("Location");
}

} // namespace ui
