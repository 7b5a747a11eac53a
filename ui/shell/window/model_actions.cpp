// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/model_actions.h"

#include "core/edit/extract.h"
#include "core/edit/history.h"
#include "core/edit/stage_links.h"
#include "core/edit/steps/load_weights_step.h"
#include "core/edit/steps/step_list.h"
#include "core/inputs/input_guess.h"
#include "core/model_files/open.h"
#include "ui/compilation/stage_window.h"
#include "ui/document/current_document.h"
#include "ui/document/document_source.h"
#include "ui/document/node_facts.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/selection_actions.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/readable_width.h"

#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace ui {

namespace {

QString text(const std::string& from) { return QString::fromStdString(from); }

/// The module that is selected or that the only selected node calls; empty: the whole model.
QString selectedModuleOf(const Document& document) {
    if (document.selection().module()) return *document.selection().module();
    if (document.selection().nodes().size() != 1) return {};
    const fx::Node& node = document.module()->graph.node(document.selection().nodes().front());
    return node.op() == fx::Op::CallModule ? text(node.target()) : QString();
}

QString nameOf(const Document& document, const QString& modulePath) {
    return modulePath.isEmpty() ? document.file().title() : elided(modulePath.toStdString(), 60);
}

} // namespace

ModelActions::ModelActions(WindowActions& actions, CurrentDocument& document, Settings& settings, QWidget* window)
    : QObject(window), m_actions(actions), m_current(document), m_settings(settings), m_window(window) {
    nameModes();
    connect(&document, &CurrentDocument::changed, this, &ModelActions::nameModes);
    connect(&document, &CurrentDocument::updated, this, &ModelActions::nameModes);
    const auto on = [this](QAction* action, auto what) {
        connect(action, &QAction::triggered, this, [this, what] {
            if (Document* ready = m_current.ready()) what(*ready);
        });
    };
    on(actions.extract, [this](Document& ready) { extract(ready); });
    on(actions.trainMode, [this](Document& ready) { setTraining(ready, true); });
    on(actions.evalMode, [this](Document& ready) { setTraining(ready, false); });
    on(actions.setTensor, [this](Document& ready) { askTensor(ready); });
    connect(actions.loadWeights, &QAction::triggered, this, [this] {
        if (Document* front = m_current.get()) askWeights(*front);
    });
    on(actions.compareFile, [this](Document& ready) {
        const QString path =
            FileDialog::openFile(m_window, tr("Compare with File"), m_settings.lastFolder(),
                                 tr("Models (*.pt *.pt2 *.pth *.json *.py *.ts *.lancet);;All files (*)"));
        if (!path.isEmpty()) compareWith(ready, path);
    });
}

/// What would be set is named: it is the whole model unless a module is selected.
void ModelActions::nameModes() {
    const Document* document = m_current.ready();
    const QString what =
        document ? QString(nameOf(*document, selectedModuleOf(*document))).replace(u'&', "&&") : tr("Model");
    m_actions.trainMode->setText(tr("Set %1 to &Training Mode").arg(what));
    m_actions.evalMode->setText(tr("Set %1 to E&valuation Mode").arg(what));
}

void ModelActions::extract(Document& document) {
    struct Part {
        std::shared_ptr<const fx::GraphModule> model;
        std::string inputs;
    };
    const QString title = document.file().title();
    document.operations().start<Part>(
        DocumentOperations::Kind::Open, {tr("Extracting from %1").arg(title), tr("Could not extract these nodes")},
        [model = document.shapes().shown(), nodes = document.selection().inGraphOrder()](const fx::Progress&) {
            fx::Extracted part = fx::extractNodes(*model, nodes);
            const auto guesses = fx::guessInputs(part.model);
            const bool known = std::none_of(guesses.begin(), guesses.end(), [](const fx::InputGuess& guess) {
                return guess.sureness == fx::InputGuess::Sureness::Unknown;
            });
            return Part{std::make_shared<const fx::GraphModule>(std::move(part.model)),
                        known ? fx::inputsJson(fx::guessedInputs(guesses)) : std::string()};
        },
        [this, title, count = document.selection().nodes().size()](const Part& part) {
            Q_EMIT moduleMade(part.model, title + QStringLiteral(" › ") + counted(count, tr("1 node"), tr("%1 nodes")),
                              part.inputs);
        });
}

void ModelActions::setTraining(Document& document, bool training) {
    setTraining(document, selectedModuleOf(document), training);
}

void ModelActions::setTraining(Document& document, const QString& path, bool training) {
    const QString what = nameOf(document, path);
    const QString name = training ? tr("Set %1 to training mode").arg(what) : tr("Set %1 to evaluation mode").arg(what);
    document.versions().edit(name, fx::StepList().setTraining(path.toStdString(), training));
}

void ModelActions::askTensor(Document& document) {
    const fx::Node& node = document.module()->graph.node(document.selection().nodes().front());
    QStringList paths;
    for (const std::string& path : tensorPathsOf(*document.module(), node)) paths << text(path);
    if (paths.isEmpty()) return;
    bool accepted = true;
    const QString path = paths.size() == 1 ? paths.front()
                                           : QInputDialog::getItem(m_window, tr("Set Tensor from File"), tr("Tensor:"),
                                                                   paths, 0, false, &accepted);
    if (!accepted) return;
    const QString file = FileDialog::openFile(m_window, tr("Set %1 from File").arg(path), m_settings.lastFolder(),
                                              tr("Tensors (*.pt *.pth *.safetensors *.npy);;All files (*)"));
    if (!file.isEmpty()) setTensor(document, path, file);
}

