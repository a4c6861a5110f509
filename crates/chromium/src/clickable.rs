//! Which elements have press listeners: something a script in the page cannot see, and DevTools can.
//!
//! `DOMDebugger.getEventListeners` would say more (keys, too) and costs less, but on Chromium 156 the page's process crashes
//! in a later garbage collection once it was called (within three looks on a page of 200 elements; never without it). The
//! snapshot's "clickable" mark is made without listener objects. It can go back when that is mended.

use serde::Deserialize;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::CallError;
use crate::limits::{CALL_MS, CLICKABLE_ELEMENTS_MAX, SNAPSHOT_ELEMENTS_MAX, SNAPSHOT_MS};
use crate::state::World;

/// Name of the handles that one look makes, so that they can be let go together.
const HANDLES: &str = "clicket-look";

#[derive(Deserialize)]
struct Snapshot {
    #[serde(default)]
    documents: Vec<SnapshotDocument>,
}

#[derive(Deserialize)]
struct SnapshotDocument {
    nodes: SnapshotNodes,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SnapshotNodes {
    backend_node_id: Vec<i64>,
    is_clickable: Marked,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Marked {
    index: Vec<usize>,
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
    pub(crate) async fn clickable(&self, world: &World) -> Result<Vec<String>, CallError> {
        let marked = match self.marked(world).await {
            Ok(marked) => marked,
            Err(CallError::TimedOut { .. } | CallError::Refused { .. } | CallError::Unreadable { .. }) => Vec::new(),
            Err(error @ (CallError::Crashed | CallError::Gone { .. } | CallError::Crowded)) => return Err(error),
        };
        self.resolve(world, marked).await
    }

    /// Lets the handles of a look go.
    pub(crate) fn release_handles(&self) {
        self.connection.post(Some(&self.session), "Runtime.releaseObjectGroup", json!({ "objectGroup": HANDLES }));
    }

    async fn marked(&self, world: &World) -> Result<Vec<i64>, CallError> {
        let count = json!({ "expression": "document.getElementsByTagName('*').length", "uniqueContextId": world.unique_id });
        let count: Counted = self.page_call("Runtime.evaluate", count).await?;
        if count.result.value.is_none_or(|elements| elements > SNAPSHOT_ELEMENTS_MAX) {
            return Ok(Vec::new());
        }
        let params = json!({ "computedStyles": [] });
        let snapshot: Snapshot = self.page_call_within("DOMSnapshot.captureSnapshot", params, SNAPSHOT_MS).await?;
        Ok(nodes_marked(&snapshot))
    }

    /// Sent back to back; a node of another process or a gone one is left out.
    async fn resolve(&self, world: &World, nodes: Vec<i64>) -> Result<Vec<String>, CallError> {
        let mut pending = Vec::with_capacity(nodes.len());
        for node in nodes {
            let params = json!({ "backendNodeId": node, "executionContextId": world.id, "objectGroup": HANDLES });
            pending.push(self.connection.start(Some(&self.session), "DOM.resolveNode", params)?);
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

/// In document order, at most 500.
fn nodes_marked(snapshot: &Snapshot) -> Vec<i64> {
    let of_document = |document: &SnapshotDocument| -> Vec<i64> {
        let nodes = &document.nodes;
        nodes.is_clickable.index.iter().filter_map(|index| nodes.backend_node_id.get(*index)).copied().collect()
    };
    snapshot.documents.iter().flat_map(of_document).take(CLICKABLE_ELEMENTS_MAX).collect()
}

#[cfg(test)]
#[path = "clickable_tests.rs"]
mod tests;
