// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_pages.h"

#include "ui/document/node_facts.h"
#include "ui/shell/samples.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QClipboard>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ui {

namespace {

QLabel* makeLabel(QWidget* parent, const char* role = nullptr) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    if (role) label->setProperty("role", role);
    return label;
}

QLabel* makeTitle(QWidget* parent, const QString& text) {
    auto* label = new QLabel(text, parent);
    QFont font = semiboldFont();
    font.setPixelSize(QFontInfo(font).pixelSize() + 6);
    label->setFont(font);
    label->setTextFormat(Qt::PlainText);
    return label;
}

/// A column of limited width in the middle of the page, which scrolls when it does not fit.
QVBoxLayout* middleColumn(QWidget* page, int width) {
    auto* scroll = new QScrollArea(page);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidgetResizable(true);
    auto* whole = new QVBoxLayout(page);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
    auto* sheet = new QWidget(scroll);
    auto* inner = new QWidget(sheet);
    inner->setMaximumWidth(width);
    inner->setMinimumWidth(std::min(width, 320));
    auto* column = new QVBoxLayout(inner);
    column->setSpacing(8);
    auto* across = new QHBoxLayout;
    across->addStretch(1);
    across->addWidget(inner, 100);
    across->addStretch(1);
    auto* down = new QVBoxLayout(sheet);
    down->addStretch(1);
    down->addLayout(across);
    down->addStretch(2);
    scroll->setWidget(sheet);
    for (QWidget* each : {scroll->viewport(), sheet}) each->setAutoFillBackground(false);
    return column;
}

} // namespace

LoadingPage::LoadingPage(const QString& fileName, QWidget* parent)
    : QWidget(parent), m_what(makeLabel(this, "muted")), m_bar(new QProgressBar(this)) {
    QVBoxLayout* column = middleColumn(this, 420);
    column->addWidget(makeTitle(this, tr("Opening %1").arg(fileName)));
    m_bar->setRange(0, 0);
    m_bar->setAccessibleName(tr("Opening progress"));
    column->addWidget(m_bar);
    column->addWidget(m_what);
    auto* cancel = new QPushButton(tr("Cancel"), this);
    connect(cancel, &QPushButton::clicked, this, &LoadingPage::cancelled);
    column->addWidget(cancel, 0, Qt::AlignLeft);
    m_what->setText(tr("reading the file"));
}

void LoadingPage::setProgress(const QString& what, double done) {
    m_what->setText(what);
    m_bar->setRange(0, 1000);
    m_bar->setValue(static_cast<int>(done * 1000));
}

ErrorPage::ErrorPage(QWidget* parent)
    : QWidget(parent), m_title(makeTitle(this, {})), m_what(makeLabel(this)), m_file(makeLabel(this, "muted")),
      m_where(makeLabel(this, "muted")), m_hint(makeLabel(this)), m_partTitle(makeLabel(this, "heading")),
      m_part(new QPlainTextEdit(this)) {
    QVBoxLayout* column = middleColumn(this, 720);
    for (QLabel* label : {m_title, m_what, m_where, m_file, m_hint, m_partTitle}) column->addWidget(label);
    m_part->setReadOnly(true);
    m_part->setFont(monoFont());
    m_part->setMinimumHeight(120);
    m_part->setAccessibleName(tr("The part of the file where the error is"));
    column->addWidget(m_part);
    auto* buttons = new QHBoxLayout;
    auto* retry = new QPushButton(tr("Try Again"), this);
    auto* other = new QPushButton(tr("Open Another File…"), this);
    auto* copy = new QPushButton(tr("Copy Message"), this);
    auto* close = new QPushButton(tr("Close"), this);
    retry->setProperty("primary", true);
    for (QPushButton* button : {retry, other, copy, close}) buttons->addWidget(button);
    buttons->addStretch();
    column->addLayout(buttons);
    connect(retry, &QPushButton::clicked, this, &ErrorPage::retryRequested);
    connect(other, &QPushButton::clicked, this, &ErrorPage::otherRequested);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(text()); });
    connect(close, &QPushButton::clicked, this, &ErrorPage::closeRequested);
    setFocusProxy(retry);
}

