// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/module/model_info.h"
#include "ui/document/find_index.h"
#include "ui/document/node_facts.h"
#include "ui/document/problems_model.h"
#include "ui/tasks/task_slot.h"

#include <QObject>

#include <optional>

namespace ui {

/// Data derived from the current version of a model: its code, search index, problems and summary. They are computed
/// off the GUI thread, and each arrives independently. GUI thread only.
class VersionFacts final : public QObject {
    Q_OBJECT
public:
    /// The version to compute the data of.
    struct Subject {
        std::shared_ptr<const fx::GraphModule> version;  ///< never null
        std::shared_ptr<const fx::GraphModule> shown;    ///< the version with inferred shapes
        std::shared_ptr<const fx::GraphModule> original; ///< the first version
        fx::Format format = fx::Format::GraphModule;     ///< the format of the file
    };

    using QObject::QObject;
    ~VersionFacts() override;

    /// The code; null until it is generated, and if that fails, which adds a problem.
    const std::shared_ptr<const fx::PythonCode>& code() const { return m_code; }
    /// The search index; null until it is built.
    const std::shared_ptr<const FindIndex>& index() const { return m_index; }
    /// Problems of the reader, of lint and of shapes.
    const std::vector<Problem>& problems() const { return m_problems; }
    /// The summary of the model; nullopt until it is computed.
    const std::optional<fx::ModelInfo>& info() const { return m_info; }
    /// The number of calls of each function, method and module class; empty until `info` is computed.
    const CallCounts& calls() const { return m_calls; }

    /// Drops all data but `problems`, because another version is current. Emits nothing.
    void clear(std::vector<Problem> problems = {});
    /// Begins to compute all data.
    void compute(const Subject& subject);
    /// Builds the index again, because nodes have other shapes.
    void computeIndex(std::shared_ptr<const fx::GraphModule> shown);
    /// Adds a problem.
    void addProblem(Problem problem);
    /// Replaces the problems of shapes.
    void setShapeProblems(std::vector<Problem> problems);

Q_SIGNALS:
    /// Emitted when `code` was generated or could not be.
    void codeChanged();
    /// Emitted when `index` was built.
    void indexChanged();
    /// Emitted when `problems`, `info` or `calls` change, and by Document when the random weights change.
    void problemsChanged();

private:
    /// The results of one pass over the graph.
    struct Checked {
        std::vector<Problem> problems;
        fx::ModelInfo info;
        CallCounts calls;
    };
    void generateCode(std::shared_ptr<const fx::GraphModule> version);
    void check(const Subject& subject);

    std::shared_ptr<const fx::PythonCode> m_code;
    std::shared_ptr<const FindIndex> m_index;
    std::vector<Problem> m_problems;
    std::optional<fx::ModelInfo> m_info;
    CallCounts m_calls;
    TaskSlot<std::shared_ptr<const fx::PythonCode>> m_coding{"document.code"};
    TaskSlot<std::shared_ptr<const FindIndex>> m_indexing{"document.index"};
    TaskSlot<Checked> m_checking{"document.problems"};
};

} // namespace ui
