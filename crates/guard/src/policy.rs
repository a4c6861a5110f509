//! Policy: a verdict for every class of deed, and rules that name exact requests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::approval::Attendance;
use crate::dialog::Dialog;
use crate::effect::{METHOD_OVERRIDES, RequestImage};
use crate::observation::FormFacts;
use crate::policy_file::{self, PolicyError};
use crate::read_rule::ReadRule;
use crate::risk::{self, ActionClass};
use crate::shape::{self, Remembered};
use crate::socket::SocketGrant;
use crate::traffic::Cause;
use crate::untrusted::PageText;
use crate::web::Origin;

/// What the judge says. Ordered: the strictest wins, and there is no default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Go ahead.
    Allow,
    /// A person decides.
    Ask,
    /// Never; no approval changes it.
    Refuse,
}

impl Verdict {
    /// The stricter of two.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }
}

/// A verdict with its grounds.
///
/// Invariant: made only by [`Policy`]; outside it can only become stricter:
///
/// ```compile_fail
/// let forged = clicket_guard::policy::Judgement { verdict: clicket_guard::policy::Verdict::Allow, class: todo!(), reasons: vec![] };
/// ```
/// ```compile_fail
/// fn eased(mut judgement: clicket_guard::policy::Judgement) { judgement.verdict = clicket_guard::policy::Verdict::Allow; }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) class: ActionClass,
    pub(crate) reasons: Vec<String>,
}

impl Judgement {
    /// What the judge says.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// What kind of deed it is.
    #[must_use]
    pub const fn class(&self) -> ActionClass {
        self.class
    }

    /// Why, one clause each.
    #[must_use]
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    pub(crate) fn into_reasons(self) -> Vec<String> {
        self.reasons
    }

    /// Joins a stricter verdict, or the same, with its ground.
    pub fn tighten(&mut self, verdict: Verdict, reason: String) {
        self.verdict = self.verdict.join(verdict);
        self.reasons.push(reason);
    }
}

/// What holds for one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRule {
    /// With somebody there.
    pub verdict: Verdict,
    /// With nobody there.
    pub unattended: Verdict,
    /// Least confidence to go ahead without a person, 0 to 1.
    pub floor: f64,
}

/// What decides, as far as its confidences can be compared: one model's 0.6 is another one's 0.9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// The embedded model.
    Reflex,
    /// The hosted model of the System One service.
    Systemone,
    /// Any other model.
    Other,
}

/// A rule that names requests exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its name, shown with every verdict it gives.
    pub name: String,
    /// The class it speaks of; a rule never opens a stricter class than the one it names.
    pub class: ActionClass,
    /// Method and exact path.
    pub request: Option<RequestPattern>,
    /// Exact origin.
    pub origin: Option<Origin>,
    /// What it says.
    pub verdict: Verdict,
}

/// A dialog that may be accepted: exactly this text, at exactly this origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DialogRule {
    text: PageText,
    origin: Origin,
}

/// `POST /cart`: one method and one exact path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestPattern {
    method: String,
    path: String,
}

/// Why a pattern could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a request: write a method in capitals and an exact path, such as `POST /cart`")]
pub struct PatternError(String);

impl RequestPattern {
    /// Reads `METHOD /path`.
    ///
    /// # Errors
    /// When it is anything else: no wildcards, no query, no fragment.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let wrong = || PatternError(text.chars().take(200).collect());
        let (method, path) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let method_ok = matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE");
        let path = path.trim();
        let exact =
            path.starts_with('/') && !path.starts_with("//") && !path.contains(['*', '?', '#', ' ', '\\']) && path.len() <= 2_000;
        // A path in any other spelling than the parser's own would never be met.
        let path_ok = exact && url::Url::parse(&format!("https://path.invalid{path}")).is_ok_and(|url| url.path() == path);
        if !method_ok || !path_ok {
            return Err(wrong());
        }
        Ok(Self { method: method.to_owned(), path: path.to_owned() })
    }

    /// True for exactly this method and path; the query is not looked at.
    #[must_use]
    pub fn names(&self, method: &str, url: &str) -> bool {
        self.method == method && url::Url::parse(url).is_ok_and(|url| url.path() == self.path)
    }
}

