// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/result_card.h"

#include "core/io/values/value_file.h"
#include "ui/document/node_facts.h"
#include "ui/result/method_page.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/role.h"
#include "ui/widgets/save_path.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

namespace {
using Answer = ResultText::Answer;
constexpr int kMargin = 12; ///< px

QLabel* makeLabel(QWidget* parent, const char* role) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("role", role);
    return label;
}

/// Wraps only where its text does not fit in one line. QLabel's own hint for text that wraps is far narrower.
class Pill final : public QLabel {
public:
    using QLabel::QLabel;
    QSize sizeHint() const override {
        if (!wordWrap()) return QLabel::sizeHint();
        ensurePolished();
        const int indent = fontMetrics().horizontalAdvance(u'x'); // that QLabel adds to framed text
        const int line =
            fontMetrics().size(Qt::TextSingleLine, text()).width() + indent + width() - contentsRect().width();
        return {line, heightForWidth(line)};
    }
};

QLabel* makePill(QWidget* parent) {
    auto* pill = new Pill(parent);
    pill->setTextFormat(Qt::PlainText);
    pill->setProperty("role", "neutral");
    pill->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    pill->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return pill;
}

void setPill(QLabel& label, const VerifyVerdict& verdict, bool accent = false) {
    setRole(label, verdict.role ? htmlClass(verdict) : accent ? "info" : "neutral");
    label.setText(verdict.word);
}

QToolButton* makeButton(QWidget* parent, const QString& text) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setProperty("look", "link");
    return button;
}
} // namespace

ResultCard::ResultCard(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("resultCard"));
    m_full = makeFull();
    m_short = makeShort();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kMargin, 8, 8, 8);
    column->setSpacing(0);
    column->addWidget(m_full);
    column->addWidget(m_short);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, this, &ResultCard::showAge);
    setSession(nullptr);
}

QWidget* ResultCard::makeFull() {
    auto* full = new QWidget(this);
    m_title = new ElidedLabel(full);
    m_title->setProperty("role", "heading");
    m_age = makeLabel(full, "muted");
    m_about = makeLabel(full, "muted");
    m_about->setWordWrap(true);
    m_method = makeButton(full, tr("How It Works"));
    m_method->setToolTip(tr("Show how Lancet decides"));
    m_fold = new QToolButton(full);
    m_fold->setToolTip(tr("Collapse to one line"));
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(m_title, 1);
    head->addWidget(m_age);
    head->addWidget(m_method);
    head->addWidget(m_fold);
    const QString names[] = {tr("Correctness"), tr("Confidence"), tr("Speed"), tr("Changes")};
    for (std::size_t i = 0; i < ResultText::kRows; ++i) {
        m_rows[i] = {makeLabel(full, "muted"), makePill(full), makeLabel(full, "muted"), nullptr};
        m_rows[i].name->setText(names[i]);
        m_rows[i].detail->setWordWrap(true);
        m_rows[i].detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    m_probe = m_rows[std::size_t(Answer::Sure)].button = makeButton(full, {});
    m_save = m_rows[std::size_t(Answer::Right)].button = makeButton(full, tr("Save Inputs…"));
    m_save->setToolTip(tr("Save the inputs that show the difference, for torch.load and --inputs"));
    m_time = m_rows[std::size_t(Answer::Faster)].button = makeButton(full, tr("Time It"));
    m_time->setToolTip(tr("Time the original and this version alternately for two seconds"));
    connect(m_time, &QToolButton::clicked, this, [this] { m_session->timing().startShort(); });
    connect(m_probe, &QToolButton::clicked, this, &ResultCard::tryFurther);
    connect(m_save, &QToolButton::clicked, this, &ResultCard::saveInputs);
    connect(m_method, &QToolButton::clicked, this, [this] { showMethod(this); });
    m_grid = new QGridLayout;
    m_grid->setHorizontalSpacing(10);
    m_grid->setVerticalSpacing(6);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(m_about);
    column->addSpacing(2);
    column->addLayout(m_grid);
    column->addStretch(1);
    connect(m_fold, &QToolButton::clicked, this, [this] {
        m_unfolded = false;
        showForm();
    });
    arrange(Columns::All);
    return full;
}

QWidget* ResultCard::makeShort() {
    auto* line = new QWidget(this);
    m_shortRight = makePill(line);
    m_shortFaster = makePill(line);
    m_line = new ElidedLabel(line);
    m_line->setProperty("role", "muted");
    m_unfold = new QToolButton(line);
    m_unfold->setToolTip(tr("Show details"));
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_shortRight);
    row->addWidget(m_shortFaster);
    row->addWidget(m_line, 1);
    row->addWidget(m_unfold);
    connect(m_unfold, &QToolButton::clicked, this, [this] {
        m_unfolded = true;
        showForm();
    });
    return line;
}

