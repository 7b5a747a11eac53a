// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

namespace ui {

class CurrentDocument;
class Settings;
class WindowActions;

/// Actions on the model in front beside its nodes: a part of it as a model, modes, tensors from files, another file
/// beside it.
class ModelActions final : public QObject {
    Q_OBJECT
public:
    ModelActions(WindowActions& actions, CurrentDocument& document, Settings& settings, QWidget* window);
    /// Compares with the model of a file, in a window.
    void compareWith(Document& document, const QString& path);
    /// A tensor of the node that is selected becomes that of a file.
    void setTensor(Document& document, const QString& path, const QString& file);
    /// The module of the selection, or all of it.
    void setTraining(Document& document, bool training);
    /// A module by its path; empty: all of the model.
    void setTraining(Document& document, const QString& module, bool training);

Q_SIGNALS:
    void moduleMade(std::shared_ptr<const fx::GraphModule> module, const QString& title, const std::string& inputs);

private:
    void nameModes();
    void extract(Document& document);
    void askTensor(Document& document);

    WindowActions& m_actions;
    CurrentDocument& m_current;
    Settings& m_settings;
    QWidget* m_window;
};

} // namespace ui
