// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/document_page.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/document/node_facts.h"
#include "ui/document/node_marks.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/saving/note_bar.h"
#include "ui/shell/shapes_bar.h"
#include "ui/shell/status_pages.h"
#include "ui/source/source_banner.h"
#include "ui/source/source_pane.h"
#include "ui/source/source_viewer.h"
#include "ui/widgets/text_button.h"
#include "ui/widgets/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr int kLeastBar = 260; // px

/// Texts as they fit beside each other into `room`: short ones leave what they do not need to the long ones.
QStringList fitted(QStringList texts, const QFontMetrics& metrics, int room) {
    std::vector<std::pair<int, qsizetype>> widths;
    for (qsizetype i = 0; i < texts.size(); ++i) widths.emplace_back(metrics.horizontalAdvance(texts[i]), i);
    std::sort(widths.begin(), widths.end());
    auto left = static_cast<int>(texts.size());
    for (const auto& [width, at] : widths) {
        const int share = std::max(0, room) / left--;
        texts[at] = metrics.elidedText(texts[at], Qt::ElideRight, share);
        room -= std::min(width, share);
    }
    return texts;
}

/// Whether the nodes say which lines of source they come from.
bool knowsSource(const Document& document) {
    if (document.source()) return true;
    for (const fx::Node& node : document.module()->graph.nodes())
        if (!node.meta().stackTrace.empty()) return true;
    return false;
}
} // namespace