void ModelActions::setTensor(Document& document, const QString& path, const QString& file) {
    document.versions().editInBackground(tr("Set %1 from %2").arg(path, visible(QFileInfo(file).fileName())),
                                         fx::StepList().setTensor(path.toStdString(), file.toStdString()));
}

void ModelActions::askWeights(Document& document) {
    const QPointer<Document> still = &document;
    const QString file =
        FileDialog::openFile(m_window, tr("Load Weights"), m_settings.lastFolder(),
                             tr("Weights (*.pt *.pth *.bin *.ckpt *.safetensors *.pt2);;All files (*)"));
    if (!file.isEmpty() && still) loadWeights(document, file);
}

/// Tried first, so that nothing changes before the questions are answered.
void ModelActions::loadWeights(Document& document, const QString& file, const QString& key) {
    if (document.source()) {
        SourceChoices choices = document.source()->choices();
        choices.weights = key.isEmpty() ? file : file + u'#' + key;
        return document.source()->setChoices(choices);
    }
    if (document.state() != Document::State::Ready) return;
    struct Trial {
        std::optional<fx::Error> refusal;
        QStringList keys;
    };
    const QString name = visible(QFileInfo(file).fileName());
    const auto steps = fx::StepList().loadWeights(file.toStdString(), key.toStdString(), true);
    document.operations().start<Trial>(
        DocumentOperations::Kind::Preview,
        {tr("Reading the weights in %1").arg(name), tr("Could not load weights from %1").arg(name)},
        [model = document.module(), steps, path = file.toStdString(),
         readers = document.readers()](const fx::Progress& progress) {
            try {
                fx::History::tried(*model, steps, progress, readers);
                return Trial();
            } catch (const fx::Error& error) {
                const std::string cause = error.message().argument("cause");
                if (cause != "make.state_dict" && cause != "make.several_dicts" && cause != "make.no_dict_fits") throw;
                Trial trial{error, {}};
                for (const fx::StateDict& each : fx::stateDictsOfStep(path, progress)) trial.keys << text(each.key);
                return trial;
            }
        },
        [this, &document, file, key](const Trial& trial) {
            if (!trial.refusal) editWeights(document, file, key, true);
            else if (key.isEmpty() && trial.refusal->message().argument("cause") != "make.state_dict")
                askStateDict(document, file, trial.keys);
            else askWhatFits(document, file, key, *trial.refusal);
        });
}

void ModelActions::askStateDict(Document& document, const QString& file, const QStringList& keys) {
    const QPointer<Document> still = &document;
    QStringList shown;
    for (const QString& key : keys) shown << visible(key);
    bool accepted = false;
    const QString chosen =
        QInputDialog::getItem(m_window, tr("Load Weights"), tr("State dict:"), shown, 0, false, &accepted);
    if (accepted && still) loadWeights(document, file, keys.value(shown.indexOf(chosen)));
}

void ModelActions::askWhatFits(Document& document, const QString& file, const QString& key, const fx::Error& refusal) {
    const QString name = visible(QFileInfo(file).fileName());
    auto* box = new QMessageBox(QMessageBox::Question, tr("Load Weights"),
                                tr("%1 and this model do not have the same weights. Load those that fit?").arg(name),
                                QMessageBox::Cancel, m_window);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(linesFromCore(refusal.message().argument("reason")));
    box->setAttribute(Qt::WA_DeleteOnClose);
    const auto* fitting = box->addButton(tr("Load What Fits"), QMessageBox::AcceptRole);
    connect(fitting, &QPushButton::clicked, &document,
            [this, &document, file, key] { editWeights(document, file, key, false); });
    connect(&document, &QObject::destroyed, box, &QWidget::close);
    setReadableWidth(*box);
    box->open();
}

void ModelActions::editWeights(Document& document, const QString& file, const QString& key, bool strict) {
    document.versions().editInBackground(tr("Load weights from %1").arg(visible(QFileInfo(file).fileName())),
                                         fx::StepList().loadWeights(file.toStdString(), key.toStdString(), strict));
}

void ModelActions::compareWith(Document& document, const QString& path) {
    const QString name = visible(QFileInfo(path).fileName());
    using Pair = std::shared_ptr<const StagePair>;
    document.operations().start<Pair>(
        DocumentOperations::Kind::Compare,
        {tr("Comparing %1 with %2").arg(document.file().title(), name), tr("Could not compare with %1").arg(name)},
        [here = document.module(), title = document.file().title(), path, name,
         readers = document.readers()](const fx::Progress& progress) {
            auto pair = std::make_shared<StagePair>();
            fx::OpenOptions options;
            options.readers = readers;
            pair->modules = {here, fx::openModel(path.toStdString(), options, progress)};
            pair->names = {title, name};
            pair->links = fx::linkStages({*pair->modules[0], true}, {*pair->modules[1], true}, {});
            return Pair(std::move(pair));
        },
        [this](Pair pair) { (new StageWindow(std::move(pair), m_window))->show(); });
}

} // namespace ui
