// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_marks.h"
#include "ui/quant/quant_rows_model.h"
#include "ui/quant/quant_session.h"

#include <QPointer>
#include <QWidget>

#include <array>

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QMenu;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTableView;

namespace ui {

class ObserverHistogram;

/// The lower part of the Quantise panel: rules with the nodes that they match, observers with their histograms, and
/// layers with their errors, sizes and sensitivities.
class QuantTables final : public QWidget {
    Q_OBJECT
public:
    /// The tables.
    enum Tab { Rules, Observers, Layers };
    explicit QuantTables(QWidget* parent = nullptr); ///< Creates empty tables.
    /// Shows another session; null if no file is open.
    void setSession(QuantSession* session);

    QTabBar* tabs() const { return m_tabs; }                     ///< The tab bar.
    QTableView* table(Tab tab) const { return m_tables[tab]; }   ///< The table of a tab.
    ObserverHistogram* histogram() const { return m_histogram; } ///< The histogram of the current observer.
    QComboBox* qconfigs() const { return m_qconfig; }            ///< The QConfig of the rule in the current row.
    QPushButton* removes() const { return m_remove; }            ///< Removes the current rule.
    QPushButton* excludes() const { return m_exclude; }          ///< Excludes the selected nodes from quantisation.
    /// Undoes or redoes a change of the rules.
    QPushButton* stepsRules(bool redo) const { return redo ? m_redo : m_undo; }
    QDoubleSpinBox* budget() const { return m_budget; } ///< The error budget of a scan, in dB.
    QPushButton* scans() const { return m_scan; }       ///< Starts or resumes a scan.
    QPushButton* usesProposal() const { return m_use; } ///< Applies the proposal of a scan.
    QLabel* firstLoss() const { return m_firstLoss; }   ///< Names the first layer that loses accuracy.
    /// Returns the menu of the badge between two nodes, or null. The caller owns it.
    QMenu* badgeMenu(fx::NodeId from, fx::NodeId to);
    void show(Tab tab); ///< Switches to a tab.

    /// The badges and colours of the current version for the canvas.
    const QuantMarks& marks() const { return m_marks; }

Q_SIGNALS:
    void marksChanged(); ///< Emitted when `marks` change.

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QTableView* makeTable(Tab tab, QuantRowsModel* model, const QString& name);
    QWidget* makeRules();
    QWidget* makeObservers();
    QWidget* makeLayers();
    /// Replaces the rows. The current row stays current if it still exists; `keys` identify rows.
    void setRows(Tab tab, std::vector<std::vector<QuantRowsModel::Cell>> rows, QStringList keys);
    void fitColumns(Tab tab);
    void showAll();
    void showRules();
    void showObservers();
    void showLayers();
    void showFirstLoss(const fx::remote::LayerErrors* errors);
    void showScan();
    void showHistogram();
    void showRule();
    void select(Tab tab);
    /// Returns the model row of the current row of a table, or -1.
    int currentRow(Tab tab) const;
    const QuantPlan::Rule* currentRule() const;
    void setRule(const fx::quant::NodeRule& where, std::optional<std::string> qconfig);
    void excludeSelected();
    void addQConfigs(QMenu& menu, const fx::quant::NodeRule& where, fx::NodeId node);
    bool canReuseInput(const QuantPlan::Observer& observer) const;
    void showQConfigs(const QuantPlan::Rule* rule);

    QPointer<QuantSession> m_session;
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    std::array<QuantRowsModel*, 3> m_models;
    std::array<QTableView*, 3> m_tables{};
    std::array<QStringList, 3> m_keys;
    QComboBox* m_qconfig;
    QPushButton *m_exclude, *m_remove, *m_undo, *m_redo, *m_scan, *m_use;
    QDoubleSpinBox* m_budget;
    ObserverHistogram* m_histogram;
    QLabel *m_histogramTitle, *m_firstLoss, *m_warning;
    std::vector<fx::NodeId> m_layerNodes; ///< by row of Layers; kNoNode: not in the current version
    QuantMarks m_marks;
};

} // namespace ui