DocumentPage::DocumentPage(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_disk(new DiskBar(*document, this)), m_stack(new QStackedLayout),
      m_loading(new LoadingPage(document->file().title(), this)), m_error(new ErrorPage(this)),
      m_canvas(new GraphCanvas(this)) {
    document->setParent(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_disk);
    column->addWidget(new NoteBar(*document, this));
    column->addLayout(m_stack, 1);
    m_canvas->setAccessibleName(tr("Graph of %1").arg(document->file().title()));
    m_canvasPage = makeCanvasPage();
    m_beside = new QSplitter(Qt::Horizontal, this);
    m_beside->setChildrenCollapsible(false);
    m_beside->addWidget(m_canvasPage);
    for (QWidget* page :
         {static_cast<QWidget*>(m_loading), static_cast<QWidget*>(m_error), static_cast<QWidget*>(m_beside)})
        m_stack->addWidget(page);
    connectDocument();
    connectCanvas();
    connect(m_disk, &DiskBar::reloadRequested, this, &DocumentPage::reloadRequested);
    connect(m_loading, &LoadingPage::cancelled, document,
            [document] { document->operations().cancel(DocumentOperations::Kind::Open); });
    connect(m_error, &ErrorPage::retryRequested, document, [document] { document->load(); });
    connect(m_error, &ErrorPage::otherRequested, this, &DocumentPage::openOtherRequested);
    connect(m_error, &ErrorPage::closeRequested, this, &DocumentPage::closeRequested);
    showState();
}

QWidget* DocumentPage::makeCanvasPage() {
    auto* page = new QWidget(this);
    m_bar = new QWidget(page);
    m_bar->setMinimumWidth(kLeastBar); // its texts get shorter
    m_bar->installEventFilter(this);
    auto* bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(14, 4, 10, 4);
    bar->setSpacing(2);
    m_place = new QLabel(page);
    m_place->setTextFormat(Qt::RichText);
    m_place->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_place->setAccessibleName(tr("Module path of the selection"));
    m_place->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_place->installEventFilter(this); // how much of the path fits
    connect(m_place, &QLabel::linkActivated, this, [this](const QString& link) {
        m_document->selection().selectModule(QUrl(link).path(QUrl::FullyDecoded), this);
    });
    const auto button = [page](const QString& text, const QString& tip) { return textButton(text, tip, page); };
    m_fit = button(tr("Fit"), tr("Show the whole graph (0)"));
    m_zoom = button(tr("100 %"), tr("Zoom"));
    m_zoom->setPopupMode(QToolButton::InstantPopup);
    auto* zooms = new QMenu(m_zoom);
    for (const int percent : {25, 50, 75, 100, 150, 200})
        zooms->addAction(tr("%1\u00a0%").arg(percent), m_canvas,
                         [this, percent] { m_canvas->setZoom(percent / 100.0); });
    m_zoom->setMenu(zooms);
    m_shapes = button({}, {});
    m_shapes->hide();
    connect(m_shapes, &QToolButton::clicked, this, &DocumentPage::inputsRequested);
    m_direction = button({}, tr("Switch between top-to-bottom and left-to-right layout"));
    m_source = button(tr("Source"), tr("Show the source beside the graph (F4)"));
    m_source->setCheckable(true);
    connect(m_source, &QToolButton::toggled, this, [this](bool shown) {
        showSource();
        Q_EMIT sourceToggled(shown);
    });
    bar->addWidget(m_source);
    bar->addSpacing(8);
    bar->addWidget(m_place, 1);
    for (QToolButton* tool : {m_shapes, m_fit, m_zoom, m_direction}) bar->addWidget(tool);
    connect(m_fit, &QToolButton::clicked, m_canvas, &GraphCanvas::fit);
    connect(m_direction, &QToolButton::clicked, this, [this] {
        const bool down = m_document->picture().direction() == fx::Direction::TopDown;
        m_document->picture().setDirection(down ? fx::Direction::LeftRight : fx::Direction::TopDown);
    });
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    auto* banner = new SourceBanner(*m_document, page);
    connect(banner, &SourceBanner::pythonRequested, this, &DocumentPage::pythonRequested);
    column->addWidget(banner);
    column->addWidget(new ShapesBar(*m_document, page));
    column->addWidget(m_canvas, 1);
    return page;
}

/// The source is made when it is seen for the first time; an editor keeps what was typed there.
void DocumentPage::showSource() {
    const bool shown = m_source->isChecked() && m_document->state() == Document::State::Ready;
    if (shown && m_document->source() && !m_pane) {
        delete std::exchange(m_viewer, nullptr);
        m_pane = new SourcePane(*m_document, m_beside);
        m_beside->insertWidget(0, m_pane);
    } else if (shown && !m_document->source() && !m_viewer) {
        m_viewer = new SourceViewer(*m_document, m_beside);
        m_beside->insertWidget(0, m_viewer);
    }
    for (QWidget* side : {static_cast<QWidget*>(m_pane), static_cast<QWidget*>(m_viewer)}) {
        if (!side) continue;
        const bool first = shown && side->isHidden() && m_beside->sizes().value(0) == 0;
        side->setVisible(shown);
        if (!first && side->property("placed").toBool()) continue;
        side->setProperty("placed", true);
        const int width = std::max(600, m_beside->width());
        m_beside->setSizes({width * 9 / 20, width * 11 / 20});
    }
}

void DocumentPage::setSourceShown(bool shown) { m_source->setChecked(shown); }

void DocumentPage::showSourceIfKnown() {
    m_showsIfKnown = m_document->state() != Document::State::Ready;
    if (!m_showsIfKnown && knowsSource(*m_document)) setSourceShown(true);
}

bool DocumentPage::isSourceShown() const { return m_source->isChecked(); }

void DocumentPage::focusSource() {
    setSourceShown(true);
    if (m_pane) m_pane->setFocus(Qt::ShortcutFocusReason);
    else if (m_viewer) m_viewer->setFocus(Qt::ShortcutFocusReason);
}

void DocumentPage::connectDocument() {
    connect(m_document, &Document::stateChanged, this, &DocumentPage::showState);
    connect(m_document, &Document::sourceChanged, this, &DocumentPage::showSource);
    connect(&m_document->shapes(), &DocumentShapes::changed, this, &DocumentPage::showShapes);
    connect(m_document, &Document::versionChanged, this, &DocumentPage::showShapes);
    connect(&m_document->operations(), &DocumentOperations::changed, m_loading, [this] {
        for (const auto& each : m_document->operations().running())
            if (each.kind == DocumentOperations::Kind::Open) m_loading->setProgress(each.what, each.done);
    });
    connect(&m_document->selection(), &NodeSelection::changed, this, [this](QObject* source) {
        const auto& selection = m_document->selection().nodes();
        // One node is shown wherever it is; for several no groups are opened, and for very many the view stays where it
        // is.
        const bool reveal = !m_document->picture().isRestoring() && !m_document->selection().isGoing() &&
                            (selection.size() == 1 || (!selection.empty() && selection.size() < 2000 &&
                                                       m_document->picture().shows(selection.front())));
        const bool followed = std::exchange(m_following, true); // nodes that are not drawn yet stay selected
        if (source != m_canvas) m_canvas->setSelection(selection, reveal);
        m_following = followed;
        showPlace();
    });
    connect(&m_document->picture(), &DocumentPicture::revealed, m_canvas, &GraphCanvas::revealNode);
    connect(&m_document->picture(), &DocumentPicture::revealedAll, m_canvas, &GraphCanvas::revealNodes);
    DocumentPicture& picture = m_document->picture();
    connect(&picture, &DocumentPicture::pictureChanged, this, &DocumentPage::showScene);
    connect(&picture, &DocumentPicture::optionsChanged, this, &DocumentPage::showBar);
}

QByteArray DocumentPage::view() const {
    const fx::Point centre = m_canvas->visibleArea().center();
    const ViewState::Look look{QPointF(centre.x, centre.y), m_canvas->zoom()};
    return ViewState{m_document->selection().nodes(), m_document->picture().options(), look,
                     m_document->panelViews().all()}
        .toJson(m_document->module()->graph);
}

void DocumentPage::connectCanvas() {
    connect(m_canvas, &GraphCanvas::selectionChanged, this, [this] {
        if (!m_following) m_document->selection().select(m_canvas->selection(), m_canvas);
    });
    connect(m_canvas, &GraphCanvas::groupToggled, this,
            [this](const QString& path, bool expand) { m_document->picture().setExpanded(path, expand); });
    connect(m_canvas, &GraphCanvas::revealRequested, this,
            [this](fx::NodeId node) { m_document->picture().reveal(node); });
    connect(m_canvas, &GraphCanvas::nodeActivated, m_canvas, &GraphCanvas::zoomToSelection);
    connect(m_canvas, &GraphCanvas::currentGroupChanged, this, &DocumentPage::showPlace);
    connect(m_canvas, &GraphCanvas::cameraChanged, this, [this] {
        if (!m_following) m_document->picture().touch();
        showZoom();
    });
}

void DocumentPage::showState() {
    switch (m_document->state()) {
    case Document::State::Failed:
        m_error->setError(m_document->error());
        m_stack->setCurrentWidget(m_error);
        break;
    case Document::State::Ready:
        m_canvas->setGraph(m_document->module());
        m_stack->setCurrentWidget(m_beside);
        if (m_showsIfKnown) showSourceIfKnown();
        showSource();
        showPlace();
        break;
    default: m_stack->setCurrentWidget(m_loading);
    }
    setFocusProxy(m_stack->currentWidget() == m_beside ? static_cast<QWidget*>(m_canvas) : m_stack->currentWidget());
    Q_EMIT contentChanged();
}

void DocumentPage::showScene() {
    const GuiScope scope("canvas.scene");
    m_following = true;
    // Another graph of the file is looked at from its beginning.
    if (const std::string& name = m_document->module()->modelName; std::exchange(m_shownModel, name) != name)
        m_canvas->setScene(Scene::make(nullptr, nullptr), false);
    const bool follows = m_document->source() && !m_document->isDetached();
    const fx::GraphModule* const before = m_canvas->scene().module();
    m_canvas->setGrowing(follows);
    const bool first = m_canvas->scene().itemCount() == 0;
    m_canvas->setScene(m_document->picture().scene(), !first);
    if (m_canvas->selection() != m_document->selection().nodes())
        m_canvas->setSelection(m_document->selection().nodes(), false);
    // What the line makes that is being typed.
    if (follows && !first && before != m_canvas->scene().module())
        m_canvas->revealNodes(m_document->selection().nodes());
    m_following = false;
    if (const auto look = m_document->picture().takeLook()) { // as the project was left
        m_canvas->lookAt(look->centre, look->zoom);
        m_document->picture().touch();
    }
    showZoom();
}

/// What the shapes rest on; nodes whose shapes do not fit stand out, and the Problems panel says why.
void DocumentPage::showShapes() {
    const auto& shapes = m_document->shapes().notes();
    const bool guessed = shapes && !shapes->guessed.isEmpty(), failed = shapes && !shapes->error.isEmpty();
    const bool batch = shapes && !shapes->batch.isEmpty();
    m_shapes->setVisible(guessed || failed || batch);
    constexpr int kLongest = 300; // texts of LibTorch have any length
    const QString why = failed ? elided(shapes->error.toStdString(), kLongest) : QString();
    m_shapes->setToolTip(
        plainToolTip((failed    ? tr("Shapes are unknown: %1").arg(why)
                      : guessed ? tr("Shapes are inferred for a guessed input: %1").arg(shapes->guessed)
                      : batch   ? tr("Shapes are inferred for an assumed batch size: %1").arg(shapes->batch)
                                : QString()) +
                     u'\n' + tr("Click to edit the inputs.")));
    m_shapes->setAccessibleName(failed    ? tr("No Shapes")
                                : guessed ? tr("Shapes: Guessed Input")
                                          : tr("Shapes: Assumed Batch Size"));
    showBar();
    showMarks();
}

/// The buttons above the graph in full, or so short that the place beside them can still be read. What the shapes rest
/// on is the last that gets shorter: nothing else says it.
void DocumentPage::showBar() {
    enum Length { Full, ShortDirection, Short, Least, Lengths };
    constexpr int kPlaces[Lengths] = {160, 100, 100, 40}; // px, with what is between the buttons
    const auto& shapes = m_document->shapes().notes();
    const bool failed = shapes && !shapes->error.isEmpty();
    const bool down = m_document->picture().direction() == fx::Direction::TopDown;
    for (const Length length : {Full, ShortDirection, Short, Least}) {
        const bool isArrow = length != Full;
        for (QToolButton* tool : {m_fit, m_direction}) tool->setVisible(length != Least); // the menu View has them
        const bool isShort = length >= Short, guessed = shapes && !shapes->guessed.isEmpty();
        m_shapes->setText(failed    ? tr("No Shapes")
                          : guessed ? (isShort ? tr("Guessed") : tr("Shapes: Guessed Input"))
                                    : (isShort ? tr("Assumed") : tr("Shapes: Assumed Batch Size")));
        m_direction->setText(down ? (isArrow ? tr("↓") : tr("↓ Top to Bottom"))
                                  : (isArrow ? tr("→") : tr("→ Left to Right")));
        int needed = kPlaces[length];
        for (const QToolButton* tool : {m_source, m_shapes, m_fit, m_zoom, m_direction})
            if (!tool->isHidden()) needed += tool->sizeHint().width();
        if (needed <= m_bar->width()) break;
    }
}

/// Those of the version before stay until the new ones are found.
void DocumentPage::showMarks() {
    const NodeMarks::Make make = NodeMarks::makerFor(*m_document);
    if (make)
        return m_marking.start(make, this, [this](NodeMarker marker) { m_canvas->setNodeMarker(std::move(marker)); });
    m_marking.cancel();
    m_canvas->setNodeMarker({});
}

void DocumentPage::showZoom() {
    const double percent = m_canvas->zoom() * 100;
    m_zoom->setText(
        tr("%1\u00a0%").arg(percent < 1 ? QLocale().toString(percent, 'g', 1) : QString::number(qRound(percent))));
}

/// The place is text in the theme's colours.
void DocumentPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_document) {
        showPlace();
        showShapes();
    }
}

