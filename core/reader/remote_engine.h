// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/tensor_engine.h"
#include "core/remote/frame.h"
#include "core/remote/model_sender.h"
#include "core/remote/model_store.h"

namespace fx::reader {

/// Used in the reader: computes tensors by asking the client, which asks its worker while it waits for the result of
/// the original request.
class RemoteEngine final : public TensorEngine {
public:
    /// Keeps references to all arguments, which must outlive the engine.
    RemoteEngine(remote::FrameReader& input, int output, remote::ModelSender& sender)
        : m_input(input), m_output(output), m_sender(sender) {}
    /// Throws the errors of the client's engine, like all functions here.
    NodeShapes shapes(const GraphModule& model) override;
    std::vector<ValueTree> values(const GraphModule& model) override;
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule& model) override;
    onednn::WholeTimes wholeTimes(const GraphModule& before, const GraphModule& after) override;

private:
    remote::FrameReader& m_input;
    int m_output;
    remote::ModelSender& m_sender;
    std::uint32_t m_number = 0;
};

/// Used in the client: answers a question of a `RemoteEngine`. Errors of `engine` become a frame, except
/// Error{Cancelled}, which is thrown. `engine` may be null.
remote::Frame answered(const remote::Frame& question, remote::ModelStore& models, TensorEngine* engine);

} // namespace fx::reader