ResultCard::Columns ResultCard::columnsIn(int width) {
    constexpr int kWide = 440, kMedium = 330; // px
    return width >= kWide ? Columns::All : width >= kMedium ? Columns::Heads : Columns::One;
}

/// Each row is name, pill, what it rests on, button. In a narrower card what it rests on has a line of its own; in the
/// narrowest all stand below each other. There pills wrap too.
void ResultCard::arrange(Columns columns) {
    while (QLayoutItem* item = m_grid->takeAt(0)) delete item;
    const bool all = columns == Columns::All, one = columns == Columns::One;
    constexpr int kLines = 3, kLast = 3; // of a row at most, and its last column
    for (int i = 0; i < static_cast<int>(ResultText::kRows); ++i) {
        const Row& row = m_rows[static_cast<std::size_t>(i)];
        const int line = kLines * i, first = one ? 0 : 1;
        row.pill->setWordWrap(!all);
        m_grid->addWidget(row.name, line, 0, Qt::AlignLeft | Qt::AlignTop);
        m_grid->addWidget(row.pill, one ? line + 1 : line, first, 1,
                          all                  ? 1
                          : one || !row.button ? kLast + 1 - first
                                               : 2,
                          Qt::AlignLeft | Qt::AlignTop);
        all ? m_grid->addWidget(row.detail, line, 2, Qt::AlignVCenter)
            : m_grid->addWidget(row.detail, line + 2, first, 1, kLast + 1 - first);
        if (row.button) m_grid->addWidget(row.button, line, kLast, Qt::AlignRight | Qt::AlignTop);
    }
    m_grid->setColumnStretch(2, 1);
    m_grid->setVerticalSpacing(one ? 3 : 6);
    m_columns = columns;
}

void ResultCard::setSession(ResultSession* session) {
    if (m_session) {
        for (QObject* each : std::initializer_list<QObject*>{m_session, &m_session->run(), &m_session->timing()})
            each->disconnect(this);
    }
    m_session = session;
    m_unfolded = false;
    if (session) {
        connect(session, &ResultSession::changed, this, &ResultCard::show);
        connect(&session->run(), &RunSession::verifyChanged, this, &ResultCard::show);
        connect(&session->run(), &RunSession::inputsChanged, this, &ResultCard::show);
        connect(&session->run(), &RunSession::probeProgressed, this, &ResultCard::show);
        connect(&session->timing(), &TimingSession::changed, this, &ResultCard::show);
        connect(&session->timing(), &TimingSession::progressed, this, &ResultCard::show);
    }
    show();
}

