// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"

namespace ui {

/// A CodeView in which somebody writes Python: lines are indented as Python expects it, and Ctrl+/ makes comments.
class SourceEditor final : public CodeView {
    Q_OBJECT
public:
    explicit SourceEditor(QWidget* parent = nullptr);
    /// Comments the selected lines out, or takes the comment signs away if all have one.
    void toggleComment();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool isCommentKey(const QKeyEvent& key) const;
    void breakLine();
};

} // namespace ui
