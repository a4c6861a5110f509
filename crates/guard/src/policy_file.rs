//! Reads a policy file strictly: an unknown key, a contradiction or a failing example refuses to start.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use toml::Spanned;

use crate::effect::RequestImage;
use crate::limits::{POLICY_BYTES_MAX, POLICY_RULES_MAX};
use crate::policy::{Backend, ClassRule, Policy, RequestPattern, Rule, Verdict};
use crate::read_rule::{Fields, PathPattern, ReadBody, ReadPlace, ReadRule};
use crate::risk::ActionClass;
use crate::socket::{Sends, SocketGrant};
use crate::web::Origin;

/// Why a policy was refused; each names a line where there is one.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PolicyError {
    /// Not TOML, or a key that does not exist.
    #[error("policy line {line}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// What the reader said.
        message: String,
    },
    /// Says nothing.
    #[error("the policy is empty: give at least one [class.NAME] or [[rule]], or leave --policy out to use the shipped one")]
    Empty,
    /// Too large.
    #[error("the policy is larger than {POLICY_BYTES_MAX} bytes or {POLICY_RULES_MAX} rules")]
    TooLarge,
    /// Lacks a class.
    #[error("the policy says nothing for class {0}")]
    ClassMissing(&'static str),
    /// A value that can't be.
    #[error("policy line {line}: {what}")]
    Value {
        /// From 1.
        line: usize,
        /// What is wrong and what to write.
        what: String,
    },
    /// Two rules for one thing say different things.
    #[error(
        "policy line {line}: rule `{name}` contradicts rule `{other}`: both name {what}, and one says {one}, the other {two}"
    )]
    Contradiction {
        /// From 1.
        line: usize,
        /// This rule.
        name: String,
        /// The earlier rule.
        other: String,
        /// What both name.
        what: String,
        /// The earlier verdict.
        one: &'static str,
        /// This verdict.
        two: &'static str,
    },
    /// An example does not do what it says.
    #[error("policy line {line}: example `{example}` of rule `{name}` {says}")]
    Example {
        /// From 1.
        line: usize,
        /// The rule.
        name: String,
        /// The example.
        example: String,
        /// What went wrong.
        says: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Spanned<u32>,
    #[serde(default)]
    class: BTreeMap<ActionClass, Spanned<FileClass>>,
    #[serde(default)]
    rule: Vec<Spanned<FileRule>>,
    #[serde(default)]
    read: Vec<Spanned<FileRead>>,
    #[serde(default)]
    socket: Vec<FileSocket>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSocket {
    origin: Spanned<String>,
    #[serde(default)]
    dangerously_sends: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileClass {
    verdict: Verdict,
    unattended: Option<Verdict>,
    floor: Option<f64>,
    floor_by: Option<BTreeMap<Backend, f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    name: Spanned<String>,
    class: ActionClass,
    request: Spanned<String>,
    origin: Option<Spanned<String>>,
    verdict: Verdict,
    matches: Vec<Spanned<String>>,
    #[serde(default)]
    not_matches: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRead {
    name: Spanned<String>,
    request: Spanned<String>,
    origin: Spanned<String>,
    body: FileBody,
    #[serde(default)]
    fields: BTreeSet<String>,
    #[serde(default)]
    values: BTreeMap<String, String>,
    matches: Vec<Spanned<String>>,
    not_matches: Vec<Spanned<String>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileBody {
    GraphqlQuery,
    Empty,
    Json,
    Form,
}

/// Reads `text` over `base`, or as a whole policy when there is none.
///
/// # Errors
/// See [`PolicyError`].
pub(crate) fn read(text: &str, base: Option<Policy>) -> Result<Policy, PolicyError> {
    if text.len() > POLICY_BYTES_MAX {
        return Err(PolicyError::TooLarge);
    }
    if text.trim().is_empty() {
        return Err(PolicyError::Empty);
    }
    let file: File = toml::from_str(text).map_err(|error| PolicyError::Syntax {
        line: error.span().map_or(1, |span| line_of(text, span.start)),
        message: error.message().lines().collect::<Vec<_>>().join(" "),
    })?;
    if *file.version.get_ref() != 1 {
        return Err(PolicyError::Value {
            line: line_of(text, file.version.span().start),
            what: "only `version = 1` is known".into(),
        });
    }
    if file.class.is_empty() && file.rule.is_empty() && file.read.is_empty() && file.socket.is_empty() {
        return Err(PolicyError::Empty);
    }
    if file.rule.len() + file.read.len() + file.socket.len() > POLICY_RULES_MAX {
        return Err(PolicyError::TooLarge);
    }
    let mut policy = base.unwrap_or_else(|| Policy {
        classes: BTreeMap::new(),
        rules: Vec::new(),
        floors: BTreeMap::new(),
        backend: Backend::Other,
        reads: Vec::new(),
        dialogs: Vec::new(),
        sockets: Vec::new(),
    });
    for (class, rule) in file.class {
        let below = policy.classes.get(&class).copied();
        policy.classes.insert(class, read_class(text, class, &rule, below)?);
        let FileClass { floor, floor_by, .. } = rule.into_inner();
        match floor_by {
            Some(floors) => drop(policy.floors.insert(class, floors)),
            // A floor that is stated anew holds for every backend.
            None if floor.is_some() => drop(policy.floors.remove(&class)),
            None => {}
        }
    }
    for rule in file.rule {
        let line = line_of(text, rule.get_ref().name.span().start);
        let rule = read_rule(text, rule.into_inner())?;
        refuse_contradiction(&policy.rules, &rule, line)?;
        policy.rules.push(rule);
    }
    for rule in file.read {
        policy.reads.push(read_read(text, rule.into_inner())?);
    }
    for socket in file.socket {
        policy.sockets.push(read_socket(text, &socket)?);
    }
    match ActionClass::ALL.into_iter().find(|class| !policy.classes.contains_key(class)) {
        Some(missing) => Err(PolicyError::ClassMissing(missing.name())),
        None => Ok(policy),
    }
}

/// What a class leaves unsaid stays as strict as in the policy below.
fn read_class(
    text: &str,
    class: ActionClass,
    rule: &Spanned<FileClass>,
    below: Option<ClassRule>,
) -> Result<ClassRule, PolicyError> {
    let line = line_of(text, rule.span().start);
    let FileClass { verdict, unattended, floor, floor_by } = rule.get_ref();
    let floor = floor.unwrap_or(below.map_or(0.0, |below| below.floor));
    let all = floor_by.iter().flatten().map(|(_, floor)| floor).chain([&floor]);
    if !all.into_iter().all(|floor| (0.0..=1.0).contains(floor)) {
        return Err(PolicyError::Value { line, what: format!("floor of {} must be between 0 and 1", class.name()) });
    }
    let unattended = unattended.unwrap_or(below.map_or(*verdict, |below| verdict.join(below.unattended)));
    if unattended < *verdict {
        return Err(PolicyError::Value {
            line,
            what: format!(
                "class {} would be more open with nobody there ({}) than with somebody ({})",
                class.name(),
                unattended.name(),
                verdict.name()
            ),
        });
    }
    Ok(ClassRule { verdict: *verdict, unattended, floor })
}

fn read_rule(text: &str, rule: FileRule) -> Result<Rule, PolicyError> {
    let value = |at: &Spanned<String>, what: String| PolicyError::Value { line: line_of(text, at.span().start), what };
    let request = RequestPattern::parse(rule.request.get_ref()).map_err(|error| value(&rule.request, error.to_string()))?;
    let origin = match &rule.origin {
        None => None,
        // The parser takes `*` for a letter, and the rule would never be met.
        Some(text) if text.get_ref().contains('*') => return Err(value(text, "an origin is exact, without wildcards".into())),
        Some(text) => Some(Origin::read(text.get_ref()).map_err(|error| value(text, error.to_string()))?),
    };
    if !matches!(rule.class, ActionClass::Write | ActionClass::Upload | ActionClass::Destructive | ActionClass::Payment) {
        return Err(value(
            &rule.request,
            format!("a request rule speaks of write, upload, destructive or payment, not of {}", rule.class.name()),
        ));
    }
    if origin.is_none() && rule.verdict == Verdict::Allow {
        return Err(value(&rule.name, "a rule that allows needs the exact `origin` it allows at".into()));
    }
    if rule.matches.is_empty() {
        return Err(value(&rule.name, "a rule needs at least one example in `matches`".into()));
    }
    let read =
        Rule { name: rule.name.get_ref().clone(), class: rule.class, request: Some(request), origin, verdict: rule.verdict };
    for (examples, must) in [(&rule.matches, true), (&rule.not_matches, false)] {
        for example in examples {
            check_example(text, &read, example, must)?;
        }
    }
    Ok(read)
}

fn check_example(text: &str, rule: &Rule, example: &Spanned<String>, must: bool) -> Result<(), PolicyError> {
    let wrong = |says| PolicyError::Example {
        line: line_of(text, example.span().start),
        name: rule.name.clone(),
        example: example.get_ref().chars().take(200).collect(),
        says,
    };
    let (method, url) = example.get_ref().split_once(' ').ok_or_else(|| wrong("is not `METHOD https://origin/path`"))?;
    let parsed = url::Url::parse(url).map_err(|_| wrong("is not `METHOD https://origin/path`"))?;
    let image = RequestImage { method: method.to_owned(), url: url.to_owned(), ..RequestImage::default() };
    let names = rule.request.as_ref().is_none_or(|pattern| pattern.names(&image.method, &image.url))
        && rule.origin.as_ref().is_none_or(|origin| Origin::of(&parsed).as_ref() == Some(origin));
    match (names, must) {
        (true, true) | (false, false) => Ok(()),
        (false, true) => Err(wrong("must match and does not")),
        (true, false) => Err(wrong("must not match and does")),
    }
}

fn read_socket(text: &str, socket: &FileSocket) -> Result<SocketGrant, PolicyError> {
    let given = socket.origin.get_ref();
    let wrong = |what: String| PolicyError::Value { line: line_of(text, socket.origin.span().start), what };
    // The parser takes `*` for a letter, and the grant would never be met.
    if given.contains('*') {
        return Err(wrong("an origin is exact, without wildcards".into()));
    }
    let sends = if socket.dangerously_sends { Sends::Everything } else { Sends::Listening };
    SocketGrant::read(given, sends).map_err(|error| wrong(error.to_string()))
}

fn read_read(text: &str, rule: FileRead) -> Result<ReadRule, PolicyError> {
    let value = |at: &Spanned<String>, what: String| PolicyError::Value { line: line_of(text, at.span().start), what };
    let shape = "a read rule names `POST /path`, or `POST */path` for that path under any other";
    let path = rule.request.get_ref().strip_prefix("POST ").and_then(PathPattern::parse);
    let path = path.ok_or_else(|| value(&rule.request, shape.into()))?;
    let place = match rule.origin.get_ref().as_str() {
        "listed" => ReadPlace::Listed,
        // The parser takes `*` for a letter, and the rule would never be met.
        star if star.contains('*') => return Err(value(&rule.origin, "an origin is exact, without wildcards".into())),
        exact => ReadPlace::At(Origin::read(exact).map_err(|error| value(&rule.origin, error.to_string()))?),
    };
    let fields = Fields { names: rule.fields, values: rule.values };
    let named = !fields.names.is_empty() || !fields.values.is_empty();
    let body = match (rule.body, named) {
        (FileBody::GraphqlQuery, false) => ReadBody::GraphqlQuery,
        (FileBody::Empty, false) => ReadBody::Empty,
        (FileBody::Json, true) => ReadBody::Json(fields),
        (FileBody::Form, true) => ReadBody::Form(fields),
        (FileBody::GraphqlQuery | FileBody::Empty, true) => {
            return Err(value(&rule.name, "`fields` and `values` belong to a body of `json` or `form`".into()));
        }
        (FileBody::Json | FileBody::Form, false) => {
            return Err(value(&rule.name, "a body of `json` or `form` needs the `fields` it may have".into()));
        }
    };
    if rule.matches.is_empty() || rule.not_matches.is_empty() {
        return Err(value(&rule.name, "a read rule needs examples in `matches` and in `not_matches`".into()));
    }
    let read = ReadRule { name: rule.name.get_ref().clone(), place, path, body };
    for (examples, must) in [(&rule.matches, true), (&rule.not_matches, false)] {
        for example in examples {
            check_read_example(text, &read, example, must)?;
        }
    }
    Ok(read)
}

/// An example is `POST https://origin/path BODY`; the body is sent as the rule's own media type.
fn check_read_example(text: &str, rule: &ReadRule, example: &Spanned<String>, must: bool) -> Result<(), PolicyError> {
    let wrong = |says| PolicyError::Example {
        line: line_of(text, example.span().start),
        name: rule.name.clone(),
        example: example.get_ref().chars().take(200).collect(),
        says,
    };
    let form = "is not `POST https://origin/path BODY`";
    let mut parts = example.get_ref().splitn(3, ' ');
    let (Some(method), Some(url)) = (parts.next(), parts.next()) else { return Err(wrong(form)) };
    url::Url::parse(url).map_err(|_| wrong(form))?;
    let image = RequestImage {
        method: method.to_owned(),
        url: url.to_owned(),
        headers: vec![("content-type".to_owned(), rule.body.media_type().to_owned())],
        body: parts.next().unwrap_or_default().as_bytes().to_vec(),
    };
    match (rule.names(&image), must) {
        (true, true) | (false, false) => Ok(()),
        (false, true) => Err(wrong("must match and does not")),
        (true, false) => Err(wrong("must not match and does")),
    }
}

fn refuse_contradiction(rules: &[Rule], new: &Rule, line: usize) -> Result<(), PolicyError> {
    let same = |old: &&Rule| {
        old.request == new.request && old.origin == new.origin && old.class == new.class && old.verdict != new.verdict
    };
    match rules.iter().find(same) {
        None => Ok(()),
        Some(old) => Err(PolicyError::Contradiction {
            line,
            name: new.name.clone(),
            other: old.name.clone(),
            what: new.request.as_ref().map(ToString::to_string).unwrap_or_default(),
            one: old.verdict.name(),
            two: new.verdict.name(),
        }),
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}
