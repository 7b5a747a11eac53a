// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/printed_classes.h"

#include "core/pysrc/source_error.h"

namespace fx {
namespace {
constexpr std::string_view kClass = "class ", kBases = "(torch.nn.Module):", kForward = "def forward(";

/// Splits a text into classes by the indentation of its lines.
class ClassLines {
public:
    explicit ClassLines(std::string_view text) : m_text(text) {}

    std::vector<PrintedClass> read() {
        for (std::size_t at = 0; at < m_text.size();) {
            const std::size_t newLine = m_text.find('\n', at);
            const std::size_t next = newLine == std::string_view::npos ? m_text.size() : newLine + 1;
            line(at, next);
            at = next;
        }
        closeFrom(0, m_text.size());
        return std::move(m_classes);
    }

private:
    void line(std::size_t start, std::size_t next) {
        std::string_view words = m_text.substr(start, next - start);
        while (!words.empty() && (words.back() == '\n' || words.back() == '\r' || words.back() == ' '))
            words.remove_suffix(1);
        const std::size_t indent = words.find_first_not_of(" \t");
        if (indent == std::string_view::npos) return;
        words.remove_prefix(indent);
        if (words[0] == '#') return;
        const bool isClass = words.starts_with(kClass) && words.ends_with(kBases);
        const bool closesBracket = words[0] == ')' || words[0] == ']'; // of an expanded def or return
        if (!closesBracket) closeFrom(indent, start);
        if (isClass)
            return open(words.substr(kClass.size(), words.size() - kClass.size() - kBases.size()), start, next, indent);
        if (!m_open.empty() && words.starts_with(kForward) && m_classes[m_open.back()].forward == 0)
            m_classes[m_open.back()].forward = start;
    }

    void open(std::string_view name, std::size_t start, std::size_t next, std::size_t indent) {
        if (m_open.size() == kMaxClassDepth)
            throw py::sourceError(m_text, start, Message("compile.too_deep", {{"limit", kMaxClassDepth}}));
        if (!m_open.empty() && m_classes[m_open.back()].forward != 0 && m_classes[m_open.back()].end == 0)
            m_classes[m_open.back()].end = start;
        const std::size_t place = m_classes.size();
        m_classes.push_back({std::string(name), m_open.empty() ? place : m_open.back(), start, next, 0, 0, indent});
        m_open.push_back(place);
    }

    /// A line with this indentation ends the classes that it is not inside.
    void closeFrom(std::size_t indent, std::size_t start) {
        while (!m_open.empty() && m_classes[m_open.back()].indent >= indent) {
            if (m_classes[m_open.back()].end == 0) m_classes[m_open.back()].end = start;
            m_open.pop_back();
        }
    }

    std::string_view m_text;
    std::vector<PrintedClass> m_classes;
    std::vector<std::size_t> m_open; ///< the classes that the line is in
};
} // namespace

std::vector<PrintedClass> printedClasses(std::string_view text) { return ClassLines(text).read(); }

} // namespace fx
