// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "ui/quant/quant_panel.h"
#include "ui/run/run_center.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>

namespace ui {

/// Quantises a model in the panel, with a real worker.
class QuantFixture {
protected:
    std::unique_ptr<QWidget> m_window; ///< parent of the panel
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    QuantPanel* m_panel = nullptr;
    static constexpr int kPatience = 90000; ///< milliseconds to wait for the worker

    QuantSession& session() const { return *m_panel->session(); } ///< The session of the panel.
    /// The number of versions in the history.
    std::size_t versions() const { return m_document->versions().history()->entries().size(); }
    /// Opens simple_net.pt with inputs of 16 x 16.
    void openNet() {
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        m_center->setDocument(m_document.get());
        RunSession* run = m_center->session();
        QTRY_VERIFY(!run->guesses().empty());
        run->setAutomatic(false);
        fx::InputDescription inputs = run->inputs();
        inputs.inputs[0].sizes = {1, 3, 16, 16};
        run->setInputs(inputs);
    }
    /// Chooses an entry by its text, like a user.
    void choose(QComboBox* list, const char* text) {
        const int index = list->findText(QLatin1String(text));
        QVERIFY2(index >= 0, text);
        list->setCurrentIndex(index);
        Q_EMIT list->activated(index);
    }
    /// Clicks the button and waits for success.
    void quantise() {
        QVERIFY2(m_panel->starts()->isEnabled(), qPrintable(m_panel->starts()->toolTip()));
        m_panel->starts()->click();
        QVERIFY(session().isBusy());
        QTRY_VERIFY_WITH_TIMEOUT(!session().isBusy(), kPatience);
        QVERIFY2(!session().toldBad(), qPrintable(session().told()));
    }
    /// Writes a file with one batch whose bytes all have this value.
    static QString batchFile(const QTemporaryDir& folder, const QString& name, char byte) {
        QFile data(folder.filePath(name));
        if (!data.open(QIODevice::WriteOnly)) return {};
        const QByteArray header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[1,3,16,16],\"data_offsets\":[0,3072]}}";
        QByteArray size(8, '\0');
        size[0] = static_cast<char>(header.size());
        data.write(size + header + QByteArray(3072, byte));
        return data.fileName();
    }
    QuantTables& tables() const { return *m_panel->tables(); } ///< The tables of the panel.
    /// Returns a cell of a table as displayed.
    QString cell(QuantTables::Tab tab, int row, int column) const {
        return tables().table(tab)->model()->index(row, column).data().toString();
    }
    /// The number of rows of a table.
    int rows(QuantTables::Tab tab) const { return tables().table(tab)->model()->rowCount(); }
    /// Waits for the plan of the current version.
    void waitForPlan() {
        QTRY_VERIFY_WITH_TIMEOUT(session().plan() && session().plan()->version == m_document->module(), kPatience);
    }
    /// Returns the observer on the edge into a node.
    const QuantPlan::Observer* before(const char* node) const {
        const fx::Graph& graph = m_document->module()->graph;
        const fx::NodeId to = graph.find(node);
        for (const fx::NodeId from : graph.node(to).inputs())
            if (const auto* found = session().plan()->on(from, to)) return found;
        return nullptr;
    }
    /// Returns the first action whose text starts with `text`, or null.
    QAction* action(QMenu* menu, const char* text) const {
        for (QAction* each : menu->actions())
            if (each->text().startsWith(QLatin1String(text))) return each;
        return nullptr;
    }
    /// True if the model calls a module whose type contains `type`.
    bool calls(const char* type) const {
        const fx::GraphModule& model = *m_document->module();
        for (const fx::Node& node : model.graph.nodes()) {
            if (node.op() != fx::Op::CallModule) continue;
            const fx::PathTarget target = fx::resolvePath(*model.root, node.target());
            if (target.module && target.module->qualifiedType().find(type) != std::string::npos) return true;
        }
        return false;
    }
    /// Creates worker, panel and window.
    void openPanel() {
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({QStringLiteral(LANCET_WORKER), true, 0, 120}, {}, m_window.get());
        m_panel = new QuantPanel(*m_center, m_window.get());
        for (const auto tab : {QuantTables::Rules, QuantTables::Observers, QuantTables::Layers})
            new QAbstractItemModelTester(tables().table(tab)->model(), m_panel);
        m_window->resize(500, 900);
        m_panel->resize(500, 900);
        m_window->show();
        m_panel->setSeen(true); // as its dock says in the window
    }
    /// Destroys document and window.
    void closePanel() {
        if (m_center) m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
        m_center = nullptr;
    }
};

} // namespace ui
