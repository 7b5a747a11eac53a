// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"

namespace ui {

/// A CodeView for writing Python: it indents lines as Python expects, and Ctrl+/ toggles comments.
class SourceEditor final : public CodeView {
    Q_OBJECT
public:
    /// Creates an empty editor.
    explicit SourceEditor(QWidget* parent = nullptr);
    /// Comments out the selected lines, or uncomments them if all are comments.
    void toggleComment();

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool isCommentKey(const QKeyEvent& key) const;
    void breakLine();
};

} // namespace ui
