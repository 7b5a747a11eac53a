// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fx::anonymise {

/// The kinds of names, which the new ones begin with: "module_1".
enum class NameKind : std::uint8_t { Module, Tensor, Node, Input, Class, Function, Library, Size, Text };

/// Returns true for words of PyTorch's own interface: names of its functions, operators, methods and module classes, of
/// their parameters and attributes, and the texts that they take as options ("bilinear").
bool isPublicWord(std::string_view word);

/// Returns true for a text of digits: the name of an item in a container.
bool isNumber(std::string_view text);

/// New names for those of a model. The same text always gets the same name, whatever it names.
class Names {
public:
    /// Returns the new name of a text that a user chose.
    std::string of(std::string_view text, NameKind kind);
    /// Returns the text itself if it is a word of PyTorch, else its new name.
    std::string unlessPublic(std::string_view text, NameKind kind);
    /// Returns the new class of a qualified one; classes of PyTorch and of Python keep their names.
    std::string type(std::string_view qualified);
    /// Returns a symbolic size with other names for symbols that PyTorch has not numbered itself.
    std::string size(std::string_view expression);
    /// Notes a text that the anonymous model lacks altogether: a line of a stack trace, the path of a file.
    void lacks(std::string_view text);

    /// Old and new names, in the order of the new ones.
    const std::vector<std::pair<std::string, std::string>>& table() const { return m_table; }
    const std::vector<std::string>& lacking() const { return m_lacking; }

private:
    std::unordered_map<std::string, std::string> m_names;
    std::vector<std::pair<std::string, std::string>> m_table;
    std::map<NameKind, std::size_t> m_counts;
    std::vector<std::string> m_lacking;
    std::size_t m_lackingBytes = 0;
};

} // namespace fx::anonymise