impl std::fmt::Display for RequestPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// A held request with what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// Exactly what would be sent.
    pub image: &'a RequestImage,
    /// Who asked for it.
    pub cause: Cause,
    /// Shapes that a person allowed for this run.
    pub remembered: &'a [Remembered],
    /// Whether somebody can be asked.
    pub attendance: Attendance,
}

/// The whole policy of a run.
///
/// Invariant: every class has a rule (`a_policy_without_a_class_refuses_to_start`), and there is no `Default`.
///
/// ```compile_fail
/// let open = clicket_guard::policy::Policy::default();
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    pub(crate) classes: BTreeMap<ActionClass, ClassRule>,
    pub(crate) rules: Vec<Rule>,
    /// Floors for one backend, where they differ from the class's own.
    pub(crate) floors: BTreeMap<ActionClass, BTreeMap<Backend, f64>>,
    pub(crate) backend: Backend,
    #[serde(default)]
    pub(crate) reads: Vec<ReadRule>,
    #[serde(default)]
    pub(crate) dialogs: Vec<DialogRule>,
    #[serde(default)]
    pub(crate) sockets: Vec<SocketGrant>,
}

impl Policy {
    /// The shipped policy.
    ///
    /// # Errors
    /// When the file that ships is broken; a test keeps it whole.
    pub fn shipped() -> Result<Self, PolicyError> {
        policy_file::read(include_str!("../../../policies/default.toml"), None)
    }

    /// The shipped policy with an operator's file laid over it.
    ///
    /// # Errors
    /// An unknown key, a contradiction or a failing example, each with its line.
    pub fn with_file(text: &str) -> Result<Self, PolicyError> {
        policy_file::read(text, Some(Self::shipped()?))
    }

    /// Says what decides, and so which floors hold. Until then the class's own hold, or those for another model.
    pub fn decided_by(&mut self, backend: Backend) {
        self.backend = backend;
    }

    /// The least confidence with which a class goes ahead without a person, for what decides.
    #[must_use]
    pub fn floor(&self, class: ActionClass) -> f64 {
        let own = self.floors.get(&class).and_then(|floors| floors.get(&self.backend));
        own.copied().unwrap_or(self.class(class).floor)
    }

    /// Refuses every download, whatever else is said: no folder was given for them.
    pub fn forbid_downloads(&mut self) {
        let refused = ClassRule { verdict: Verdict::Refuse, unattended: Verdict::Refuse, floor: 1.0 };
        self.floors.remove(&ActionClass::Download);
        self.classes.insert(ActionClass::Download, refused);
    }

    /// Adds the operator's `--allow "POST /path"`: a write of exactly this method and path at `origin`.
    pub fn allow_write(&mut self, pattern: RequestPattern, origin: Origin) {
        self.rules.push(Rule {
            name: format!("--allow \"{pattern}\""),
            class: ActionClass::Write,
            request: Some(pattern),
            origin: Some(origin),
            verdict: Verdict::Allow,
        });
    }

    /// Adds the operator's `--allow-upload "POST /path"`: files given with `--file` may be attached at `origin` and sent there
    /// by exactly this request.
    pub fn allow_upload(&mut self, pattern: RequestPattern, origin: Origin) {
        self.rules.push(Rule {
            name: format!("--allow-upload \"{pattern}\""),
            class: ActionClass::Upload,
            request: Some(pattern),
            origin: Some(origin),
            verdict: Verdict::Allow,
        });
    }

    /// Adds the operator's `--accept-dialog TEXT`: a dialog that says exactly this, opened by an act at `origin`.
    pub fn accept_dialog(&mut self, text: &str, origin: Origin) {
        self.dialogs.push(DialogRule { text: PageText::plain(text), origin });
    }

    /// Grants sockets to an origin.
    pub fn grant_socket(&mut self, grant: SocketGrant) {
        self.sockets.push(grant);
    }

