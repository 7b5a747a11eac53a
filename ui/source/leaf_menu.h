// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document_source.h"

#include <QToolButton>

namespace ui {

/// Which module classes of the traced model are leaf modules: one node in the graph each, or followed into.
class LeafMenu final : public QToolButton {
    Q_OBJECT
public:
    explicit LeafMenu(QWidget* parent = nullptr);
    void show(const fx::SourceTrace& trace, const SourceChoices& choices);

Q_SIGNALS:
    void chosen(const SourceChoices& choices);

private:
    void fill();
    void change(const fx::SourceType& type, bool leaf);

    std::vector<fx::SourceType> m_types;
    SourceChoices m_choices;
};

} // namespace ui
