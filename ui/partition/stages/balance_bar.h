// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/stages/stage_plan.h"

#include <QStringList>
#include <QWidget>

namespace ui {

/// Bar with one segment per stage, as wide as its share of the time, with the colours and hatchings of the canvas. The
/// largest is outlined. Narrow segments are wide enough to be clicked, and have only the labels that fit. The borders
/// between segments are the cuts: a press takes the nearest, which can be dragged. Left and Right move the current cut
/// by a call, Up and Down choose another.
///
///     │▒ 0       │╳ 1 ▲     │░ 2    │
///     │▒ 11.9 ms │╳ 12.4 ms │░ 9 ms │
class BalanceBar final : public QWidget {
    Q_OBJECT
public:
    /// A stage.
    struct Segment {
        double weight = 0; ///< time, or number of calls
        QString text;      ///< "11.9 ms"
    };
    explicit BalanceBar(QWidget* parent); ///< Creates an empty bar.
    /// Sets the stages. `largest` is the outlined one; `current` is the cut that the keyboard moves, or -1.
    void setSegments(std::vector<Segment> segments, std::size_t largest, int current);
    /// Returns the rectangle of a segment in the widget.
    QRectF segmentRect(std::size_t segment) const;
    /// Returns the segment at an abscissa, including the gap after it; outside the bar, the first or the last.
    std::size_t segmentAt(double x) const;
    /// Returns the label for which a segment has room: its number and text, the number alone, or nothing.
    QStringList labelOf(std::size_t segment) const;
    /// Returns the tooltip of a segment: "Stage 1: 12.4 ms (37 %)".
    QString toolTipOf(std::size_t segment) const;
    QSize sizeHint() const override { return {200, 46}; }
    QSize minimumSizeHint() const override { return {80, 46}; }

Q_SIGNALS:
    void cutChosen(int cut);          ///< Emitted when a cut becomes the current one; -1: none.
    void cutStepped(int cut, int by); ///< Emitted when a cut should move by a number of calls.
    /// Emitted while a cut is dragged. `share` is the fraction of the total weight that should be before it, 0 to 1.
    void cutDragged(int cut, double share);
    void cutReleased(int cut); ///< Emitted when a dragged cut is released.

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
    std::vector<double> m_before{0}; ///< by segment: the weight before it; at the end: the total
    std::size_t m_largest = 0;
    int m_current = -1;
    int m_dragged = -1;      ///< set while the button is down
    double m_grabbed = 0;    ///< distance from the pointer to the cut
    double m_pressed = 0;    ///< abscissa of the press
    bool m_isMoving = false; ///< the pointer has moved; a click alone moves nothing
};

} // namespace ui
