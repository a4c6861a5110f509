//! Which elements listen for presses or keys: something a script in the page cannot see, and DevTools can.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use crate::browser::Browser;
use crate::errors::CallError;
use crate::limits::{CALL_MS, LISTENERS_MS, LISTENING_ELEMENTS_MAX};
use crate::state::World;

/// Name of the handles that one look makes, so that they can be let go together.
const HANDLES: &str = "clicket-look";

/// Handles of elements in our world.
#[derive(Default)]
pub(crate) struct Listening {
    pub(crate) presses: Vec<String>,
    pub(crate) keys: Vec<String>,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    listeners: Vec<Listener>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listener {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    backend_node_id: Option<i64>,
}

#[derive(Deserialize)]
struct Resolved {
    object: RemoteObject,
}

#[derive(Deserialize)]
struct Evaluated {
    result: RemoteObject,
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
const DELEGATES: &[&str] = &["HTMLDocument", "Document", "XMLDocument", "HTMLBodyElement", "HTMLHtmlElement", "ShadowRoot", "Window"];

impl Browser {
    /// Finds them, or gives none when the page is too large to be asked in time: the page's own signs remain.
    pub(crate) async fn listening(&self, world: &World) -> Result<Listening, CallError> {
        match self.listed(world).await {
            Ok(listed) => self.resolve_all(world, &listed).await,
            Err(CallError::TimedOut { .. } | CallError::Refused { .. } | CallError::Unreadable { .. }) => Ok(Listening::default()),
            Err(error @ (CallError::Crashed | CallError::Gone { .. } | CallError::Crowded)) => Err(error),
        }
    }

    /// Lets the handles of a look go.
    pub(crate) fn release_handles(&self) {
        self.connection.post(Some(&self.session), "Runtime.releaseObjectGroup", json!({ "objectGroup": HANDLES }));
    }

    async fn listed(&self, world: &World) -> Result<Vec<Listener>, CallError> {
        let document = json!({ "expression": "document", "uniqueContextId": world.unique_id });
        let document: Evaluated = self.page_call("Runtime.evaluate", document).await?;
        let Some(object_id) = document.result.object_id else { return Ok(Vec::new()) };
        // Without a group on the document's handle the browser makes no handles for the handlers, which would be most of the work.
        let params = json!({ "objectId": object_id, "depth": -1, "pierce": true });
        let listed: Listed = self.page_call_within("DOMDebugger.getEventListeners", params, LISTENERS_MS).await?;
        Ok(listed.listeners)
    }

    async fn resolve_all(&self, world: &World, listed: &[Listener]) -> Result<Listening, CallError> {
        let presses = self.resolve(world, nodes_that(listed, is_press)).await?;
        let keys = self.resolve(world, nodes_that(listed, is_key)).await?;
        Ok(Listening { presses, keys })
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

/// Each node once, in document order, at most 500.
fn nodes_that(listed: &[Listener], wanted: fn(&str) -> bool) -> Vec<i64> {
    let mut known = HashSet::new();
    listed
        .iter()
        .filter(|listener| wanted(&listener.kind))
        .filter_map(|listener| listener.backend_node_id)
        .filter(|node| known.insert(*node))
        .take(LISTENING_ELEMENTS_MAX)
        .collect()
}

fn is_press(kind: &str) -> bool {
    matches!(kind, "click" | "mousedown" | "mouseup" | "pointerdown" | "pointerup" | "touchstart" | "touchend")
}

fn is_key(kind: &str) -> bool {
    matches!(kind, "keydown" | "keypress" | "keyup")
}
