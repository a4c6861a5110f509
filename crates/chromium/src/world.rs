//! Calls into the page's script in our isolated world. The answer is one JSON string, parsed here and nowhere trusted.

use std::borrow::Cow;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::errors::{CallError, PageError};
use crate::limits::{CALL_MS, PAGE_ANSWER_BYTES_MAX, WORLD_WAIT_MS};
use crate::state::World;

/// One function of the page's script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageFunction(&'static str);

macro_rules! page_function {
    ($name:literal) => {
        PageFunction(concat!("function(...given) { return JSON.stringify(clicketPage.", $name, "(...given) ?? null); }"))
    };
}

pub(crate) const OBSERVE: PageFunction = page_function!("observe");
pub(crate) const FRAME_PLACE: PageFunction = page_function!("framePlace");
pub(crate) const SHIELD: PageFunction = page_function!("shield");
pub(crate) const ARM: PageFunction = page_function!("arm");
pub(crate) const DISARM: PageFunction = page_function!("disarm");
pub(crate) const FOCUS_FIELD: PageFunction = page_function!("focusField");
pub(crate) const TAKE: PageFunction = page_function!("take");
pub(crate) const LET_GO: PageFunction = page_function!("letGo");
pub(crate) const TYPE_INTO: PageFunction = page_function!("typeInto");
pub(crate) const INSERT_TEXT: PageFunction = page_function!("insertText");
pub(crate) const CHOOSE: PageFunction = page_function!("choose");
pub(crate) const SET_VALUE: PageFunction = page_function!("setValue");
pub(crate) const ATTACHABLE: PageFunction = page_function!("attachable");
pub(crate) const ATTACHED: PageFunction = page_function!("attached");
pub(crate) const READ_BACK: PageFunction = page_function!("readBack");
pub(crate) const AS_SEEN: PageFunction = page_function!("asSeen");
/// Says how far it came.
pub(crate) const SCROLL: PageFunction = page_function!("scroll");
pub(crate) const QUIET: PageFunction = page_function!("quiet");
pub(crate) const VISIBLE_TEXT: PageFunction = page_function!("visibleText");
pub(crate) const BOXES_TO_HIDE: PageFunction = page_function!("boxesToHide");

/// The accessible name of the first element that a selector finds.
const NAME_OF: PageFunction = PageFunction(
    "function(selector) {
        const found = document.querySelector(selector);
        return JSON.stringify(found ? clicketPage.name(found) : null);
    }",
);

/// The file field itself, or nothing when it is another by now. Its answer is an object of the page, not a text.
const FILE_FIELD: &str = "function(...given) { return clicketPage.fileField(...given); }";

/// One argument of a page function.
pub(crate) enum Argument {
    /// A plain value.
    Plain(Value),
    /// An element that DevTools resolved in our world.
    Element(String),
}

/// Gives the element with a key itself, for DevTools.
pub(crate) const ELEMENT: &str = "function(key) { return clicketPage.element(key); }";

impl PageFunction {
    pub(crate) fn declaration(self) -> &'static str {
        self.0
    }
}

impl From<Argument> for Value {
    fn from(argument: Argument) -> Value {
        match argument {
            Argument::Plain(value) => json!({ "value": value }),
            Argument::Element(object_id) => json!({ "objectId": object_id }),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Called<'a> {
    #[serde(borrow)]
    result: CalledValue<'a>,
    #[serde(default)]
    exception_details: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct CalledObject {
    result: ObjectId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectId {
    #[serde(default)]
    object_id: Option<String>,
}

#[derive(Deserialize)]
struct CalledValue<'a> {
    #[serde(borrow, default)]
    value: Option<Cow<'a, str>>,
}

impl Browser {
    /// The accessible name that the page's script computes for the first element that a selector finds: for the comparison
    /// with the published cases. A look, like any other.
    ///
    /// # Errors
    /// As for [`Browser::observe`].
    pub async fn name_of(&self, selector: &str) -> Result<Option<String>, PageError> {
        self.page_function(NAME_OF, [json!(selector)], CALL_MS).await
    }

    /// Our world in the present document; waits a little for a document that is being made.
    pub(crate) async fn world(&self) -> Result<World, PageError> {
        self.alive()?;
        let made = self.router.wait_for(WORLD_WAIT_MS, |state| state.world.clone()).await;
        self.alive()?;
        made.ok_or(PageError::NoDocument)
    }

    /// Calls a function of the page's script in the present document with plain arguments.
    pub(crate) async fn page_function<T: DeserializeOwned>(
        &self,
        function: PageFunction,
        arguments: impl IntoIterator<Item = Value> + Send,
        deadline: Duration,
    ) -> Result<T, PageError> {
        let world = self.world().await?;
        let arguments = arguments.into_iter().map(Argument::Plain).collect();
        self.page_function_in(&world, function, arguments, deadline).await
    }

    /// The object id of a file field, for the one command that takes an element.
    pub(crate) async fn file_field(&self, world: &World, arguments: [Value; 2]) -> Result<Option<String>, PageError> {
        const METHOD: &str = "Runtime.callFunctionOn";
        let arguments: Vec<Value> = arguments.into_iter().map(|argument| Argument::Plain(argument).into()).collect();
        let params = json!({ "functionDeclaration": FILE_FIELD, "arguments": arguments, "uniqueContextId": world.unique_id });
        let found: CalledObject = match self.page_call(METHOD, params).await {
            Err(CallError::Refused { .. }) => return Err(PageError::NoDocument),
            other => other?,
        };
        Ok(found.result.object_id)
    }

    /// Calls a function of the page's script in one document, or fails when that document is gone.
    pub(crate) async fn page_function_in<T: DeserializeOwned>(
        &self,
        world: &World,
        function: PageFunction,
        arguments: Vec<Argument>,
        deadline: Duration,
    ) -> Result<T, PageError> {
        const METHOD: &str = "Runtime.callFunctionOn";
        let arguments: Vec<Value> = arguments.into_iter().map(Value::from).collect();
        let params = json!({
            "functionDeclaration": function.0, "arguments": arguments,
            "uniqueContextId": world.unique_id, "returnByValue": true,
        });
        self.alive()?;
        let call = self.connection.call(Some(&world.session), METHOD, params, deadline);
        let raw: Box<serde_json::value::RawValue> = match call.await {
            Err(CallError::Refused { .. }) => return Err(PageError::NoDocument),
            other => other?,
        };
        read_answer(raw.get(), PAGE_ANSWER_BYTES_MAX)
    }
}

fn read_answer<T: DeserializeOwned>(raw: &str, bytes_max: usize) -> Result<T, PageError> {
    let called: Called<'_> = serde_json::from_str(raw).map_err(|_| PageError::Unreadable)?;
    if called.exception_details.is_some() {
        return Err(PageError::ScriptFailed);
    }
    let text = called.result.value.ok_or(PageError::Unreadable)?;
    if text.len() > bytes_max {
        return Err(PageError::TooLarge { bytes: text.len() });
    }
    serde_json::from_str(&text).map_err(|_| PageError::Unreadable)
}

#[cfg(test)]
#[path = "world_tests.rs"]
mod tests;