    /// Origins to which sockets may be opened.
    #[must_use]
    pub fn sockets(&self) -> &[SocketGrant] {
        &self.sockets
    }

    /// What holds for a class.
    #[must_use]
    pub fn class(&self, class: ActionClass) -> ClassRule {
        // The reader refuses a policy that lacks a class; were one lacking, nothing would be allowed.
        self.classes.get(&class).copied().unwrap_or(ClassRule {
            verdict: Verdict::Refuse,
            unattended: Verdict::Refuse,
            floor: 1.0,
        })
    }

    /// Rules that say which requests with a body only read, in order.
    #[must_use]
    pub fn reads(&self) -> &[ReadRule] {
        &self.reads
    }

    /// All rules, in order.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Judges an action on the page, chosen with `confidence`.
    #[must_use]
    pub fn judge_action(&self, class: ActionClass, confidence: f64, attendance: Attendance) -> Judgement {
        let mut judgement = self.judge_class(class, attendance);
        let floor = self.floor(class);
        // Asked this way round, a confidence that is no number is below every floor.
        let enough = confidence >= floor;
        if !enough {
            judgement.verdict = judgement.verdict.join(Verdict::Ask);
            judgement.reasons.push(format!("confidence {confidence:.2} is below {floor:.2} for {}", class.name()));
        }
        judgement
    }

    /// Judges a held request: by the rules that name it; as a read if a read rule says so; by a shape that a person allowed for
    /// this run; and else by its class.
    #[must_use]
    pub fn judge_held(&self, held: &Held<'_>) -> Judgement {
        let Held { image, cause, remembered, attendance } = *held;
        let risk = risk::of_request(image);
        let class = match (risk, cause) {
            (ActionClass::Write, Cause::Page) => ActionClass::BackgroundWrite,
            (other, Cause::Page | Cause::Action) => other,
        };
        if self.is_named(image) {
            return self.judge_request(class, image, attendance);
        }
        let read = self.reads.iter().filter(|_| risk == ActionClass::Write).find(|rule| rule.names(image));
        if let Some(rule) = read {
            let reasons = vec![format!("rule {} says that it only reads", rule.name)];
            return Judgement { verdict: Verdict::Allow, class: ActionClass::Observe, reasons };
        }
        let mut judgement = self.judge_class(class, attendance);
        let allowed = remembered.iter().find(|shape| shape.names(image)).filter(|_| shape::may_be_remembered(class));
        if let (Verdict::Ask, Some(shape)) = (self.class(class).verdict, allowed) {
            judgement.verdict = Verdict::Allow;
            judgement.reasons = vec![format!("a person allowed requests of this shape for this run ({})", shape.intent())];
        }
        judgement
    }

    /// Judges saying yes to a dialog at `origin`, which an act opened that was chosen with `confidence`. A text that the
    /// operator wrote down word for word is allowed, whatever it says: nothing is silent about it.
    #[must_use]
    pub fn judge_dialog(
        &self,
        class: ActionClass,
        dialog: &Dialog,
        origin: Option<&Origin>,
        confidence: f64,
        attendance: Attendance,
    ) -> Judgement {
        let named = |rule: &&DialogRule| rule.text == dialog.text && Some(&rule.origin) == origin && !dialog.text.is_empty();
        if self.dialogs.iter().any(|rule| named(&rule)) {
            let reasons = vec!["--accept-dialog names exactly this text".to_owned()];
            return Judgement { verdict: Verdict::Allow, class, reasons };
        }
        self.judge_action(class, confidence, attendance)
    }

    /// Judges putting a file into a field at `origin`: a rule that lets files be sent there lets them be attached there.
    #[must_use]
    pub fn judge_attach(&self, origin: Option<&Origin>, confidence: f64, attendance: Attendance) -> Judgement {
        self.judge_upload(confidence, attendance, |rule| rule.origin.is_some() && rule.origin.as_ref() == origin)
    }

