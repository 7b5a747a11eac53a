// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"

#include "core/diag/error.h"
#include "core/files/file_identity.h"
#include "core/io/compilation/compilation.h"
#include "core/io/ir_json/ir_json.h"
#include "core/python/tracing/trace_file.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReads = "reads";
constexpr std::array kWrites = {"writes", "writes a model", "writes the changed model", "writes a pipeline"};

CLI::Option* mark(CLI::Option* option, const char* as) {
    return option->check(CLI::Validator([](std::string&) { return std::string(); }, "", as));
}

bool isMarked(CLI::Option& option, const char* as) {
    try {
        return option.get_validator(as);
    } catch (const CLI::OptionNotFound&) { return false; }
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::vector<std::string> filesRead(const std::string& value) {
    if (value.empty() || value == "-") return {};
    std::vector<std::string> files{fileOf(value)};
    if (files.front().ends_with(".json") && exists(fx::weightsBeside(files.front())))
        files.push_back(fx::weightsBeside(files.front()));
    return files;
}

std::vector<std::string> filesWritten(const std::string& value, Writes what) {
    if (value.empty() || value == "-") return {};
    if (what == Writes::Pipeline) {
        std::vector<std::string> files;
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(value, ignored)) { // what is not there is lost by nobody
            const std::string name = entry.path().filename().string();
            if (name == "pipeline.json" || name == "run_pipeline.py" ||
                (name.starts_with("stage_") && name.ends_with(".pt")))
                files.push_back(entry.path().string());
        }
        return files;
    }
    if (what != Writes::File && value.ends_with(".json")) return {value, fx::weightsBeside(value)};
    return {value};
}

bool isInside(const std::string& folder, const std::string& file) {
    const std::string outer = fx::resolvedPath(folder), inner = fx::resolvedPath(file);
    return !outer.empty() && inner.size() > outer.size() && inner.starts_with(outer) && inner[outer.size()] == '/';
}

/// Whether writing `written` changes or removes `read`, or something of the folder that `read` is.
bool isLost(const std::string& read, const std::string& written) {
    if (fx::isSameFile(read, written)) return true;
    if (written.ends_with('/')) return isInside(written, read);
    std::error_code ignored;
    if (!fs::is_directory(read, ignored) || !exists(written) || !isInside(read, written)) return false;
    // A picture may stand beside the files of `to_folder`; of a dump of torch.compile anything may be read.
    return written.ends_with(".py") || written.ends_with(".pt") || !exists(read + "/module.py");
}

} // namespace

std::string fileOf(const std::string& value) {
    if (exists(value)) return value;
    if (const auto part = fx::splitStagePath(value)) return part->first;
    if (const auto source = fx::splitSourcePath(value)) return source->file;
    std::string module = value.substr(0, value.find(':'));
    std::replace(module.begin(), module.end(), '.', '/');
    return exists(module + ".py") ? module + ".py" : value;
}

bool isModelReplaced(const std::string& model, const std::string& output) {
    return fx::isSameFile(fileOf(model), output);
}

CLI::Option* reads(CLI::Option* option) { return mark(option, kReads); }

CLI::Option* writes(CLI::Option* option, Writes what) { return mark(option, kWrites[static_cast<std::size_t>(what)]); }

CallFiles::CallFiles(CLI::App& cli) {
    for (CLI::Option* option : cli.get_options())
        for (std::size_t i = 0; i < kWrites.size(); ++i)
            if (isMarked(*option, kWrites[i]))
                for (const std::string& value : option->results()) {
                    const auto what = static_cast<Writes>(i);
                    add({option->get_name(), value, what, filesWritten(value, what)});
                }
    for (CLI::Option* option : cli.get_options())
        if (isMarked(*option, kReads))
            for (const std::string& value : option->results()) read(option->get_name(), value);
}

void CallFiles::add(Output output) {
    for (const Output& other : m_outputs)
        for (const std::string& path : output.paths)
            for (const std::string& known : other.paths)
                if (isLost(known, path) || isLost(path, known))
                    throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.outputs_are_one", {{"option", output.option},
                                                                                              {"output", output.value},
                                                                                              {"other", other.option},
                                                                                              {"file", other.value}}));
    m_outputs.push_back(std::move(output));
}

void CallFiles::read(const std::string& option, const std::string& value) const {
    const bool isModel = option == "MODEL";
    for (const Output& output : m_outputs)
        for (const std::string& file : filesRead(value))
            for (const std::string& path : output.paths) {
                if (option == output.option || !isLost(file, path)) continue; // a scan that goes on is read, too
                if (isModel && output.what == Writes::ChangedModel && !path.ends_with(".py")) continue;
                throw fx::Error(
                    fx::ErrorKind::Usage,
                    fx::Message(
                        isModel ? fx::MessageCode("cli.output_is_model") : fx::MessageCode("cli.output_is_input"),
                        {{"option", output.option}, {"output", output.value}, {"input", option}, {"file", value}}));
            }
}

} // namespace app
