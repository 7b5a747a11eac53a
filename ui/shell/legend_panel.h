// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

class QVBoxLayout;

namespace ui {

class GraphCanvas;

/// What the colours mean, and below it the map of the whole picture.
class LegendPanel final : public QWidget {
    Q_OBJECT
public:
    explicit LegendPanel(QWidget* parent = nullptr);
    /// Null: no map.
    void setCanvas(GraphCanvas* canvas);

private:
    QVBoxLayout* m_column;
    QWidget* m_map = nullptr;
};

} // namespace ui
