// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/layout.h"
#include "ui/document/view_state.h"
#include "ui/scene/scene.h"
#include "ui/tasks/task_slot.h"

#include <QObject>

#include <mutex>
#include <optional>

namespace ui {

/// The picture of a document with its layout options.
///
/// Every change of the options starts the layered layout off the GUI thread; the old picture stays until the new one is
/// ready. Then `dot` may refine it. The refinement is dropped if it takes more than 300 ms or the user has moved the
/// picture.
class DocumentPicture final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~DocumentPicture() override;

    /// Starts with the initial expansion for `module`, but keeps the direction. For large modules, the layout task
    /// chooses the expansion.
    void setModule(std::shared_ptr<const fx::GraphModule> module);
    /// The picture, ready to be drawn; null until the first layout is done.
    const std::shared_ptr<const Scene>& scene() const { return m_scene; }
    const fx::LayoutOptions& options() const { return m_options; } ///< The layout options.
    bool busy() const { return m_layout.running(); }               ///< True while a layout runs.

    /// Sets all options together.
    void setOptions(fx::LayoutOptions options);

    fx::Direction direction() const { return m_options.direction; } ///< The direction of the layout.
    /// Sets the direction of the layout.
    void setDirection(fx::Direction direction);
    /// Opens or closes a group.
    void setExpanded(const QString& groupPath, bool expanded);
    /// Opens all groups.
    void expandAll();
    /// Closes all groups.
    void collapseAll();
    /// True if the node itself is drawn, not only a closed group around it.
    bool shows(fx::NodeId node) const;
    /// Returns the nodes that are drawn in a group, open or closed, in graph order.
    std::vector<fx::NodeId> nodesIn(const QString& groupPath) const;
    /// Opens all groups around `node` and emits `revealed` as soon as it is drawn, possibly immediately. A parameter
    /// that is drawn as a chip is revealed at its user.
    void reveal(fx::NodeId node);
    /// Reveals several nodes and emits `revealedAll`. With more than 2,000, reveals only the first.
    void reveal(const std::vector<fx::NodeId>& nodes);
    /// Shows another version of the module with the same groups open. The first version gets the initial expansion.
    void setVersion(std::shared_ptr<const fx::GraphModule> module);
    /// Hides nodes and their edges.
    void hide(const std::vector<fx::NodeId>& nodes);
    /// Shows all hidden nodes again.
    void showAll();
    /// Sets the camera that a project was left with, until the canvas takes it.
    void setLook(const std::optional<ViewState::Look>& look) { m_look = look; }
    /// True while the view of a project is being restored: nothing else may move the camera.
    bool isRestoring() const { return m_look.has_value(); }
    /// Returns the camera of `setLook`, the first time only.
    std::optional<ViewState::Look> takeLook() { return std::exchange(m_look, {}); }
    /// Prevents automatic changes of the picture, because the user has moved or zoomed it.
    void touch() { m_touched = true; }

Q_SIGNALS:
    /// Emitted when `scene` changes; `refined`: the same items in better positions.
    void pictureChanged(bool refined);
    /// Emitted when `options` change; the picture follows later.
    void optionsChanged();
    /// Emitted when the node of `reveal`, or the node with its chip, is drawn.
    void revealed(fx::NodeId node);
    /// Emitted when all nodes of `reveal` are drawn.
    void revealedAll(const std::vector<fx::NodeId>& nodes);
    /// Emitted when the graph could not be laid out.
    void failed(const QString& what);

private:
    /// The layout of one module. It caches results and must not be used by two threads at once.
    struct Engine {
        std::mutex mutex;
        std::optional<fx::Layout> layout;
    };
    /// A scene, its layout options, and all groups.
    struct Laid {
        std::shared_ptr<const Scene> scene;
        fx::LayoutOptions options;
        std::vector<std::string> groups;
        fx::GroupMembership members;
    };
    fx::NodeId drawnFor(fx::NodeId node) const;
    void restart(std::vector<fx::NodeId> reveal = {});
    void refine();
    void take(Laid laid, const std::vector<fx::NodeId>& reveal);
    void tell(const std::vector<fx::NodeId>& revealed);

    std::shared_ptr<const fx::GraphModule> m_module;
    std::shared_ptr<Engine> m_engine;
    std::vector<std::string> m_groups;
    fx::LayoutOptions m_options;
    std::shared_ptr<const Scene> m_scene;
    fx::GroupMembership m_members; ///< of `m_scene`
    std::optional<ViewState::Look> m_look;
    bool m_touched = false;
    bool m_isUnopened = false; ///< the layout task chooses which groups are open initially
    TaskSlot<Laid> m_layout{"document.layout"};
    TaskSlot<std::shared_ptr<const Scene>> m_refinement{"document.refine"};
};

} // namespace ui
