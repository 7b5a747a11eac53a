// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reader/remote_engine.h"

#include "core/reader/last_words.h"
#include "core/remote/json_fields.h"
#include "core/remote/model_ref.h"
#include "core/remote/run_message.h"

#include <unistd.h>

namespace fx::reader {
namespace {

using remote::Frame;
using remote::FrameKind;

[[noreturn]] void refuse() { throw Error(ErrorKind::Run, Message("reader.bad_message")); }

} // namespace

std::vector<ValueTree> RemoteEngine::values(const GraphModule& model) {
    const LastWordsHeld held; // time that the client takes is not that of the source
    Frame question{FrameKind::Request, ++m_number, {}, {}, {}};
    JsonWriter json;
    remote::writeModel(json.beginObject().key("model"), std::make_shared<const GraphModule>(model), question);
    question.json = json.endObject().text();
    if (!m_sender.send(m_output, question.models, {}) || !writeFrame(m_output, question)) ::_exit(1);
    if (m_input.read(std::chrono::milliseconds(-1)) != remote::FrameReader::State::Frame) ::_exit(1);
    const Frame answer = m_input.take();
    if (answer.kind == FrameKind::Error) throw remote::errorOf(answer);
    return remote::runResult(answer).output.items;
}

NodeShapes RemoteEngine::shapes(const GraphModule&) { refuse(); }
std::vector<onednn::LayerTimes> RemoteEngine::layerTimes(const GraphModule&) { refuse(); }
onednn::WholeTimes RemoteEngine::wholeTimes(const GraphModule&, const GraphModule&) { refuse(); }

Frame answered(const Frame& question, remote::ModelStore& models, TensorEngine* engine) {
    try {
        if (!engine) refuse();
        const auto document = JsonDocument::parse(question.json);
        const auto model = models.get(remote::readModel(document->root().at("model")));
        ValueTree list;
        list.kind = ValueTree::Kind::List;
        list.items = engine->values(*model);
        return remote::toFrame(remote::RunResult{std::move(list), 0, {}}, question.request);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return remote::toFrame(error, question.request);
    }
}

} // namespace fx::reader