void ErrorPage::setError(const fx::Error& error) {
    const auto show = [](QLabel* label, const QString& text) {
        label->setText(text);
        label->setVisible(!text.isEmpty());
    };
    const QString name = visible(QFileInfo(QString::fromStdString(error.file)).fileName());
    show(m_title, error.kind() == fx::ErrorKind::Cancelled ? tr("Opening %1 was cancelled").arg(name)
                                                           : tr("Could not open %1").arg(name));
    show(m_what, elidedLines(error.what(), 4000));
    QStringList places;
    if (!error.where.empty()) places << tr("at %1").arg(elided(error.where, 400));
    if (!error.node.empty()) places << tr("node %1").arg(elided(error.node, 200));
    if (!error.modulePath.empty()) places << tr("module %1").arg(elided(error.modulePath, 400));
    show(m_where, places.join(QStringLiteral(" · ")));
    show(m_file, fromCore(error.file));
    show(m_hint, elidedLines(error.hint, 2000));
    show(m_partTitle, error.source.empty() ? QString() : tr("In the file"));
    m_part->setPlainText(elidedLines(error.source, 100'000));
    m_part->setVisible(!error.source.empty());
}

QString ErrorPage::text() const {
    QStringList lines;
    for (const QLabel* label : {m_title, m_what, m_where, m_file, m_hint})
        if (!label->text().isEmpty()) lines << label->text();
    if (!m_part->toPlainText().isEmpty()) lines << m_part->toPlainText();
    return lines.join(u'\n');
}

WelcomePage::WelcomePage(QWidget* parent) : QWidget(parent) {
    QVBoxLayout* column = middleColumn(this, 640);
    column->addWidget(makeTitle(this, tr("Open a traced PyTorch model")));
    QLabel* about = makeLabel(this, "muted");
    about->setText(
        tr("Drop files here: a GraphModule saved by torch.save (.pt), an exported program (.pt2), TorchScript (.ts), "
           "the Python source of an nn.Module (.py), a to_folder directory, a Lancet project (.lancet) or .json file, "
           "or what torch.compile has written."));
    column->addWidget(about);
    auto* open = new QPushButton(tr("Open…"), this);
    open->setProperty("primary", true);
    open->setToolTip(tr("Ctrl+O"));
    connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
    auto* begin = new QPushButton(tr("New from Python"), this);
    begin->setToolTip(tr("Write a model in Python and see its graph (Ctrl+N)"));
    connect(begin, &QPushButton::clicked, this, &WelcomePage::newRequested);
    auto* ways = new QHBoxLayout;
    ways->addWidget(open);
    ways->addWidget(begin);
    ways->addStretch();
    column->addLayout(ways);
    setFocusProxy(open);
    column->addSpacing(12);
    addSamples(column);
    m_recentTitle = makeLabel(this, "heading");
    m_recentTitle->setText(tr("Recent Files"));
    column->addSpacing(12);
    column->addWidget(m_recentTitle);
    m_recent = new QVBoxLayout;
    m_recent->setSpacing(2);
    column->addLayout(m_recent);
    setRecentFiles({});
}

void WelcomePage::addSamples(QVBoxLayout* column) {
    const std::vector<Sample> shipped = samples();
    if (shipped.empty()) return;
    QLabel* title = makeLabel(this, "heading");
    title->setText(tr("Samples"));
    column->addWidget(title);
    auto* list = new QVBoxLayout;
    list->setSpacing(2);
    for (const Sample& sample : shipped)
        list->addWidget(fileButton(QFileInfo(sample.path).fileName(), sample.about, sample.path));
    column->addLayout(list);
}

QPushButton* WelcomePage::fileButton(const QString& name, const QString& about, const QString& path) {
    auto* button = new QPushButton(this);
    button->setFlat(true);
    button->setProperty("look", "row");
    button->setCursor(Qt::PointingHandCursor);
    button->setAccessibleName(tr("Open %1, %2").arg(name, about));
    button->setToolTip(plainToolTip(visible(path)));
    button->setMinimumHeight(30);
    auto* line = new QHBoxLayout(button);
    line->setContentsMargins(10, 0, 10, 0);
    auto* title = new QLabel(name, button);
    title->setTextFormat(Qt::PlainText);
    title->setFont(semiboldFont());
    auto* detail = new QLabel(about, button);
    detail->setTextFormat(Qt::PlainText);
    detail->setProperty("role", "muted");
    line->addWidget(title);
    line->addWidget(detail, 1);
    for (QLabel* label : {title, detail}) label->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
    return button;
}

void WelcomePage::setRecentFiles(const QStringList& files) {
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    m_recentTitle->setVisible(!files.isEmpty());
    for (const QString& file : files.mid(0, 6)) {
        const QFileInfo info(file);
        QPushButton* button = fileButton(
            visible(info.fileName()),
            info.exists() ? visible(info.path()) : tr("%1 · no longer exists").arg(visible(info.path())), file);
        button->setEnabled(info.exists());
        m_recent->addWidget(button);
    }
}

} // namespace ui