bool DocumentPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_place && event->type() == QEvent::Resize) showPlace();
    if (watched == m_bar && event->type() == QEvent::Resize) showBar();
    return QWidget::eventFilter(watched, event);
}

/// How wide the signs between steps are, as HTML draws them.
int DocumentPage::stepsBetween(const QFontMetrics& metrics) {
    return metrics.horizontalAdvance(QStringLiteral("  › … ›  "));
}

/// How many steps after the first do not fit into the bar.
std::size_t DocumentPage::placesLeftOut(const Steps& steps, const QFontMetrics& metrics) const {
    const int sign = stepsBetween(metrics);
    int width = 0;
    for (const auto& step : steps) width += metrics.horizontalAdvance(step.second) + sign;
    std::size_t left = 0;
    for (; left + 2 < steps.size() && width > m_place->width(); ++left)
        width -= metrics.horizontalAdvance(steps[left + 1].second) + sign;
    return left;
}

/// The module from `start` to `end` of a path; a part of a long level, "layers#2", has the name that its box has.
void DocumentPage::addSteps(const std::string& path, std::size_t start, std::size_t end, Steps& steps) const {
    const std::size_t module = std::min(path.find('#', start), end);
    const QString link = QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(path.substr(0, module))));
    if (module > start) steps.emplace_back(link, elided(path.substr(start, module - start), 60));
    for (std::size_t part = module; part < end;) {
        part = std::min(path.find('#', part + 1), end);
        const ItemIndex box = m_canvas->scene().groupByPath(path.substr(0, part));
        if (box != kNoItem) steps.emplace_back(link, elided(m_canvas->scene().title(box), 60));
    }
}

