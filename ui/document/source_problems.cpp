// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/source_problems.h"

#include "ui/document/document.h"
#include "ui/document/document_source.h"
#include "ui/document/edit_text.h"
#include "ui/document/node_facts.h"
#include "ui/document/random_weights.h"
#include "ui/widgets/core_text.h"

#include <QFileInfo>

namespace ui {

namespace {

/// "could not trace Net: REASON": beside its place the reason is enough.
Problem faultProblem(const fx::SourceFault& fault) {
    const fx::Message& message = fault.error.message();
    const std::string reason = message.is("trace.source_failed") ? message.argument("reason") : message.text();
    QString place = QFileInfo(fromCore(fault.file)).fileName();
    if (const auto line = fault.error.textPlace.line; line > 0)
        place += (place.isEmpty() ? QString() : QStringLiteral(" · ")) + ProblemsModel::tr("line %1").arg(line);
    return {Problem::Severity::Error, elidedLines(reason, 1000), fx::kNoNode, place};
}

/// Only a note: they may be what one wants.
void addRandomWeights(const RandomWeights::Current& weights, std::vector<Problem>& problems) {
    constexpr std::size_t kNamed = 20;
    if (weights.modules.empty()) return;
    problems.push_back({Problem::Severity::Note, randomWeightsText(weights.modules, kNamed), weights.node,
                        elided(weights.modules.front(), 120)});
}

} // namespace

std::vector<Problem> allProblems(const Document& document) {
    std::vector<Problem> problems;
    if (const DocumentSource* source = document.source())
        for (const fx::SourceFault& fault : source->trace()->faults) problems.push_back(faultProblem(fault));
    problems.insert(problems.end(), document.facts().problems().begin(), document.facts().problems().end());
    addRandomWeights(document.randomWeights().current(), problems);
    return problems;
}

} // namespace ui
