//! Puts a question to the person behind the client, in the way that the client's revision of the protocol has.

use clicket_session::{ClientAnswer, ClientQuestion};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::json;

/// The one question of a form, and of a result that asks for input.
const ALLOW: &str = "allow";

/// How a client can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By a request to it, as revisions before 2026-07-28 have it.
    Request,
    /// By a result that asks for input, since 2026-07-28.
    Result,
    /// Not at all.
    Nothing,
}

/// How this client can be asked.
pub(crate) fn way_of(context: &RequestContext<RoleServer>) -> Way {
    let declared = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // A client that names no kind has forms.
    let has_forms = declared.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none());
    match context.protocol_version() {
        _ if !has_forms => Way::Nothing,
        Some(version) if version >= ProtocolVersion::V_2026_07_28 => Way::Result,
        Some(_) | None => Way::Request,
    }
}

/// The question as a form with one yes or no.
pub(crate) fn form(question: &ClientQuestion) -> Option<ElicitRequestParams> {
    let mut message = question.title.clone();
    for (label, text) in &question.facts {
        message.push_str(&format!("\n{label}: {text}"));
    }
    if !question.because.is_empty() {
        message.push_str(&format!("\nAsked because {}", question.because.join("; ")));
    }
    let schema = json!({"type": "object", "required": [ALLOW], "properties": {
        ALLOW: {"type": "boolean", "title": "Allow this once", "description": "Only what is described above, and only now."}}});
    let requested_schema: ElicitationSchema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

/// The same as a result that asks for input; `state` is an opaque handle.
pub(crate) fn input_required(question: &ClientQuestion, state: String) -> Option<InputRequiredResult> {
    let mut requests = InputRequests::new();
    requests.insert(ALLOW.to_owned(), InputRequest::Elicitation(ElicitRequest::new(form(question)?)));
    Some(InputRequiredResult::new(Some(requests), Some(state)))
}

/// Only an accepted form whose answer is yes is a yes.
pub(crate) fn answer_of(result: &ElicitResult) -> ClientAnswer {
    let yes = result.content.as_ref().and_then(|content| content.get(ALLOW)).and_then(serde_json::Value::as_bool);
    match (&result.action, yes) {
        (ElicitationAction::Accept, Some(true)) => ClientAnswer::Accepted,
        _ => ClientAnswer::Declined,
    }
}

/// The answer among the responses of a repeated call; none when it is not there or can't be read.
pub(crate) fn answer_in(responses: Option<InputResponses>) -> Option<ClientAnswer> {
    let response = responses?.remove(ALLOW)?;
    serde_json::from_value::<ElicitResult>(response).ok().map(|result| answer_of(&result))
}
