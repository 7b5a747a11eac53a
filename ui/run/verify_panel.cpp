// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/verify_panel.h"

#include "ui/run/input_text.h"
#include "ui/run/probe_bar.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flow_layout.h"

#include <QComboBox>
#include <QDoubleValidator>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStyle>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
/// torch.testing.assert_close, PyTorch 2.13
struct Standard {
    const char* dtype;
    double rtol, atol;
};
constexpr Standard kStandards[] = {{"torch.float32", 1.3e-6, 1e-5},   {"torch.float64", 1e-7, 1e-7},
                                   {"torch.float16", 1e-3, 1e-5},     {"torch.bfloat16", 1.6e-2, 1e-5},
                                   {"torch.complex64", 1.3e-6, 1e-5}, {"torch.complex128", 1e-7, 1e-7}};

/// A number or nothing. A line edit does not tell that editing has finished while its text is only the beginning of
/// something: what is no number yet, such as "1e-", becomes nothing then.
class ToleranceValidator final : public QDoubleValidator {
public:
    explicit ToleranceValidator(QObject* parent) : QDoubleValidator(0, 1e9, 12, parent) { setLocale(QLocale::c()); }
    State validate(QString& text, int& place) const override {
        return text.isEmpty() ? Acceptable : QDoubleValidator::validate(text, place);
    }
    void fixup(QString& text) const override { text.clear(); }
};
} // namespace

VerifyPanel::VerifyPanel(QWidget* parent)
    : QWidget(parent), m_verdict(new QLabel(this)), m_inputs(new ElidedLabel(this)),
      m_verify(new QPushButton(tr("Verify Now"), this)), m_editInputs(new QPushButton(tr("Inputs…"), this)),
      m_errors(new QToolButton(this)), m_probeBar(new ProbeBar(this)), m_page(new QTextBrowser(this)),
      m_type(new QComboBox(this)), m_relative(new QLineEdit(this)), m_absolute(new QLineEdit(this)) {
    m_verdict->setFont(semiboldFont());
    m_verdict->setTextFormat(Qt::PlainText);
    m_inputs->setProperty("role", "muted");
    m_page->setOpenLinks(false);
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->document()->setDocumentMargin(12);
    m_page->setAccessibleName(tr("Verification"));
    for (const Standard& standard : kStandards)
        m_type->addItem(QLatin1String(standard.dtype).mid(6), QLatin1String(standard.dtype));
    m_type->setAccessibleName(tr("Type that the tolerance is for"));
    for (QLineEdit* field : {m_relative, m_absolute}) {
        field->setValidator(new ToleranceValidator(field));
        field->setFixedWidth(84);
        connect(field, &QLineEdit::editingFinished, this, &VerifyPanel::takeTolerance);
    }
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 8, 8, 4);
    head->setSpacing(8);
    m_errors->setToolButtonStyle(Qt::ToolButtonTextOnly);
    head->addWidget(m_verdict, 0, Qt::AlignVCenter); // as high as its text, also beside two rows of buttons
    head->addWidget(m_inputs, 1);
    auto* controls = new QWidget(this);
    auto* flow = new FlowLayout(controls);
    flow->setSpacing(8);
    for (QWidget* each : std::initializer_list<QWidget*>{m_errors, m_editInputs, m_verify}) flow->addWidget(each);
    head->addWidget(controls);
    auto* foot = new FlowLayout;
    foot->setContentsMargins(12, 4, 8, 8);
    foot->setSpacing(8);
    foot->addWidget(new QLabel(tr("Tolerance for"), this));
    foot->addWidget(m_type);
    for (const auto& [text, field] : {std::pair{tr("relative"), m_relative}, {tr("absolute"), m_absolute}}) {
        auto* label = new QLabel(text, this);
        label->setBuddy(field);
        field->setAccessibleName(tr("%1 tolerance").arg(text));
        field->setToolTip(tr("Empty: the default of torch.testing.assert_close for this type"));
        foot->addWidget(label);
        foot->addWidget(field);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_probeBar);
    column->addWidget(m_page, 1);
    column->addLayout(foot);
    connect(m_verify, &QPushButton::clicked, this,
            [this] { m_session->state() == RunSession::State::Running ? m_session->cancel() : m_session->verify(); });
    connect(m_editInputs, &QPushButton::clicked, this, &VerifyPanel::inputsRequested);
    connect(m_type, &QComboBox::currentIndexChanged, this, &VerifyPanel::showTolerance);
    connect(m_page, &QTextBrowser::anchorClicked, this, &VerifyPanel::follow);
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    setSession(nullptr);
}

