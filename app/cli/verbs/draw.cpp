// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/draw_colours.h"
#include "app/cli/file_options.h"
#include "app/cli/gui_program.h"
#include "app/cli/output.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/files/temporary_folder.h"
#include "core/json/json_writer.h"
#include "core/layout/dot_text.h"
#include "core/layout/layout.h"
#include "core/layout/picture_json.h"
#include "core/layout/svg.h"

#include <algorithm>

namespace app {
namespace {

using Engine = fx::LayoutOptions::Engine;

struct DrawOptions {
    std::string model, output, as, engine = "auto", direction = "TB";
    DrawColours colours;
    std::vector<std::string> expand, select;
};

const std::map<std::string, Engine> kEngines = {
    {"auto", Engine::Auto}, {"layered", Engine::Layered}, {"dot", Engine::Dot}};
const std::map<std::string, fx::Direction> kDirections = {{"TB", fx::Direction::TopDown},
                                                          {"LR", fx::Direction::LeftRight}};

/// ".svg" and so on; of standard output what --as says.
std::string kindOf(const DrawOptions& options) {
    if (options.output == "-") return "." + (options.as.empty() ? std::string("svg") : options.as);
    if (!options.as.empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.picture_as"));
    const std::string extension = std::filesystem::path(options.output).extension().string();
    constexpr std::array known = {".svg", ".dot", ".json", ".png", ".pdf"};
    if (std::find(known.begin(), known.end(), extension) != known.end()) return extension;
    throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.picture_format", {{"output", options.output}}));
}

std::vector<fx::NodeId> selectedNodes(const fx::Graph& graph, const std::vector<std::string>& names) {
    std::vector<fx::NodeId> nodes;
    for (const std::string& name : names) {
        nodes.push_back(graph.find(name));
        if (nodes.back() == fx::kNoNode)
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.unknown_node", {{"name", name}}));
    }
    return nodes;
}

/// The path of a group and of all groups around it.
void openWithParents(std::set<std::string>& expanded, const std::string& path, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), path) == known.end())
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.unknown_module", {{"path", path}}));
    for (std::size_t end = path.find('.'); end != std::string::npos; end = path.find('.', end + 1))
        expanded.insert(path.substr(0, end));
    expanded.insert(path);
}

fx::LayoutOptions layoutOptions(const fx::GraphModule& module, const fx::Layout& layout, const DrawOptions& options,
                                const std::vector<fx::NodeId>& selected) {
    fx::LayoutOptions result = fx::LayoutOptions::initialFor(module);
    result.engine = kEngines.at(options.engine);
    result.direction = kDirections.at(options.direction);
    result.fullNames = true;
    if (!options.expand.empty()) {
        result.expandAll = false;
        result.expanded.clear();
        const std::vector<std::string> known = layout.groupPaths();
        for (const std::string& word : options.expand) {
            if (word == "all") result.expandAll = true;
            if (word != "all" && word != "none") openWithParents(result.expanded, word, known);
        }
    }
    for (const fx::NodeId node : selected)
        for (const std::string& path : layout.groupsAround(node)) result.expanded.insert(path);
    return result;
}

std::string render(const fx::Picture& picture, const fx::Graph& graph, const std::string& kind,
                   const std::vector<fx::NodeId>& selected, const fx::NodeClasses* classes) {
    if (kind == ".dot") return fx::toDot(picture, graph);
    if (kind == ".json") return fx::toJson(picture, graph) + "\n";
    return fx::toSvg(picture, graph, fx::SvgTheme::Light, selected, classes);
}

void printResult(Session& session, const DrawOptions& options, const fx::Picture* picture,
                 const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("written").string(options.output);
    if (picture) {
        json.key("engine").string(picture->engine);
        json.key("nodes").integer(static_cast<std::int64_t>(picture->nodes.size()));
        json.key("groups").integer(static_cast<std::int64_t>(picture->groups.size()));
        json.key("edges").integer(static_cast<std::int64_t>(picture->edges.size()));
        json.key("millis").raw(std::to_string(picture->millis));
    }
    writeWarnings(json, session.andTold(warnings));
    session.printLine(json.endObject().text());
}

