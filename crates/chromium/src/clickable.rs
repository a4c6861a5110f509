//! What a script in the page cannot see and DevTools can: which elements have press listeners, and what is in closed shadow
//! roots.
//!
//! `DOMDebugger.getEventListeners` would say more (keys, too) and costs less, but on Chromium 156 the page's process crashes
//! in a later garbage collection once it was called (within three looks on a page of 200 elements; never without it). The
//! snapshot's "clickable" mark is made without listener objects. It can go back when that is mended.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::CallError;
use crate::limits::{CALL_MS, CLICKABLE_ELEMENTS_MAX, CLOSED_NODES_MAX, SNAPSHOT_ELEMENTS_MAX, SNAPSHOT_MS};
use crate::state::World;

/// Name of the handles that one look makes, so that they can be let go together.
pub(crate) const HANDLES: &str = "clicket-look";

#[derive(Deserialize)]
struct Snapshot {
    #[serde(default)]
    documents: Vec<SnapshotDocument>,
    #[serde(default)]
    strings: Vec<String>,
}

#[derive(Deserialize)]
struct SnapshotDocument {
    nodes: SnapshotNodes,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SnapshotNodes {
    backend_node_id: Vec<i64>,
    node_type: Vec<i64>,
    parent_index: Vec<i64>,
    is_clickable: Marked,
    shadow_root_type: Named,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Marked {
    index: Vec<usize>,
}

/// Nodes by index, and the string of each by index.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    index: Vec<usize>,
    value: Vec<i64>,
}

/// Nodes of interest, by the browser's ids.
#[derive(Debug, Default, PartialEq)]
struct Marks {
    /// One element in each closed shadow root.
    closed: Vec<i64>,
    pressed: Vec<i64>,
}

/// The same as handles in one world.
pub(crate) struct Unseen {
    pub(crate) closed: Vec<String>,
    pub(crate) pressed: Vec<String>,
}

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

#[derive(Deserialize)]
struct Counted {
    result: Count,
}

#[derive(Deserialize)]
struct Count {
    #[serde(default)]
    value: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteObject {
    #[serde(default)]
    object_id: Option<String>,
    #[serde(default)]
    class_name: String,
}

/// Nodes that listen for others; they are no controls.
const DELEGATES: &[&str] =
    &["HTMLDocument", "Document", "XMLDocument", "HTMLBodyElement", "HTMLHtmlElement", "ShadowRoot", "Window"];

impl Browser {
    /// Handles of them in our world, or none when the page is too large to be asked in time: the page's own signs remain.
    pub(crate) async fn unseen(&self, world: &World) -> Result<Unseen, CallError> {
        let marks = match self.marked(world).await {
            Ok(marks) => marks,
            Err(CallError::TimedOut { .. } | CallError::Refused { .. } | CallError::Unreadable { .. }) => Marks::default(),
            Err(error @ (CallError::Crashed | CallError::Gone { .. } | CallError::Crowded)) => return Err(error),
        };
        Ok(Unseen { closed: self.resolve(world, marks.closed).await?, pressed: self.resolve(world, marks.pressed).await? })
    }

    /// Lets the handles of a look go.
    pub(crate) fn release_handles(&self, world: &World) {
        self.connection.post(Some(&world.session), "Runtime.releaseObjectGroup", json!({ "objectGroup": HANDLES }));
    }

    async fn marked(&self, world: &World) -> Result<Marks, CallError> {
        let count = json!({ "expression": "document.getElementsByTagName('*').length", "uniqueContextId": world.unique_id });
        let session = Some(world.session.as_str());
        let count: Counted = self.connection.call(session, "Runtime.evaluate", count, CALL_MS).await?;
        if count.result.value.is_none_or(|elements| elements > SNAPSHOT_ELEMENTS_MAX) {
            return Ok(Marks::default());
        }
        let params = json!({ "computedStyles": [] });
        let snapshot: Snapshot = self.connection.call(session, "DOMSnapshot.captureSnapshot", params, SNAPSHOT_MS).await?;
        Ok(marks_of(&snapshot))
    }

    /// Sent back to back; a node of another process or a gone one is left out.
    async fn resolve(&self, world: &World, nodes: Vec<i64>) -> Result<Vec<String>, CallError> {
        let mut pending = Vec::with_capacity(nodes.len());
        for node in nodes {
            let params = json!({ "backendNodeId": node, "executionContextId": world.id, "objectGroup": HANDLES });
            pending.push(self.connection.start(Some(&world.session), "DOM.resolveNode", params)?);
        }
        let mut resolved = Vec::with_capacity(pending.len());
        for call in pending {
            match call.within::<Resolved>(CALL_MS).await {
                Ok(found) => resolved.extend(element_of(found.object)),
                Err(CallError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(resolved)
    }
}

fn element_of(object: RemoteObject) -> Option<String> {
    let delegate = DELEGATES.contains(&object.class_name.as_str());
    object.object_id.filter(|_| !delegate)
}

/// In document order, and no more than the page's script is given.
fn marks_of(snapshot: &Snapshot) -> Marks {
    let pressed = |document: &SnapshotDocument| -> Vec<i64> {
        let nodes = &document.nodes;
        nodes.is_clickable.index.iter().filter_map(|index| nodes.backend_node_id.get(*index)).copied().collect()
    };
    let closed = |document: &SnapshotDocument| in_closed_roots(&document.nodes, &snapshot.strings);
    Marks {
        closed: snapshot.documents.iter().flat_map(closed).take(CLOSED_NODES_MAX).collect(),
        pressed: snapshot.documents.iter().flat_map(pressed).take(CLICKABLE_ELEMENTS_MAX).collect(),
    }
}

/// The snapshot says of each node whether the root it is in is closed, and has no node for the root itself: the first
/// element below each parent is enough to find every root.
fn in_closed_roots(nodes: &SnapshotNodes, strings: &[String]) -> Vec<i64> {
    const ELEMENT: i64 = 1;
    let is_closed =
        |name: &i64| usize::try_from(*name).ok().and_then(|name| strings.get(name)).is_some_and(|name| name == "closed");
    let mut parents = HashSet::new();
    let marked = nodes.shadow_root_type.index.iter().zip(&nodes.shadow_root_type.value);
    marked
        .filter(|(index, name)| is_closed(name) && nodes.node_type.get(**index) == Some(&ELEMENT))
        .filter(|(index, _)| parents.insert(nodes.parent_index.get(**index).copied()))
        .filter_map(|(index, _)| nodes.backend_node_id.get(*index).copied())
        .collect()
}

#[cfg(test)]
#[path = "clickable_tests.rs"]
mod tests;
