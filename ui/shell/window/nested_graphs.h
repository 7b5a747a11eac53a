// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/window/selection_actions.h"

#include <functional>

namespace ui {

/// Opens graphs inside a model as separate documents, with the inputs that are known from the model around them.
class NestedGraphs final : public QObject {
    Q_OBJECT
public:
    /// Opens a module as a document; see Document::adopt.
    using Open = std::function<Document*(std::shared_ptr<const fx::GraphModule> module, const QString& title,
                                         std::string inputs)>;

    NestedGraphs(Open open, QWidget* window); ///< `window` becomes the parent.

    /// Opens the graph behind the selected node. If there are several, as for torch.cond, a menu offers them.
    void openSelected(Document& document);

private:
    void open(Document& from, const NestedGraph& nested);

    Open m_open;
    QWidget* m_window;
};

} // namespace ui
