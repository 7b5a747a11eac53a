// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_panel.h"

#include "ui/document/node_facts.h"
#include "ui/run/run_center.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/role.h"
#include "ui/widgets/wrapped_label.h"

#include <QComboBox>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

using fx::quant::Mode;

namespace {

enum Data { Random, File, Choose }; ///< what the rows of the list of data stand for

QString aboutOf(const QuantChoices& choices) {
    switch (choices.form) {
    case QuantChoices::Form::Prepared:
        if (choices.mode == Mode::Qat)
            return QuantPanel::tr("Fuses layers and inserts fake quantisation, for training in Python.");
        return QuantPanel::tr("Fuses layers and inserts observers. Weights stay in floating point.");
    case QuantChoices::Form::Reference:
        return QuantPanel::tr(
            "Makes quantize and dequantize pairs and reference modules, which any backend can lower.");
    case QuantChoices::Form::Converted: break;
    }
    switch (choices.mode) {
    case Mode::Static: return QuantPanel::tr("Weights and activations are quantised before the model runs.");
    case Mode::Dynamic: return QuantPanel::tr("Weights are quantised now, activations while the model runs.");
    case Mode::WeightOnly: return QuantPanel::tr("The weights of embeddings are quantised; nothing else changes.");
    case Mode::Qat: return QuantPanel::tr("A model for training has its prepared form.");
    }
    return {};
}

/// What the data is for, and what random inputs cannot tell.
QString aboutData(const QuantChoices& choices) {
    const bool isRandom = choices.dataFile.isEmpty();
    if (!choices.observes() && !choices.compares()) return QuantPanel::tr("This mode needs no data.");
    if (!choices.observes())
        return isRandom ? QuantPanel::tr("Nothing is calibrated. The errors of layers will be those on random inputs, "
                                         "which say little about real inputs.")
                        : QuantPanel::tr("Nothing is calibrated. The data is used to compare layers.");
    if (!isRandom) return {};
    if (choices.form == QuantChoices::Form::Prepared) return QuantPanel::tr("The observers will have seen no data.");
    return QuantPanel::tr("Ranges from random inputs mean nothing for real ones. Choose a file with batches before you "
                          "use the model.");
}

QComboBox* box(const QString& name, QWidget* parent) {
    auto* list = new QComboBox(parent);
    list->setAccessibleName(name);
    list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    list->setMinimumContentsLength(8);
    return list;
}

} // namespace

QuantPanel::QuantPanel(RunCenter& run, QWidget* parent) : QWidget(parent), m_run(run) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    m_empty = new WrappedLabel(this, tr("Open a model to quantise it as torch.ao does."));
    m_about = new WrappedLabel(this);
    for (QLabel* label : {m_empty, m_about}) label->setProperty("role", "muted");
    m_told = new WrappedLabel(this);
    m_told->setTextFormat(Qt::PlainText);
    m_told->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_settings = makeSettings();
    m_busy = makeBusy();
    m_start = new QPushButton(tr("Quantise"), this);
    m_start->setProperty("primary", true);
    m_inputs = new QPushButton(tr("Inputs…"), this);
    m_inputs->setToolTip(tr("Say what the model is run with"));
    connect(m_start, &QPushButton::clicked, this, [this] { m_session->quantise(); });
    connect(m_inputs, &QPushButton::clicked, &run, &RunCenter::editInputs);
    m_tables = new QuantTables(this);
    connect(m_tables, &QuantTables::marksChanged, this, &QuantPanel::marksChanged);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 10, 12, 10);
    column->setSpacing(6);
    column->addWidget(heading(tr("Quantise"), this));
    for (QWidget* each : std::initializer_list<QWidget*>{m_empty, m_settings}) column->addWidget(each);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_start, 1);
    buttons->addWidget(m_inputs);
    column->addLayout(buttons); // above texts, whose height changes with the settings
    for (QWidget* each : std::initializer_list<QWidget*>{m_about, m_dataWarning, m_busy, m_told})
        column->addWidget(each);
    column->addWidget(m_tables, 1);
    column->addStretch(0);
    connect(&run, &RunCenter::sessionChanged, this, [this](RunSession* session) {
        setSession(session ? QuantSession::of(*session, m_run.worker()) : nullptr);
    });
    show();
}

