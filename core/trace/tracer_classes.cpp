// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/tracer_classes.h"

namespace fx::trace {

TracerClass tracerClass(std::string_view name) {
    struct Known {
        std::string_view name;
        TracerClass behaves;
    };
    // Loading makes the tracer without arguments, which these constructors do not take.
    static constexpr Known kClasses[] = {
        {"torch.fx._symbolic_trace.Tracer", {false, {}, true}},
        {"torch.fx.experimental.rewriter.RewritingTracer", {false, {}, true}},
        {"torch.fx.experimental.proxy_tensor.PythonKeyTracer", {true, {}, true}},
        {"torch.fx.experimental.proxy_tensor._ModuleStackTracer",
         {true, "TypeError: _ModuleStackTracer.__init__() missing 1 required positional argument: 'scope_root'", true}},
        {"torch.fx.experimental.proxy_tensor._GraphAppendingTracerEx",
         {false, "TypeError: _GraphAppendingTracerEx.__init__() missing 1 required positional argument: 'graph'",
          true}},
        {"torch.fx.proxy.GraphAppendingTracer",
         {false, "TypeError: GraphAppendingTracer.__init__() missing 1 required positional argument: 'graph'", true}},
        {"torch.fx.experimental.meta_tracer.MetaTracer",
         {false, "TypeError: MetaTracer.trace() missing 1 required positional argument: 'meta_args'", true}},
        {"torch._dynamo.output_graph.SubgraphTracer",
         {false, "TypeError: SubgraphTracer.__init__() missing 1 required positional argument: 'output_graph'", true}},
        {"torch._export.pass_base._ExportPassBaseDeprecatedDoNotUse.ExportTracer",
         {true,
          "TypeError: _ExportPassBaseDeprecatedDoNotUse.ExportTracer.__init__() missing 2 required positional "
          "arguments: 'callback' and 'codegen'",
          true}},
        {"torch.ao.quantization.fx.tracer.QuantizationTracer",
         {false,
          "TypeError: QuantizationTracer.__init__() missing 2 required positional arguments: 'skipped_module_names' "
          "and 'skipped_module_classes'",
          true}},
        {"torch.ao.ns._numeric_suite_fx.NSTracer",
         {false,
          "TypeError: QuantizationTracer.__init__() missing 2 required positional arguments: 'skipped_module_names' "
          "and 'skipped_module_classes'",
          true}}};
    if (name.empty()) return {false, {}, true};
    for (const Known& known : kClasses)
        if (known.name == name) return known.behaves;
    return {};
}

} // namespace fx::trace
