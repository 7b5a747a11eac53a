// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document_source.h"

#include <QToolButton>

namespace ui {

/// Menu button that selects which module classes of the traced model are leaf modules: one node per call instead of
/// tracing into them.
class LeafMenu final : public QToolButton {
    Q_OBJECT
public:
    /// Creates a button without entries.
    explicit LeafMenu(QWidget* parent = nullptr);
    /// Lists the module classes of `trace` and checks the leaf modules of `choices`.
    void show(const fx::SourceTrace& trace, const SourceChoices& choices);

Q_SIGNALS:
    /// Emitted when the user makes a class a leaf module or traces into it.
    void chosen(const SourceChoices& choices);

private:
    void fill();
    void change(const fx::SourceType& type, bool leaf);

    std::vector<fx::SourceType> m_types;
    SourceChoices m_choices;
};

} // namespace ui
