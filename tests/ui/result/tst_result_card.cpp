// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/canned_answers.h"
#include "ui/history/history_panel.h"
#include "ui/result/method_page.h"
#include "ui/result/result_card.h"
#include "ui/result/result_host.h"
#include "ui/run/run_center.h"
#include "ui/widgets/pill_delegate.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLayout>
#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>
#include <QTextDocument>
#include <QToolButton>

using namespace ui;
using Answer = ResultText::Answer;
using State = RunSession::State;
using testing::CannedAnswers;

/// The card and the history of edits, with a worker that answers as it is told.
class TestResultCard : public QObject {
    Q_OBJECT

    std::unique_ptr<CannedAnswers> m_answers;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    HistoryPanel* m_history = nullptr;
    ResultHost* m_host = nullptr;

    RunSession& run() const { return *m_center->session(); }
    ResultCard& card() const { return *m_host->card(); }
    ResultSession& result() const {
        return *ResultSession::of(*TimingSession::of(run(), m_center->worker()), m_center->worker());
    }
    /// Verified with that answer.
    void edit(const char* name, const fx::VerifyReport& answer) {
        m_answers->verifyWith(answer);
        const std::string now = m_document->module()->graph.node(m_document->module()->graph.order()[3]).name();
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename to %1").arg(QLatin1String(name)),
                                            fx::StepList().rename(now, name)));
        QTRY_COMPARE(run().state(), State::Done);
    }
    QString pillAt(int row) const { return m_history->list()->item(row)->data(kPillTextRole).toString(); }
    PillKind kindAt(int row) const {
        return static_cast<PillKind>(m_history->list()->item(row)->data(kPillKindRole).toInt());
    }

