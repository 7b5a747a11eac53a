// SPDX-License-Identifier: GPL-3.0-or-later
// Packs Python sources into an array of names and texts, sorted by name:
//     lancet_library_pack OUTPUT.inc FOLDER a.py b/__init__.py b/more.part.py...
// A file is the module that Python would see (b/__init__.py is b); NAME.part.py is appended to the module of its
// folder. Comments at the head of a file are left out.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string bodyOf(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    std::string text, line;
    while (std::getline(in, line))
        if (!text.empty() || !line.starts_with("#")) text += line + "\n";
    return text;
}

/// "b/__init__.py" and "b/more.part.py" are "b".
std::string moduleOf(std::string path) {
    for (const char* end : {"/__init__.py", ".py"})
        if (endsWith(path, end)) {
            const bool part = endsWith(path, ".part.py");
            path.resize(part ? path.rfind('/') : path.size() - std::string(end).size());
            break;
        }
    for (char& c : path)
        if (c == '/') c = '.';
    return path;
}

void pack(std::ostream& out, const std::string& folder, int count, char** paths) {
    std::map<std::string, std::string> modules;
    for (const bool parts : {false, true})
        for (int i = 0; i < count; ++i)
            if (const std::string path = paths[i]; endsWith(path, ".part.py") == parts)
                modules[moduleOf(path)] += bodyOf(folder + "/" + path);
    out << "constexpr std::pair<std::string_view, std::string_view> kLibrary[] = {\n";
    for (const auto& [name, text] : modules) out << "{\"" << name << "\", R\"lancet(" << text << ")lancet\"},\n";
    out << "};\n";
}

} // namespace

int main(int count, char** words) {
    try {
        if (count < 4) throw std::runtime_error("usage: lancet_library_pack OUTPUT.inc FOLDER SOURCE.py...");
        std::ofstream out(words[1]);
        pack(out, words[2], count - 3, words + 3);
        if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + words[1]);
    } catch (const std::exception& error) {
        std::cerr << "lancet_library_pack: " << error.what() << "\n";
        return 1;
    }
}
