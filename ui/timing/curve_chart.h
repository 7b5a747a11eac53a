// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

class QChart;
class QGraphicsSimpleTextItem;
class QChartView;
class QLabel;

namespace ui {

/// A line through measured points, each with a confidence interval.
struct Curve {
    /// A measured point with its confidence interval.
    struct Point {
        int place = 0; ///< index of the label on the horizontal axis
        double value = 0, low = 0, high = 0;
        QString tip;         ///< tooltip
        QString label{};     ///< text beside the point, or empty
        bool hollow = false; ///< indistinguishable from noise
    };
    QString name;              ///< name in the legend
    bool accented = true;      ///< in the accent colour instead of grey
    std::vector<Point> points; ///< from left to right
};

/// A small chart of curves over labelled positions, or a text that explains why they are missing.
class CurveChart final : public QWidget {
    Q_OBJECT
public:
    explicit CurveChart(QWidget* parent = nullptr); ///< Creates an empty chart.
    /// Shows a chart. `baseline` draws a dashed line at this value; `fromZero` starts the value axis at zero.
    void setCurves(std::vector<Curve> curves, QStringList labels, const QString& valueTitle, const QString& placeTitle,
                   std::optional<double> baseline, bool fromZero);
    /// Shows a text instead of a chart.
    void setText(const QString& text);
    QLabel* text() const { return m_text; } ///< The label of `setText`.
    /// Returns the visible labels beside the points.
    QStringList pointLabels() const;
    const std::vector<Curve>& curves() const { return m_curves; } ///< The displayed curves.

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void draw();
    void fitTitles();
    void placeLabels();
    void addCurve(const Curve& curve);

    std::vector<Curve> m_curves;
    QStringList m_labels;
    QString m_valueTitle, m_placeTitle;
    std::optional<double> m_baseline;
    bool m_fromZero = false;
    QLabel* m_text;
    std::vector<QGraphicsSimpleTextItem*> m_pointLabels; ///< in the order of curves and points; null: no label
    QChart* m_chart;
    QChartView* m_view;
};

} // namespace ui