void VerifyPanel::setSession(RunSession* session) {
    if (m_session && m_session != session) takeTolerance(); // what is typed is meant for the file before
    if (m_session) {
        m_session->disconnect(this);
        m_session->document().release(this);
    }
    m_session = session;
    showTolerance();
    m_probeBar->setSession(session);
    if (session) {
        connect(session, &RunSession::verifyChanged, this, &VerifyPanel::show);
        connect(session, &RunSession::inputsChanged, this, &VerifyPanel::show);
        connect(&session->document(), &Document::draftChanged, this, &VerifyPanel::show);
    }
    show();
}

void VerifyPanel::show() {
    if (!m_relative->hasFocus() && !m_absolute->hasFocus())
        showTolerance(); // what the file is remembered with comes later than the file
    const RunSession::State state = m_session ? m_session->state() : RunSession::State::NoModel;
    const bool open = state != RunSession::State::NoModel;
    const VerifyVerdict verdict =
        m_session ? verdictOf(*m_session) : VerifyVerdict{tr("nothing to verify"), {}, nullptr};
    showPill(*m_verdict, verdict);
    // Inputs that are not known yet are those of a form to fill in: nothing is run with them.
    const bool known = open && state != RunSession::State::NeedsInputs;
    const QString inputs = known ? inputsText() : QString();
    m_inputs->setText(inputs.isEmpty() ? QString() : tr("with %1 · seed %2").arg(inputs).arg(m_session->inputs().seed));
    if (const QString mode = known ? chosenMode(m_session->inputs().mode) : QString(); !mode.isEmpty())
        m_inputs->setText(inputs.isEmpty() ? mode : mode + u' ' + m_inputs->text());
    m_inputs->setToolTip(m_inputs->text());
    const bool running = state == RunSession::State::Running;
    m_verify->setText(running ? tr("Stop") : tr("Verify Now"));
    m_verify->setEnabled(open && (running || m_session->missing().isEmpty()));
    m_verify->setToolTip(!open ? tr("No file is open")
                         : !m_session->missing().isEmpty()
                             ? m_session->missing()
                             : tr("Run the original and the current version on the same inputs"));
    m_editInputs->setEnabled(open);
    m_editInputs->setToolTip(open ? tr("Set the inputs that the model runs on") : tr("No file is open"));
    for (QWidget* field : std::initializer_list<QWidget*>{m_type, m_relative, m_absolute}) field->setEnabled(open);
    const int scrolled = m_page->verticalScrollBar()->value();
    m_page->document()->setDefaultStyleSheet(runStyle());
    m_page->setHtml(pageHtml());
    m_page->verticalScrollBar()->setValue(scrolled);
}

/// Those of the report, where there is one. Guessed inputs failed without a batch of two.
QString VerifyPanel::inputsText() const {
    const Verification* verified = m_session->current();
    if (!verified) return summaryOf(m_session->inputsTriedFirst());
    if (!verified->report || verified->report->inputs.empty()) return summaryOf(m_session->inputs());
    QStringList texts;
    for (const std::string& input : verified->report->inputs) texts << fromCore(input);
    return texts.join(QStringLiteral(" · "));
}