/// "ResNet › layer1 › 0": where the selection is in the module tree, each step a link.
void DocumentPage::showPlace() {
    if (m_document->state() != Document::State::Ready) return;
    std::string path;
    const auto& selection = m_document->selection().nodes();
    if (m_document->selection().module()) path = m_document->selection().module()->toStdString();
    else if (!selection.empty()) path = modulePathOf(m_document->module()->graph.node(selection.front()));
    else path = m_canvas->currentGroup().toStdString();
    Steps steps{{QString(), elided(m_document->module()->className, 60)}};
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t dot = std::min(path.find('.', start), path.size());
        addSteps(path, start, dot, steps);
        start = dot + 1;
    }
    QFont bold = m_place->font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(bold);
    QStringList whole;
    for (const auto& step : steps) whole << step.second;
    const std::size_t left = placesLeftOut(steps, metrics);
    steps.erase(steps.begin() + 1, steps.begin() + 1 + static_cast<std::ptrdiff_t>(left));
    QStringList names;
    for (const auto& step : steps) names << step.second;
    constexpr int kSlack = 6; // px: rich text is laid out in fractions of pixels, and would be cut without an ellipsis
    const int signs = static_cast<int>(steps.size() - 1) * stepsBetween(metrics);
    names = fitted(names, metrics, m_place->width() - signs - kSlack);
    const QString link =
        QStringLiteral("<a style='color:%1;text-decoration:none;font-weight:600' href='module:%2'>%3</a>");
    QString html;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i > 0)
            html += QStringLiteral(" &nbsp;<span style='color:%1'>%2</span>&nbsp; ")
                        .arg(theme().muted.name(), i == 1 && left > 0 ? QStringLiteral("› … ›") : QStringLiteral("›"));
        html += link.arg(theme().text.name(), steps[i].first, names[static_cast<qsizetype>(i)].toHtmlEscaped());
    }
    m_place->setToolTip(names == whole ? QString() : plainToolTip(whole.join(QStringLiteral(" › "))));
    m_place->setText(html);
}

} // namespace ui
