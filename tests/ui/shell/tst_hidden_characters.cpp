// SPDX-License-Identifier: GPL-3.0-or-later
// Names that turn the text around or hide: the window spells these characters wherever it shows a name.
#include "core/base/visible_text.h"
#include "core/model_files/open.h"
#include "core/model_files/save_description.h"
#include "tests/json_steps.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QGroupBox>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>
#include <QTimer>

using namespace ui;

namespace {

const QString kName = QStringLiteral("re\u202e\nlu\u200b\t\u2066\u2800"),
              kSpelled = QStringLiteral("re\\u202e\\nlu\\u200b\\t\\u2066\\u2800");

bool isClean(const QString& text) {
    for (const char32_t c : text.toUcs4()) // breaks between words are the window's own
        if (c != U'\n' && c != U'\t' && c != 0x200b && c != 0x2060 && fx::isHiddenCharacter(c)) return false;
    return true;
}

/// Everything that a widget may show of a text from a file, with where it is.
class Shown {
public:
    void add(const QString& where, const QString& text) {
        if (text.contains(kSpelled)) ++spelled;
        if (!isClean(text) || text.contains(QLatin1String("\nlu")) || text.contains(QLatin1String("re\\u202e lu")))
            dirty << where + QStringLiteral(": ") +
                         QString::fromStdString(fx::visibleText(text.toStdString())).left(200);
    }
    void addModel(const QString& where, const QAbstractItemModel& model, const QModelIndex& parent = {},
                  int depth = 0) {
        for (int row = 0; row < std::min(model.rowCount(parent), 100); ++row)
            for (int column = 0; column < model.columnCount(parent) && m_mostItems > 0; ++column, --m_mostItems) {
                const QModelIndex index = model.index(row, column, parent);
                for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(Qt::AccessibleTextRole)})
                    add(where + QStringLiteral(" role ") + QString::number(role), index.data(role).toString());
                if (column == 0 && depth < 8) addModel(where, model, index, depth + 1);
            }
    }
    void addWidget(const QWidget& widget) {
        const QString where = QString::fromLatin1(widget.metaObject()->className()) + u' ' + widget.objectName();
        for (const QString& text : {widget.windowTitle(), widget.toolTip(), widget.statusTip(), widget.accessibleName(),
                                    widget.accessibleDescription()})
            add(where, text);
        if (const auto* label = qobject_cast<const QLabel*>(&widget)) add(where, label->text());
        if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) add(where, button->text());
        if (const auto* group = qobject_cast<const QGroupBox*>(&widget)) add(where, group->title());
        if (const auto* text = qobject_cast<const QTextEdit*>(&widget)) add(where, text->toPlainText());
        if (const auto* view = qobject_cast<const QAbstractItemView*>(&widget); view && view->model())
            addModel(where, *view->model());
        if (const auto* box = qobject_cast<const QComboBox*>(&widget))
            for (int i = 0; i < box->count(); ++i) add(where, box->itemText(i));
        if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
            for (int i = 0; i < tabs->count(); ++i) add(where, tabs->tabText(i)), add(where, tabs->tabToolTip(i));
        for (const QAction* action : widget.actions()) add(where, action->text()), add(where, action->toolTip());
    }

    QStringList dirty;
    int spelled = 0;

private:
    int m_mostItems = 20'000; ///< of all models: some list the files of the system
};

} // namespace

class TestHiddenCharacters : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void names_inAllPanels_areSpelled() {
        qputenv("XDG_STATE_HOME", m_folder.path().toUtf8());
        const QString path = m_folder.filePath(kName + QStringLiteral(".json"));
        fx::saveDescription(*fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), path.toStdString(),
                            false);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray text = file.readAll();
        QVERIFY(text.contains("\"relu\""));
        text.replace("\"relu\"", '"' + kName.toUtf8().replace('\n', "\\n").replace('\t', "\\t") + '"');
        file.seek(0), file.write(text), file.close();
        Settings settings(m_folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.resize(1280, 800);
        window.show();
        window.openFile(path);
        Document* document = window.currentDocument();
        QVERIFY(QTest::qWaitFor([&] { return document->state() == Document::State::Ready && document->facts().info(); },
                                30'000));
        fx::NodeId node = fx::kNoNode; // its own name became an identifier; that of its module is kept
        for (const fx::Node& each : document->module()->graph.nodes())
            if (each.target() == kName.toStdString()) node = each.id();
        QVERIFY(node != fx::kNoNode);
        for (QDockWidget* dock : window.findChildren<QDockWidget*>()) dock->show();
        document->selection().goTo(node, nullptr);
        QVERIFY(testing::settle());
        Shown shown;
        bool isRefused = false;
        testing::whenOpen<QMessageBox>(&window, [&](QMessageBox* box) { // the refusal asks to be read
            shown.addWidget(*box);
            isRefused = box->close();
        });
        document->versions().edit(QStringLiteral("Erase"), R"J([{"step": "no_such_step"}])J"_steps);
        QTRY_VERIFY(isRefused);
        QVERIFY(testing::settle());
        for (const QWidget* widget : QApplication::allWidgets()) shown.addWidget(*widget);
        QVERIFY2(shown.dirty.isEmpty(), qPrintable(shown.dirty.join(u'\n')));
        QVERIFY2(shown.spelled >= 5, "the name is shown nowhere");
    }
};

QTEST_MAIN(TestHiddenCharacters)
#include "tst_hidden_characters.moc"
