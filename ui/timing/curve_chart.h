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

/// A line through measured points, each with the interval in which its true value lies.
struct Curve {
    struct Point {
        int place = 0; ///< among the labels of the chart
        double value = 0, low = 0, high = 0;
        QString tip;
        QString label{};     ///< beside the point; empty: none
        bool hollow = false; ///< cannot be told from noise
    };
    QString name;
    bool accented = true; ///< in the accent colour, else grey
    std::vector<Point> points;
};

/// A small chart of curves over named places, or the words that say why there is none.
class CurveChart final : public QWidget {
    Q_OBJECT
public:
    explicit CurveChart(QWidget* parent = nullptr);
    /// `baseline`: a dashed line at this value. `fromZero`: the axis of values begins there.
    void setCurves(std::vector<Curve> curves, QStringList labels, const QString& valueTitle, const QString& placeTitle,
                   std::optional<double> baseline, bool fromZero);
    /// In place of a chart.
    void setText(const QString& text);
    QLabel* text() const { return m_text; }
    /// As they are drawn beside the points.
    QStringList pointLabels() const;
    const std::vector<Curve>& curves() const { return m_curves; }

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
    std::vector<QGraphicsSimpleTextItem*>
        m_pointLabels; ///< of the chart, in the order of curves and points; null: none
    QChart* m_chart;
    QChartView* m_view;
};

} // namespace ui
