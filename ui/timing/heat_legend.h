// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace ui {

class GraphCanvas;
class HeatMap;

/// What the colours of a heat map mean: the ramp with its ends, in the lower left corner of the canvas; lets the pointer through.
class HeatLegend final : public QWidget {
    Q_OBJECT
public:
    /// Shows it on the canvas; null: none.
    static void showOn(GraphCanvas& canvas, const HeatMap* heat);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit HeatLegend(GraphCanvas& canvas);
    void place();

    double m_longest = 0;
    QString m_stale;
};

} // namespace ui