QWidget* QuantPanel::makeSettings() {
    auto* all = new QWidget(this);
    using fx::quant::Backend;
    m_backend = box(tr("Backend"), all), m_mode = box(tr("Mode"), all), m_form = box(tr("Form"), all);
    m_data = box(tr("Calibration data"), all);
    for (const Backend each : {Backend::X86, Backend::OneDnn, Backend::Fbgemm, Backend::Qnnpack})
        m_backend->addItem(fromCore(fx::quant::backendName(each)));
    for (const Mode each : {Mode::Static, Mode::Dynamic, Mode::WeightOnly, Mode::Qat})
        m_mode->addItem(fromCore(fx::quant::modeName(each)));
    for (const auto each : {QuantChoices::Form::Prepared, QuantChoices::Form::Converted, QuantChoices::Form::Reference})
        m_form->addItem(formName(each));
    m_backend->setToolTip(tr("The backend whose default rules are used"));
    m_mode->setToolTip(tr("What is quantised, and when"));
    m_form->setToolTip(
        tr("The form of the new model: with observers, with quantised modules, or with reference modules"));
    m_dataWarning = new WrappedLabel(this);
    const auto on = [this](QComboBox* list, auto set) {
        connect(list, &QComboBox::activated, this,
                [this, set](int index) { change([&](QuantChoices& choices) { set(choices, index); }); });
    };
    on(m_backend, [](QuantChoices& choices, int index) { choices.backend = static_cast<Backend>(index); });
    on(m_mode, [](QuantChoices& choices, int index) { choices.mode = static_cast<Mode>(index); });
    on(m_form, [](QuantChoices& choices, int index) { choices.form = static_cast<QuantChoices::Form>(index); });
    connect(m_data, &QComboBox::activated, this, &QuantPanel::chooseData);
    auto* grid = new QGridLayout(all); // two in a row, so that the tables have room in a low window
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(6);
    const auto add = [&](int row, int column, const QString& name, QComboBox* list) {
        auto* label = new QLabel(name, all);
        label->setBuddy(list);
        list->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon); // the panel may be narrow
        list->setMinimumContentsLength(1);
        grid->addWidget(label, row, column);
        grid->addWidget(list, row, column + 1);
        grid->setColumnStretch(column + 1, 1);
    };
    add(0, 0, tr("Backend"), m_backend);
    add(0, 2, tr("Mode"), m_mode);
    add(1, 0, tr("Form"), m_form);
    add(1, 2, tr("Data"), m_data);
    return all;
}

QWidget* QuantPanel::makeBusy() {
    auto* busy = new QWidget(this);
    m_doing = new WrappedLabel(busy);
    m_doing->setTextFormat(Qt::PlainText);
    m_bar = new QProgressBar(busy);
    m_bar->setFixedHeight(6);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_cancel = new QToolButton(busy);
    m_cancel->setText(tr("Cancel"));
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_session->cancel(); });
    auto* column = new QVBoxLayout(busy); // the text has the whole width: it tells layer, batch and time
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->addWidget(m_bar, 1);
    row->addWidget(m_cancel);
    column->addWidget(m_doing);
    column->addLayout(row);
    return busy;
}

void QuantPanel::setSession(QuantSession* session) {
    if (m_session == session) return;
    if (m_session) disconnect(m_session, nullptr, this, nullptr), m_session->setWatched(false);
    m_session = session;
    if (session) {
        connect(session, &QuantSession::changed, this, &QuantPanel::show);
        connect(session, &QuantSession::planChanged, this, &QuantPanel::show); // it may say why nothing can be done
        connect(session, &QuantSession::progressed, this, &QuantPanel::showProgress);
        session->setWatched(m_seen);
    }
    m_tables->setSession(session);
    show();
}

void QuantPanel::setSeen(bool seen) {
    if (std::exchange(m_seen, seen) == seen) return;
    if (m_session) m_session->setWatched(seen);
    Q_EMIT marksChanged();
}