    /// Judges a press that submits a form with a file in it: by the rule that lets exactly this request leave.
    #[must_use]
    pub fn judge_submit_of_files(&self, form: Option<&FormFacts>, confidence: f64, attendance: Attendance) -> Judgement {
        let image = form.map(|form| RequestImage {
            method: form.method.to_ascii_uppercase(),
            url: form.action.clone(),
            ..RequestImage::default()
        });
        self.judge_upload(confidence, attendance, |rule| image.as_ref().is_some_and(|image| rule_names(rule, image)))
    }

    fn judge_upload(&self, confidence: f64, attendance: Attendance, speaks: impl Fn(&Rule) -> bool) -> Judgement {
        let mut judgement = self.judge_action(ActionClass::Upload, confidence, attendance);
        let speaking: Vec<&Rule> = self.rules.iter().filter(|rule| rule.class == ActionClass::Upload && speaks(rule)).collect();
        let sure = confidence >= self.floor(ActionClass::Upload);
        if let Some(strictest) = speaking.iter().max_by_key(|rule| rule.verdict)
            && (sure || strictest.verdict != Verdict::Allow)
        {
            judgement.verdict = strictest.verdict;
            judgement.reasons = vec![format!("rule {} says {}", strictest.name, strictest.verdict.name())];
        }
        judgement
    }

    /// Whether a rule of the operator's speaks of exactly this request.
    #[must_use]
    pub fn is_named(&self, image: &RequestImage) -> bool {
        self.rules.iter().any(|rule| rule_names(rule, image))
    }

    /// Judges a request of a known class by the rules that name it, else by its class.
    #[must_use]
    pub fn judge_request(&self, class: ActionClass, image: &RequestImage, attendance: Attendance) -> Judgement {
        let naming: Vec<&Rule> = self.rules.iter().filter(|rule| rule_names(rule, image)).collect();
        let strictest = |rules: &mut dyn Iterator<Item = &&Rule>| {
            let rule = rules.max_by_key(|rule| rule.verdict)?;
            let reasons = vec![format!("rule {} says {}", rule.name, rule.verdict.name())];
            Some(Judgement { verdict: rule.verdict, class, reasons })
        };
        let reached = strictest(&mut naming.iter().filter(|rule| rule.class >= class))
            .unwrap_or_else(|| self.judge_class(class, attendance));
        // A rule for a milder class opens nothing here, but what it forbids stays forbidden.
        match strictest(&mut naming.iter().filter(|rule| rule.class < class)) {
            Some(milder) if milder.verdict > reached.verdict => milder,
            Some(_) | None => reached,
        }
    }

    fn judge_class(&self, class: ActionClass, attendance: Attendance) -> Judgement {
        let rule = self.class(class);
        let (verdict, when) = match attendance {
            Attendance::Attended => (rule.verdict, ""),
            Attendance::Unattended => (rule.verdict.join(rule.unattended), " with nobody to ask"),
        };
        Judgement { verdict, class, reasons: vec![format!("policy says {} for {}{when}", verdict.name(), class.name())] }
    }
}

impl Verdict {
    /// Its name in policy files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
        }
    }
}

/// Whether the request is at the rule's place. Of class `payment` a rule also speaks of milder requests there.
fn rule_names(rule: &Rule, image: &RequestImage) -> bool {
    let origin = url::Url::parse(&image.url).ok().and_then(|url| Origin::of(&url));
    rule.origin.as_ref().is_none_or(|bound| origin.as_ref() == Some(bound))
        && rule.request.as_ref().is_none_or(|pattern| pattern.names(&image.method, &image.url))
        && !(rule.verdict == Verdict::Allow && acts_as_another_method(image))
}

/// Whether a header names another method than the request's own; no rule that allows the one allows the other.
fn acts_as_another_method(image: &RequestImage) -> bool {
    METHOD_OVERRIDES.iter().any(|known| {
        let mut values = image.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(known)).map(|(_, value)| value.trim());
        values.any(|value| !value.eq_ignore_ascii_case(&image.method))
    })
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
