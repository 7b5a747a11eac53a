// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

namespace ui {

class CurrentDocument;
class Settings;
class WindowActions;

/// Actions on the model in front besides its nodes: extracting a part, training mode, tensors from files, comparing
/// with another file.
class ModelActions final : public QObject {
    Q_OBJECT
public:
    /// The arguments must outlive the object; `window` becomes the parent.
    ModelActions(WindowActions& actions, CurrentDocument& document, Settings& settings, QWidget* window);
    /// Compares with the model in a file, in a window.
    void compareWith(Document& document, const QString& path);
    /// Replaces a tensor of the model by that in a file; `path` is its path in the model.
    void setTensor(Document& document, const QString& path, const QString& file);
    /// Loads the weights of a file: into source, which is traced again, or as an edit of any other model. `key` selects
    /// a state dict of the file. Asks which one, and whether to load only what fits, where that is needed.
    void loadWeights(Document& document, const QString& file, const QString& key = {});
    /// Sets the mode of the selected module, or of the whole model.
    void setTraining(Document& document, bool training);
    /// Sets the mode of a module by path; empty: the whole model.
    void setTraining(Document& document, const QString& module, bool training);

Q_SIGNALS:
    /// Emitted when a part was extracted as a model.
    void moduleMade(std::shared_ptr<const fx::GraphModule> module, const QString& title, const std::string& inputs);

private:
    void nameModes();
    void extract(Document& document);
    void askTensor(Document& document);
    void askWeights(Document& document);
    void askStateDict(Document& document, const QString& file, const QStringList& keys);
    void askWhatFits(Document& document, const QString& file, const QString& key, const fx::Error& refusal);
    void editWeights(Document& document, const QString& file, const QString& key, bool strict);

    WindowActions& m_actions;
    CurrentDocument& m_current;
    Settings& m_settings;
    QWidget* m_window;
};

} // namespace ui