void QuantPanel::openBadge(const QPoint& at, fx::NodeId from, fx::NodeId to) {
    QMenu* menu = m_tables->badgeMenu(from, to);
    if (!menu) return;
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(at);
}

void QuantPanel::change(const std::function<void(QuantChoices&)>& edit) {
    if (!m_session) return;
    QuantChoices choices = m_session->choices();
    edit(choices);
    m_session->setChoices(choices);
}

void QuantPanel::setDataFile(const QString& path) {
    change([&](QuantChoices& choices) { choices.dataFile = path; });
}

void QuantPanel::chooseData(int index) {
    const int row = m_data->itemData(index).toInt();
    if (row == Random) return setDataFile({});
    if (row == File || !m_session) return;
    const QString path = FileDialog::openFile(this, tr("Calibration Data"), m_session->choices().dataFile,
                                              tr("Batches (*.pt *.npy *.npz *.safetensors);;All files (*)"));
    if (!path.isEmpty()) setDataFile(path);
    showData(); // the list stands at "Choose File…"
}

void QuantPanel::show() {
    const bool ready = m_session && m_session->document().state() == Document::State::Ready;
    const bool busy = ready && m_session->isBusy();
    m_empty->setVisible(!ready);
    for (QWidget* each : std::initializer_list<QWidget*>{m_settings, m_about, m_start, m_dataWarning})
        each->setVisible(ready);
    m_settings->setEnabled(!busy);
    m_busy->setVisible(busy);
    m_told->setVisible(ready && !m_session->told().isEmpty());
    m_inputs->setVisible(ready && m_session->needsInputs());
    if (!ready) return;
    const QuantChoices& choices = m_session->choices();
    m_backend->setCurrentIndex(static_cast<int>(choices.backend));
    m_mode->setCurrentIndex(static_cast<int>(choices.mode));
    m_form->setCurrentIndex(static_cast<int>(choices.form));
    const QString why = m_session->whyNot();
    m_about->setText(why.isEmpty() || busy ? aboutOf(choices) : why + u'.');
    m_start->setEnabled(why.isEmpty());
    m_start->setToolTip(plainToolTip(why.isEmpty() ? tr("Make the quantised model; Ctrl+Z undoes it") : why));
    m_told->setText(m_session->told());
    setRole(*m_told, m_session->toldBad() ? "error" : "info");
    showData();
    showProgress();
}

void QuantPanel::showData() {
    if (!m_session) return;
    const QuantChoices& choices = m_session->choices();
    const bool hasFile = !choices.dataFile.isEmpty();
    const bool isUsed = choices.observes() || choices.compares();
    const bool mayNotCalibrate = choices.observes() && choices.form == QuantChoices::Form::Prepared;
    m_data->clear();
    m_data->addItem(mayNotCalibrate ? tr("None") : tr("Random"), Random);
    if (hasFile) m_data->addItem(visible(QFileInfo(choices.dataFile).fileName()), File);
    m_data->addItem(tr("Choose File…"), Choose);
    m_data->setCurrentIndex(hasFile ? 1 : 0);
    m_data->setToolTip(hasFile ? plainToolTip(choices.dataFile)
                               : tr("Batches of the model's inputs: a file, or random"));
    m_data->setEnabled(isUsed);
    QString about = m_session->madeWith();
    const bool isMade = !about.isEmpty();
    if (!isMade && !m_session->isQuantised()) about = aboutData(choices);
    m_dataWarning->setVisible(!about.isEmpty());
    m_dataWarning->setText(about);
    setRole(*m_dataWarning, isUsed && !hasFile && !mayNotCalibrate && !isMade ? "warning" : "muted");
}

void QuantPanel::showProgress() {
    if (!m_session || !m_session->isBusy()) return;
    m_doing->setText(m_session->doing());
    m_cancel->setToolTip(m_session->isScanning() ? tr("Stop; the layers that were measured are kept")
                                                 : tr("Stop; nothing will have changed"));
    m_bar->setRange(0, m_session->done() > 0 ? 1000 : 0);
    m_bar->setValue(static_cast<int>(m_session->done() * 1000));
}

} // namespace ui