int drawHere(Session& session, const DrawOptions& options, const std::string& kind) {
    constexpr auto kWeights = fx::NewWeights::ShapesOnly;
    const auto module =
        session.json() ? session.open(options.model, kWeights) : session.openWarning(options.model, kWeights);
    const auto selected = selectedNodes(module->graph, options.select);
    fx::Layout layout(module);
    const fx::LayoutOptions layoutOption = layoutOptions(*module, layout, options, selected);
    fx::Picture picture = layout.layered(layoutOption, session.progress());
    if (layoutOption.engine != Engine::Layered) {
        if (auto refined = layout.refined(layoutOption, session.progress())) picture = std::move(*refined);
        else if (layoutOption.engine == Engine::Dot) session.warn({fx::Message("cli.dot_no_better"), {}, {}, {}});
    }
    const auto classes = nodeClasses(session, module, options.colours);
    const std::string text = render(picture, module->graph, kind, selected, classes ? &*classes : nullptr);
    if (options.output == "-") {
        writeOutput(text);
        return kDone;
    }
    fx::ReplacedFile file(options.output);
    file.write(text);
    file.commit();
    if (session.json()) printResult(session, options, &picture, module->warnings);
    return kDone;
}

constexpr std::uint64_t kLargestPicture = std::uint64_t{4} << 30;

/// Pictures of pixels and pages are painted by the window's canvas, in a process of its own.
int drawInGui(Session& session, const DrawOptions& options, const std::string& kind) {
    if (options.model == "-") throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.picture_stdin", {{"kind", kind}}));
    std::vector<std::string> arguments = {"--engine", options.engine, "--direction", options.direction};
    for (const std::string& path : options.expand) arguments.insert(arguments.end(), {"--expand", path});
    for (const std::string& node : options.select) arguments.insert(arguments.end(), {"--select", node});
    fx::ReplacedFile file(options.output);
    const fx::TemporaryFolder folder;
    const std::string picture = folder.path() + "/picture" + kind;
    arguments.insert(arguments.end(), {"--render", picture, "--", options.model});
    runGuiOffscreen(arguments, session.progress());
    file.write(fx::readTextFile(picture, kLargestPicture));
    file.commit();
    if (session.json()) printResult(session, options, nullptr, {});
    return kDone;
}

int draw(Session& session, const DrawOptions& options) {
    const std::string kind = kindOf(options);
    if (options.colours.color != "op" && kind != ".svg")
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.color_svg", {{"color", options.colours.color}}));
    options.colours.check();
    if (options.output == "-" && session.json()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
    return kind == ".png" || kind == ".pdf" ? drawInGui(session, options, kind) : drawHere(session, options, kind);
}

Action declareDraw(CLI::App& cli) {
    auto options = std::make_shared<DrawOptions>();
    declareModel(cli, options->model);
    writes(cli.add_option("-o,--output", options->output,
                          "output file: .svg, .dot, .json, .png or .pdf; - for standard output"))
        ->required()
        ->type_name("FILE");
    oneOf(cli.add_option("--as", options->as, "format for -o -"), {"svg", "dot", "json"});
    cli.add_option("--expand", options->expand, "modules to expand; repeatable")
        ->allow_extra_args(false)
        ->type_name("all|none|PATH");
    oneOf(cli.add_option("--engine", options->engine, "layout engine"), {"auto", "layered", "dot"});
    oneOf(cli.add_option("--direction", options->direction, "layout direction: top to bottom or left to right"),
          {"TB", "LR"});
    options->colours.declare(cli);
    cli.add_option("--select", options->select, "highlight this node; repeatable")
        ->allow_extra_args(false)
        ->type_name("NODE");
    return [options](Session& session) { return draw(session, *options); };
}

} // namespace

const Verb kDrawVerb = {"draw", "draw the graph", "lancet draw resources/samples/resnet.pt -o resnet.svg", declareDraw};

} // namespace app