QString VerifyPanel::pageHtml() const {
    const auto line = [](const QString& text) { return QStringLiteral("<p>%1</p>").arg(text); };
    if (!m_session || m_session->state() == RunSession::State::NoModel)
        return line(tr("Open a model. Lancet then verifies each edit against the original in the background."));
    const QString draft =
        m_session->document().draft()
            ? line(tr("The code that you typed is not applied, so it is not part of what is verified."))
            : QString();
    const QString history = verifyHistoryHtml(*m_session);
    const fx::Graph& graph = m_session->document().module()->graph;
    switch (m_session->state()) {
    case RunSession::State::Unchanged:
        return draft +
               line(m_session->isEdited() ? tr("The edits with which the file was opened are not verified yet.")
                    : history.isEmpty()
                        ? tr("There are no edits. After each edit the original and the current version run on the "
                             "same inputs; their differences appear here.")
                        : tr("The current version is the original.")) +
               history;
    case RunSession::State::NeedsInputs:
        return line(tr("The model cannot run yet: %1.").arg(m_session->missing().toHtmlEscaped())) +
               (m_session->document().isPartial() // no inputs help
                    ? QString()
                    : line(QStringLiteral("<a href='inputs:'>%1</a>").arg(tr("Edit Inputs…")))) +
               history;
    case RunSession::State::Running:
        return line(tr("Running the original and the current version on the same inputs…")) + history;
    default: break;
    }
    const Verification& known = *m_session->current();
    if (known.error && m_session->guessDoesNotFit()) return guessHtml(*m_session, *known.error) + history;
    return draft + (known.report ? reportHtml(*known.report, graph) : runErrorHtml(*known.error, graph)) + history;
}

void VerifyPanel::showTolerance() {
    const Standard& standard = kStandards[std::max(0, m_type->currentIndex())];
    m_relative->setPlaceholderText(QString::number(standard.rtol));
    m_absolute->setPlaceholderText(QString::number(standard.atol));
    m_relative->clear();
    m_absolute->clear();
    if (!m_session) return;
    for (const auto& [dtype, tolerance] : m_session->tolerances().types)
        if (dtype == standard.dtype) {
            if (tolerance.rtol != standard.rtol) m_relative->setText(QString::number(tolerance.rtol));
            if (tolerance.atol != standard.atol) m_absolute->setText(QString::number(tolerance.atol));
        }
}

void VerifyPanel::takeTolerance() {
    if (!m_session) return;
    const Standard& standard = kStandards[m_type->currentIndex()];
    fx::Tolerances all = m_session->tolerances();
    const auto before = std::find_if(all.types.begin(), all.types.end(),
                                     [&](const auto& type) { return type.first == standard.dtype; });
    const auto number = [](const QLineEdit& field, double otherwise) {
        return field.text().isEmpty() || !field.hasAcceptableInput() ? otherwise : field.text().toDouble();
    };
    const fx::Tolerance wanted{number(*m_relative, standard.rtol), number(*m_absolute, standard.atol)};
    const fx::Tolerance was = before == all.types.end() ? fx::Tolerance{standard.rtol, standard.atol} : before->second;
    if (wanted.rtol == was.rtol && wanted.atol == was.atol) return;
    if (before != all.types.end()) all.types.erase(before);
    if (wanted.rtol != standard.rtol || wanted.atol != standard.atol) all.types.emplace_back(standard.dtype, wanted);
    m_session->setTolerances(std::move(all));
}

void VerifyPanel::follow(const QUrl& link) {
    if (!m_session) return;
    Document& document = m_session->document();
    if (link.scheme() == QLatin1String("inputs")) Q_EMIT inputsRequested();
    else if (link.scheme() == QLatin1String("version")) document.versions().goTo(link.path().toULongLong());
    else if (link.scheme() == QLatin1String("node") && document.module())
        document.selection().goTo(document.module()->graph.find(link.path(QUrl::FullyDecoded).toStdString()), this);
}

void VerifyPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_page) show();
}

} // namespace ui