private Q_SLOTS:
    void init() {
        m_answers = std::make_unique<CannedAnswers>();
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({m_answers->command(), true, 0, 120}, {}, m_window.get());
        m_history = new HistoryPanel(m_window.get());
        m_host = new ResultHost(m_history, m_window.get());
        m_host->resize(360, 700);
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        m_center->setDocument(m_document.get());
        m_history->setDocument(m_document.get());
        m_history->setSession(&run());
        card().setSession(&result());
        m_window->resize(400, 720);
        m_window->show();
        QTRY_VERIFY(!run().guesses().empty());
    }
    void cleanup() {
        card().setSession(nullptr);
        m_history->setSession(nullptr);
        m_history->setDocument(nullptr);
        m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
    }

    void original_hasNoCard() { QVERIFY(card().isHidden()); }

    void right_isOneLine_untilAskedForMore() {
        edit("a", testing::report(fx::Verdict::Equal, 0));
        QVERIFY(!card().isHidden());
        QVERIFY(!card().isFull());
        QCOMPARE(card().shortPill()->text(), QStringLiteral("equal"));
        QCOMPARE(card().shortPill()->property("role").toString(), QStringLiteral("ok"));
        QTRY_COMPARE(card().line()->text(), QStringLiteral("1 node changed · bit for bit on these inputs"));
        for (QToolButton* button : card().findChildren<QToolButton*>())
            if (button->isVisibleTo(&card()) && button->toolTip() == QStringLiteral("Show details")) button->click();
        QVERIFY(card().isFull());
        QCOMPARE(card().title()->text(), QStringLiteral("Rename to a"));
        QCOMPARE(card().detail(Answer::Sure)->text(), QStringLiteral("checked with these inputs and weights only"));
        QCOMPARE(card().pill(Answer::Faster)->text(), QStringLiteral("not timed"));
        QVERIFY(card().timeButton()->isVisibleTo(&card()));
        QCOMPARE(card().pill(Answer::Changed)->text(), QStringLiteral("1 node changed"));
        QVERIFY(card().detail(Answer::Changed)->text().contains(QStringLiteral("weights +0 B")));
    }

    void counts_areOfAllEdits_likeTheVerdict() {
        edit("a", testing::report(fx::Verdict::Equal, 0));
        QTRY_COMPARE(card().pill(Answer::Changed)->text(), QStringLiteral("1 node changed"));
        const std::string other = m_document->module()->graph.node(m_document->module()->graph.order()[4]).name();
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename another"), fx::StepList().rename(other, "b")));
        QTRY_COMPARE(run().state(), State::Done);
        QTRY_COMPARE(card().pill(Answer::Changed)->text(), QStringLiteral("2 nodes changed"));
        m_document->versions().undo();
        QTRY_COMPARE(card().pill(Answer::Changed)->text(), QStringLiteral("1 node changed"));
    }

    void tooltip_nameWithQuotes_isRichTextThatShowsThem() {
        m_answers->verifyWith(testing::report(fx::Verdict::Equal, 0));
        const std::string now = m_document->module()->graph.node(m_document->module()->graph.order()[3]).name();
        const QString name = QStringLiteral("Rename \"a\" & b");
        QVERIFY(m_document->versions().edit(name, fx::StepList().rename(now, "a")));
        QTRY_COMPARE(run().state(), State::Done);
        QTRY_COMPARE(card().title()->text(), name);
        const QString tip = card().title()->toolTip();
        QVERIFY2(Qt::mightBeRichText(tip), qPrintable(tip)); // else &quot; would be seen
        QTextDocument shown;
        shown.setHtml(tip);
        QCOMPARE(shown.toPlainText(), name);
    }

    void inconclusive_isFullAndAmber_andTellsWhatIsTried() {
        edit("a", testing::inconclusive("relu"));
        QVERIFY(card().isFull());
        QCOMPARE(card().pill(Answer::Right)->text(), QStringLiteral("inconclusive"));
        QCOMPARE(card().pill(Answer::Right)->property("role").toString(), QStringLiteral("warning"));
        QVERIFY(card().detail(Answer::Right)->text().contains(QStringLiteral("outputs 1e-9 < atol")));
        QVERIFY(card().detail(Answer::Right)->text().contains(QStringLiteral("1 of 9 nodes differ")));
        QTRY_VERIFY(card().detail(Answer::Sure)->text().contains(QStringLiteral("inputs ×100")));
        QCOMPARE(card().probeButton()->text(), QStringLiteral("Cancel"));
        fx::Probe seed, scaled, rescaled;
        seed.what = "seed 1";
        scaled.kind = fx::Probe::Kind::InputScale, scaled.what = "inputs ×100", scaled.scale = 100;
        rescaled.kind = fx::Probe::Kind::RescaledWeights, rescaled.what = "re-scaled weights";
        rescaled.verdict = fx::Verdict::Different, rescaled.maxAbs = 0.31;
        m_answers->probeWith({seed, scaled, rescaled});
        QTRY_COMPARE(card().pill(Answer::Sure)->text(), QStringLiteral("2 sets of inputs, 2 scales"));
        QCOMPARE(card().detail(Answer::Sure)->text(),
                 QStringLiteral("re-scaled weights: different, largest error 3.1e-01"));
        QVERIFY(card().probeButton()->isHidden());
    }

    void agreement_canBeSearchedLonger() {
        fx::VerifyReport answer = testing::report(fx::Verdict::Equal, 0);
        answer.furtherInputs = 64, answer.furtherSeconds = 15;
        edit("a", answer);
        QCOMPARE(card().pill(Answer::Sure)->text(), QStringLiteral("65 sets of inputs"));
        QCOMPARE(card().probeButton()->text(), QStringLiteral("Search Longer"));
        QVERIFY(!card().probeButton()->isHidden());
        QVERIFY(card().saveButton()->isHidden());
        const qsizetype asked = m_answers->count("verify");
        card().probeButton()->click();
        QTRY_COMPARE(card().pill(Answer::Sure)->text(), QStringLiteral("129 sets of inputs"));
        QCOMPARE(card().detail(Answer::Sure)->text(), QStringLiteral("searched for 30\u00a0s"));
        QCOMPARE(m_answers->count("verify"), asked + 1);
        m_answers->answerNothing();
        card().probeButton()->click();
        QTRY_COMPARE(card().probeButton()->text(), QStringLiteral("Cancel"));
        card().probeButton()->click();
        QTRY_COMPARE(card().probeButton()->text(), QStringLiteral("Search Longer"));
        QCOMPARE(card().pill(Answer::Sure)->text(), QStringLiteral("129 sets of inputs"));
    }

    void searchThatFails_saysWhy_andKeepsTheVerdict() {
        edit("a", testing::report(fx::Verdict::Equal, 0));
        m_answers->refuse();
        card().probeButton()->click();
        QTRY_COMPARE(card().detail(Answer::Sure)->text(), QStringLiteral("could not search: out of memory"));
        QCOMPARE(card().pill(Answer::Right)->text(), QStringLiteral("equal"));
        QCOMPARE(card().probeButton()->text(), QStringLiteral("Search Longer"));
    }

    void counterexample_canBeSaved_andTheMethodIsThere() {
        fx::VerifyReport answer = testing::report(fx::Verdict::Different, 0.4);
        fx::ValueTree inputs;
        inputs.kind = fx::ValueTree::Kind::Dict;
        inputs.items = {fx::ValueTree::of(fx::Argument(std::string("x"))),
                        fx::ValueTree::of(fx::Argument(std::int64_t{3}))};
        answer.counterexample = std::make_shared<const fx::ValueTree>(inputs);
        edit("a", answer);
        QVERIFY(!card().saveButton()->isHidden());
        QVERIFY(methodText().startsWith(QStringLiteral("# How `lancet verify` decides")));
        card().methodButton()->click();
        auto* page = card().findChild<QTextBrowser*>();
        QVERIFY(page);
        QVERIFY(page->toPlainText().contains(QStringLiteral("Lockstep run")));
    }

    void history_remembersTheVerdictOfEachEdit() {
        const QAbstractItemModelTester tester(m_history->list()->model());
        edit("a", testing::report(fx::Verdict::Equal, 0));
        edit("b", testing::inconclusive("relu"));
        edit("c", testing::report(fx::Verdict::Different, 0.4));
        QCOMPARE(m_history->list()->count(), 4);
        QCOMPARE(pillAt(0), QString()); // the original is compared with nothing
        QCOMPARE(pillAt(1), QStringLiteral("equal"));
        QCOMPARE(kindAt(1), PillKind::Ok);
        QCOMPARE(pillAt(2), QStringLiteral("inconclusive"));
        QCOMPARE(kindAt(2), PillKind::Warning);
        QCOMPARE(pillAt(3), QStringLiteral("different"));
        QCOMPARE(kindAt(3), PillKind::Error);
        QVERIFY(m_history->list()
                    ->item(2)
                    ->data(Qt::AccessibleTextRole)
                    .toString()
                    .endsWith(QStringLiteral("inconclusive")));
        const qsizetype asked = m_answers->count("verify");
        m_document->versions().goTo(1); // its card is there at once
        QCOMPARE(card().shortPill()->text(), QStringLiteral("equal"));
        QCOMPARE(pillAt(3), QStringLiteral("different"));
        m_document->versions().goTo(3);
        QCOMPARE(card().pill(Answer::Right)->text(), QStringLiteral("different"));
        QCOMPARE(m_answers->count("verify"), asked);
        m_document->versions().goTo(0);
        QVERIFY(card().isHidden());
    }

    void room_decidesWhereTheCardStands() {
        edit("a", testing::report(fx::Verdict::Different, 0.4));
        const auto cardRect = [&] { return QRect(card().mapTo(m_host, QPoint()), card().size()); };
        const auto panelRect = [&] { return QRect(m_history->mapTo(m_host, QPoint()), m_history->size()); };
        for (const QSize size : {QSize(360, 700), QSize(1000, 240), QSize(360, 200), QSize(1000, 700)}) {
            m_host->resize(size);
            QCoreApplication::processEvents();
            m_host->layout()->activate();
            QVERIFY2(!cardRect().intersects(panelRect()), qPrintable(QString::number(size.width())));
            QVERIFY(m_host->rect().contains(cardRect()));
            for (QLabel* label : card().findChildren<QLabel*>())
                if (label->isVisible() && !label->text().isEmpty() && label->property("role") != QVariant("muted"))
                    QVERIFY2(label->height() >= label->fontMetrics().height(), qPrintable(label->text()));
        }
        m_host->resize(360, 200);
        QVERIFY(!card().isFull());
        m_host->resize(1000, 240);
        QVERIFY(card().isFull());
        QVERIFY(cardRect().right() < panelRect().left());
    }

    /// Where the card has no room for its full form, it can still be opened: then it scrolls beside or above the panel,
    /// with everything that can be clicked in reach, and can be closed again.
    void cramped_canBeOpened_andScrolls() {
        edit("a", testing::report(fx::Verdict::Different, 0.4));
        const auto button = [&](const QString& tip) {
            for (QToolButton* each : card().findChildren<QToolButton*>())
                if (each->toolTip() == tip && each->isVisibleTo(&card())) return each;
            return static_cast<QToolButton*>(nullptr);
        };
        for (const QSize size : {QSize(1000, 150), QSize(360, 200)}) {
            m_host->resize(size);
            QTRY_VERIFY(!card().isFull());
            QVERIFY(button(QStringLiteral("Show details")));
            button(QStringLiteral("Show details"))->click();
            QTRY_VERIFY(card().isFull());
            auto* room = m_host->findChild<QScrollArea*>();
            QVERIFY(room);
            QVERIFY(m_host->rect().contains(QRect(room->mapTo(m_host, QPoint()), room->size())));
            QTRY_VERIFY(room->verticalScrollBar()->maximum() > 0);
            for (QToolButton* each : {card().methodButton(), card().timeButton()}) {
                QVERIFY(each->isVisible());
                room->ensureWidgetVisible(each, 0, 0);
                QVERIFY(
                    room->viewport()->rect().contains(QRect(each->mapTo(room->viewport(), QPoint()), each->size())));
            }
            QCOMPARE(m_history->isVisible(), size.width() > 500); // else the card has its place
            button(QStringLiteral("Collapse to one line"))->click();
            QTRY_VERIFY(!card().isFull() && m_history->isVisible());
            QTRY_COMPARE(room->verticalScrollBar()->maximum(), 0);
            QVERIFY(card().line()->isVisible());
        }
        m_host->resize(360, 700);
        QTRY_VERIFY(card().isFull());
        QVERIFY(!button(QStringLiteral("Collapse to one line"))); // what is wrong is not hidden where there is room
    }

    /// Values for which an agreement does not hold are told with it, in both forms.
    void agreement_tellsItsRemarks() {
        fx::VerifyReport report = testing::report(fx::Verdict::Equal, 0);
        report.remarks.push_back(
            fx::Message("verify.special_values", {{"nodes", "relu"}, {"values", "infinite values"}}));
        edit("a", report);
        const QString remark = QStringLiteral("for infinite values, which these inputs do not contain");
        QVERIFY2(card().detail(Answer::Sure)->text().contains(remark), qPrintable(card().detail(Answer::Sure)->text()));
        QVERIFY2(card().line()->text().contains(remark), qPrintable(card().line()->text()));
    }

    /// Changes, creates and erases nodes.
    void replaceRelu() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Replace"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.sigmoid",
                 "args": [{"node": "conv"}], "rewire_users": false},
                {"step": "replace_uses", "node": "relu", "with": "sigmoid"},
                {"step": "erase", "node": "relu"}])"_steps));
        QTRY_COMPARE(run().state(), State::Done);
    }

    /// The text of a label that has less room than it needs, or nothing.
    QString cutText() const {
        for (QLabel* label : card().findChildren<QLabel*>()) {
            if (!label->isVisibleTo(&card()) || label->text().isEmpty() || label == card().title()) continue;
            const QRect room = label->contentsRect();
            const QRect text = label->fontMetrics().boundingRect(
                QRect(0, 0, room.width(), 10'000), label->wordWrap() ? Qt::TextWordWrap : 0, label->text());
            const QRect place(label->mapTo(&card(), QPoint()), label->size());
            if (!card().rect().contains(place) || text.width() > room.width() || text.height() > room.height())
                return QStringLiteral("%1: %2×%3 in %4×%5")
                    .arg(label->text())
                    .arg(text.width())
                    .arg(text.height())
                    .arg(room.width())
                    .arg(room.height());
        }
        return {};
    }

private Q_SLOTS:
    void narrow_nothingIsCut() {
        replaceRelu();
        for (const int width : {240, 300, 360, 420, 700, 240}) {
            m_host->resize(width, 900);
            QTRY_VERIFY(card().isFull());
            QTRY_COMPARE(cutText(), QString());
            QVERIFY(m_host->rect().contains(QRect(card().mapTo(m_host, QPoint()), card().size())));
            QTRY_VERIFY(card().height() <= card().fullHeight(card().width()) + 2);
        }
    }

    void age_isToldInTheUnitThatMatters() {
        const auto now = std::chrono::system_clock::now();
        using namespace std::chrono_literals;
        QCOMPARE(ageText(now, now), QStringLiteral("now"));
        QCOMPARE(ageText(now - 8s, now), QStringLiteral("8\u00a0s ago"));
        QCOMPARE(ageText(now - 200s, now), QStringLiteral("3 min ago"));
    }
};

QTEST_MAIN(TestResultCard)
#include "tst_result_card.moc"
