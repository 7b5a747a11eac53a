// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/tensor_engine.h"
#include "core/python/tracing/source_trace.h"
#include "ui/tasks/task_slot.h"

#include <QJsonObject>
#include <QStringList>
#include <QTimer>

namespace ui {

/// How Python source is to be traced, as the user says it.
struct SourceChoices {
    QString name;      ///< the class or function; empty: the only one, or the last
    QString arguments; ///< of the constructor, in Python: "depth=18"
    QString fixed;     ///< inputs with fixed values, in Python: "mode='train'" (concrete_args)
    quint64 seed = 0;
    QString weights;            ///< a file with a state dict
    QStringList kept, followed; ///< module classes that are leaf modules, or are not, other than usual
    QStringList folders;        ///< where imports are looked up
    bool proxyBuffers = false;

    fx::SourceOptions options() const;
    QJsonObject toJson() const;
    static SourceChoices fromJson(const QJsonObject& json);
    bool operator==(const SourceChoices&) const = default;
};

/// The Python source of a document: its text, how it is traced, and what tracing found. Traced while somebody types,
/// off the GUI thread; results of older texts are dropped.
///
/// Tracing leaves out the values of large weights, so that it keeps up with typing; they are drawn a moment after.
class DocumentSource final : public QObject {
    Q_OBJECT
public:
    using Trace = std::shared_ptr<const fx::SourceTrace>;
    /// A text with what was found in it.
    struct Start {
        QByteArray text;
        Trace trace;
        bool drawn = true; ///< the weights of the trace have values
    };
    /// Makes what computes with tensors in constructors, for one trace that `progress` may stop.
    using MakeEngine = std::function<std::unique_ptr<fx::TensorEngine>(const fx::Progress& progress)>;
    /// Gives all traces off the GUI thread an engine; the window's, while it lives. Empty: none. GUI thread only.
    static void setEngine(MakeEngine make);

    /// Traces off the GUI thread. `drawAll`: large weights too. Throws Error{Cancelled}.
    static Start traceText(const QString& path, const QByteArray& text, const SourceChoices& choices, bool drawAll,
                           const fx::Progress& progress);

    /// How the crash journal keeps choices, and how source is traced that comes back from it.
    static std::string journalText(const QJsonObject& choices);
    static QJsonObject fromJournal(const std::string& choices);
    static std::shared_ptr<fx::GraphModule> traceAgain(const std::string& text, const std::string& path,
                                                       const std::string& choices, const fx::Progress& progress);

    DocumentSource(QString path, Start start, SourceChoices choices, QObject* parent);

    const QByteArray& text() const { return m_text; }
    /// The user typed.
    void setText(const QByteArray& text);
    /// The text is another one: editors show it.
    void replaceText(const QByteArray& text);
    bool isModified() const { return m_text != m_savedText; }
    /// `text` is what the file has now.
    void setSaved(const QByteArray& text);
    const SourceChoices& choices() const { return m_choices; }
    void setChoices(const SourceChoices& choices);
    /// Where imports begin.
    const QString& path() const { return m_path; }
    void setPath(const QString& path) { m_path = path; }

    /// The last one, perhaps of an earlier text; never null.
    const Trace& trace() const { return m_trace; }
    /// The text that `trace` is of, and the choices.
    const QByteArray& tracedText() const { return m_tracedText; }
    const SourceChoices& tracedChoices() const { return m_tracedChoices; }
    /// Whether `trace` is of this text and these choices.
    bool isCurrent() const { return m_isCurrent; }
    /// Its weights have values, as far as somebody may use the model.
    bool isDrawn() const { return m_isCurrent && m_isDrawn; }
    /// Why there are no weights, or empty.
    const QString& weightsProblem() const { return m_weightsProblem; }
    /// Milliseconds that the last trace took.
    double millis() const { return m_millis; }
    /// Calls back when the weights of this text have values, or cannot have them (a reason).
    void whenDrawn(QObject* listener, std::function<void(const QString& problem)> done);
    /// Traces again, for a change in other files.
    void retrace();

Q_SIGNALS:
    /// The text, the choices or what is known of it changed.
    void changed();
    void textReplaced();
    /// There is a new trace; `drawn`: the same graph with weights.
    void traced(bool drawn);

private:
    void start(bool drawAll);
    void take(Start start, const QByteArray& text, const SourceChoices& choices, bool drawAll);
    void settle();

    QString m_path;
    QByteArray m_text, m_savedText, m_tracedText;
    SourceChoices m_choices, m_tracedChoices;
    Trace m_trace;
    bool m_isCurrent = true, m_isDrawn = true;
    QString m_weightsProblem;
    double m_millis = 0;
    QTimer m_pause; ///< until weights are drawn
    std::vector<std::pair<QPointer<QObject>, std::function<void(const QString&)>>> m_waiting;
    TaskSlot<Start> m_tracing{"source.trace"};
};

} // namespace ui