void ResultCard::show() {
    m_text = m_session ? resultText(*m_session) : ResultText();
    m_title->setText(m_text.title);
    m_title->setToolTip(plainToolTip(m_text.title));
    m_about->setText(m_text.about);
    m_about->setVisible(!m_text.about.isEmpty());
    for (std::size_t i = 0; i < ResultText::kRows; ++i) {
        setPill(*m_rows[i].pill, m_text.rows[i].pill, i == std::size_t(Answer::Sure));
        m_rows[i].detail->setText(m_text.rows[i].detail);
        m_rows[i].detail->setVisible(!m_text.rows[i].detail.isEmpty());
    }
    showProbe();
    m_save->setVisible(m_text.counterexample != nullptr);
    m_time->setVisible(m_text.mayTime);
    const ResultRow &right = m_text.row(Answer::Right), &faster = m_text.row(Answer::Faster);
    setPill(*m_shortRight, right.pill);
    setPill(*m_shortFaster, faster.pill);
    m_line->setText(m_text.line);
    m_line->setToolTip(plainToolTip(QStringLiteral("%1\n%2").arg(m_text.title, m_text.line)));
    setAccessibleName(m_text.title.isEmpty()
                          ? tr("Result of the edit")
                          : tr("Result of %1: %2. %3").arg(m_text.title, right.pill.word, m_text.line));
    showAge();
    showForm();
}

void ResultCard::showProbe() {
    m_probe->setText(m_text.isProbing ? tr("Cancel") : m_text.mayProbe ? tr("Try More") : tr("Search Longer"));
    m_probe->setToolTip(m_text.isProbing  ? tr("Stop trying")
                        : m_text.mayProbe ? tr("Run both models on other inputs and inputs of other scales")
                                          : tr("Run both models on further inputs for half a minute"));
    m_probe->setVisible(m_text.isProbing || m_text.mayProbe || m_text.maySearch);
}

void ResultCard::tryFurther() {
    RunSession& run = m_session->run();
    if (m_text.isProbing) run.cancelProbe();
    else if (m_text.mayProbe) run.probe();
    else run.searchLonger();
}

void ResultCard::saveInputs() {
    const auto inputs = m_text.counterexample; // the text may change while the dialog is open
    const QString path = askSavePath(this, tr("Save Inputs"), QStringLiteral("inputs.pt"),
                                     {{QStringLiteral(".pt"), tr("Tensors for torch.load (*.pt)")}});
    if (path.isEmpty() || !inputs) return;
    m_saving.start(
        [inputs, to = path.toStdString()](const fx::Progress& progress) {
            fx::writeValueFile(*inputs, to, progress);
            return true;
        },
        this, [this, path](bool) { Q_EMIT notified(tr("Saved %1.").arg(visible(path))); },
        [this, path](const fx::Error& error) {
            showFailure(this, tr("Could not save %1").arg(nameOfPath(path)), error);
        });
}

bool ResultCard::isFull() const { return m_unfolded || (!m_text.isGood && !m_cramped); }

void ResultCard::showForm() {
    const bool there = !m_text.title.isEmpty();
    m_full->setVisible(isFull());
    m_short->setVisible(!isFull());
    m_fold->setVisible(m_text.isGood || m_cramped);
    m_fold->setIcon(icon(QStringLiteral("chevron-up-muted")));
    m_unfold->setIcon(icon(QStringLiteral("chevron-down-muted")));
    setVisible(there);
    there ? m_clock.start() : m_clock.stop();
    Q_EMIT formChanged();
}

void ResultCard::setCramped(bool cramped) {
    if (std::exchange(m_cramped, cramped) != cramped) showForm();
}

int ResultCard::fullHeight(int width) {
    if (const Columns columns = columnsIn(width); columns != m_columns) arrange(columns);
    const QMargins margins = contentsMargins() + layout()->contentsMargins();
    return m_full->layout()->totalHeightForWidth(width - margins.left() - margins.right()) + margins.top() +
           margins.bottom();
}

void ResultCard::showAge() {
    const fx::History* history = m_session ? m_session->document().versions().history() : nullptr;
    m_age->setText(history ? ageText(history->entries()[history->current()].time, std::chrono::system_clock::now())
                           : QString());
}

void ResultCard::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    if (const Columns columns = columnsIn(event->size().width()); columns != m_columns) arrange(columns);
}

void ResultCard::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_short) show();
}

} // namespace ui
