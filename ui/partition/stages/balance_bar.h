// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/stages/stage_plan.h"

#include <QStringList>
#include <QWidget>

namespace ui {

/// One segment per stage, as wide as its share of the time, with the colours and hatchings of the canvas; the largest
/// is outlined. A narrow one is wide enough to be hit, and has only the labels that fit. The borders between segments
/// are the cuts: a press takes the nearest, which can be dragged; Left and Right move the current one by a call, Up and
/// Down choose another.
///
///     │▒ 0       │╳ 1 ▲     │░ 2    │
///     │▒ 11.9 ms │╳ 12.4 ms │░ 9 ms │
class BalanceBar final : public QWidget {
    Q_OBJECT
public:
    struct Segment {
        double weight = 0;
        QString text; ///< "11.9 ms"
    };
    explicit BalanceBar(QWidget* parent);
    /// `current`: the cut that the keyboard moves, or -1.
    void setSegments(std::vector<Segment> segments, std::size_t largest, int current);
    /// Where a segment is in the widget.
    QRectF segmentRect(std::size_t segment) const;
    /// The segment at an abscissa, the gap after it included; of what is outside, the first or the last.
    std::size_t segmentAt(double x) const;
    /// The label that a segment has room for: its number and its text, the number alone, or nothing.
    QStringList labelOf(std::size_t segment) const;
    /// What the tooltip says of it: "Stage 1: 12.4 ms (37 %)".
    QString toolTipOf(std::size_t segment) const;
    QSize sizeHint() const override { return {200, 46}; }
    QSize minimumSizeHint() const override { return {80, 46}; }

Q_SIGNALS:
    void cutChosen(int cut);
    void cutStepped(int cut, int by);
    /// `share`: the part of all the weight that should be before the cut, from 0 to 1.
    void cutDragged(int cut, double share);
    void cutReleased(int cut);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void paintSegment(QPainter& painter, std::size_t segment) const;
    double leastWidth() const;
    int nearestCut(double x) const;
    double shareAt(int cut, double x) const;

    std::vector<Segment> m_segments;
    std::vector<double> m_before{0}; ///< by segment: the weight of those before it; at the end: of all
    std::size_t m_largest = 0;
    int m_current = -1;
    int m_dragged = -1;      ///< while the button is down
    double m_grabbed = 0;    ///< how far right of the pointer the cut was
    double m_pressed = 0;    ///< where
    bool m_isMoving = false; ///< a click alone moves nothing
};

} // namespace ui
