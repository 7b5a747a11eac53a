// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/version_facts.h"

namespace ui {

VersionFacts::~VersionFacts() {
    disposeLater(std::move(m_code));
    disposeLater(std::move(m_index));
}

void VersionFacts::clear(std::vector<Problem> problems) {
    disposeLater(std::move(m_code));
    disposeLater(std::move(m_index));
    m_problems = std::move(problems);
    m_info.reset();
    m_calls.clear();
}

void VersionFacts::compute(const Subject& subject) {
    generateCode(subject.version);
    computeIndex(subject.shown);
    check(subject);
}

void VersionFacts::generateCode(std::shared_ptr<const fx::GraphModule> version) {
    m_coding.start(
        [version](const fx::Progress&) {
            return std::make_shared<const fx::PythonCode>(fx::generatePython(version->graph));
        },
        this,
        [this](std::shared_ptr<const fx::PythonCode> code) {
            m_code = std::move(code);
            Q_EMIT codeChanged();
        },
        // Weak: the slot keeps this until the next start.
        [this, known = std::weak_ptr(version)](const fx::Error& error) {
            const auto of = error.node.empty() ? nullptr : known.lock();
            const fx::NodeId node = of ? of->graph.find(error.node) : fx::kNoNode;
            addProblem({Problem::Severity::Error, tr("cannot generate code: %1").arg(elidedLines(error.what(), 1000)),
                        node, elided(error.node, 120)});
            Q_EMIT codeChanged();
        });
}

void VersionFacts::computeIndex(std::shared_ptr<const fx::GraphModule> shown) {
    m_indexing.start([shown](const fx::Progress& progress) { return FindIndex::build(*shown, progress); }, this,
                     [this](std::shared_ptr<const FindIndex> index) {
                         m_index = std::move(index);
                         Q_EMIT indexChanged();
                     });
}

void VersionFacts::check(const Subject& subject) {
    m_checking.start(
        [subject](const fx::Progress&) {
            const fx::GraphModule& version = *subject.version;
            Checked checked{problemsOf(version), fx::modelInfo(version), callCounts(version)};
            fx::GraphModule asFile = *subject.original;
            if (subject.format == fx::Format::Lancet) asFile.format = subject.format; // as `lancet info` prints it
            checked.info.dialect = fx::dialectOf(asFile);
            return checked;
        },
        this,
        [this](Checked checked) {
            m_problems.insert(m_problems.begin(), std::make_move_iterator(checked.problems.begin()),
                              std::make_move_iterator(checked.problems.end()));
            m_info = std::move(checked.info);
            m_calls = std::move(checked.calls);
            Q_EMIT problemsChanged();
        });
}

void VersionFacts::addProblem(Problem problem) {
    m_problems.push_back(std::move(problem));
    Q_EMIT problemsChanged();
}

void VersionFacts::setShapeProblems(std::vector<Problem> problems) {
    const auto gone = std::erase_if(m_problems, [](const Problem& problem) { return problem.isShape; });
    if (gone == 0 && problems.empty()) return;
    m_problems.insert(m_problems.end(), std::make_move_iterator(problems.begin()),
                      std::make_move_iterator(problems.end()));
    Q_EMIT problemsChanged();
}

} // namespace ui
