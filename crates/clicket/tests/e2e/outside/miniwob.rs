//! The control that a goal names is among those offered: one look at each page that clicking, typing and choosing can solve.
//!
//! Each page is drawn from one fixed seed (the page's own generator, seeded with this text), so its goal is always the same.

use std::collections::BTreeSet;

use clicket_pages::Tail;
use serde_json::Value;

use super::{Outside, document, each, judge};
use crate::support::count;

/// Draws the page as an episode does, out of reach of the clock. The cover, the scores and the goal's own box are hidden and not
/// taken away, because the page writes to them; the goal goes into the title.
const START: &str = "<script>
addEventListener('load', () => setTimeout(() => {
  Math.seedrandom('3');
  core.EPISODE_MAX_TIME = 1000000;
  core.startEpisodeReal();
  core.startEpisode = () => {};
  for (const id of ['reward-display', 'click-canvas', 'sync-task-cover', 'query']) {
    document.getElementById(id)?.style.setProperty('display', 'none', 'important');
  }
  const goal = core.getUtterance();
  document.title = goal.utterance || goal;
}));
</script>";

/// What must be offered. Numbers are the parts of the goal, in the order of their `{}`.
enum Want {
    /// A control of this role with this name.
    Called(&'static str, &'static str),
    /// A control of this role whose name is this part of the goal.
    Part(&'static str, usize),
    /// One for each thing that this part lists between commas.
    Each(&'static str, usize),
    /// As many of this role as are said.
    Count(&'static str, usize),
    /// A field that is told by the words near it.
    Near(&'static str, &'static str),
    /// A control without words, told by its class or picture, in the row that shows this part.
    Icon(&'static str, usize),
    /// A control of this name, in a row that shows these words.
    InRow(&'static str, &'static str),
    /// A control without words, told by a word of its class or picture.
    Looks(&'static str),
    /// A control whose name starts with this part.
    Starts(usize),
    /// A list that holds this part as an option.
    Option(usize),
}
use Want::{Called, Count, Each, Icon, InRow, Looks, Near, Part, Starts};

/// A page, its goal with what the seed chose as `{}`, and what must be offered for it. An empty role is a control that has none.
type Task = (&'static str, &'static str, &'static [Want]);

/// These are looked at in the suite; all of them in the soak.
const SUITE: usize = 26;

const SUBMIT: Want = Called("button", "Submit");

const TASKS: [Task; 65] = [
    ("choose-list", "Select {} from the list and click Submit.", &[Want::Option(0), SUBMIT]),
    ("click-button", "Click on the \"{}\" button.", &[Part("button", 0)]),
    ("click-checkboxes-large", "Select {} and click Submit.", &[Each("checkbox", 0), SUBMIT]),
    ("click-collapsible", "Expand the section below and click submit.", &[Called("tab", "Section #43"), SUBMIT]),
    ("click-dialog", "Close the dialog box by clicking the \"x\".", &[Called("button", "Close")]),
    ("click-link", "Click on the link \"{}\".", &[Part("", 0)]),
    ("click-option", "Select {} and click Submit.", &[Part("radio", 0), SUBMIT]),
    ("click-tab", "Click on {}.", &[Part("link", 0)]),
    ("click-tab-2-medium", "Switch between the tabs to find and click on the link \"{}\".", &[Part("", 0)]),
    ("click-test-2", "Click button {}.", &[Part("button", 0)]),
    ("email-inbox-delete", "Find the email by {} and click the trash icon to delete it.", &[Icon("trash", 0)]),
    ("email-inbox-important", "Find the email by {} and click the star icon to mark it as important.", &[Icon("star", 0)]),
    (
        "enter-password",
        "Enter the password \"{}\" into both text fields and press submit.",
        &[Near("", "Password"), Near("", "Verify password"), SUBMIT],
    ),
    ("enter-text", "Enter \"{}\" into the text field and press Submit.", &[Count("textbox", 1), SUBMIT]),
    (
        "form-sequence-2",
        "Check the {} radio button and enter the number \"{}\" into the {} textbox.",
        &[Count("radio", 3), Count("textbox", 3), SUBMIT],
    ),
    (
        "form-sequence-3",
        "Choose {} from the dropdown, then click the button labeled \"{}\".",
        &[Want::Option(0), Part("button", 1)],
    ),
    (
        "login-user",
        "Enter the username \"{}\" and the password \"{}\" into the text fields and press login.",
        &[Near("textbox", "Username"), Near("", "Password"), Called("button", "Login")],
    ),
    (
        "multi-layouts",
        "Search for {} movies directed by {} from year {}.",
        &[
            Near("textbox", "Director Name"),
            Near("textbox", "Movie Genre"),
            Near("textbox", "Released Date"),
            Called("button", "Go!"),
        ],
    ),
    ("navigate-tree", "Navigate through the file tree. Find and click on the folder or file named \"{}\".", &[Part("", 0)]),
    (
        "odd-or-even",
        "Mark the numbers below as odd or even and press submit when done.",
        &[InRow("Odd", "8"), InRow("Even", "2"), SUBMIT],
    ),
    ("order-food", "Order {} items that are meat", &[InRow("+", "Chicken wings")]),
    (
        "search-engine",
        "Use the textbox to enter \"{}\" and press \"Search\", then find and click the {} search result.",
        &[Count("textbox", 1), Called("button", "Search")],
    ),
    ("social-media-all", "Click the \"Like\" button on all posts by {} and then click Submit.", &[Icon("like", 0), SUBMIT]),
    ("unicode-test", "Click on the \"{}\" button.", &[Part("button", 0)]),
    ("use-autocomplete", "Enter an item that starts with \"{}\".", &[Called("textbox", "Tags:"), SUBMIT]),
    (
        "use-spinner",
        "Select {} with the spinner and hit Submit.",
        &[Called("spinbutton", "Select a value:"), Looks("up"), Looks("down"), SUBMIT],
    ),
    // From here on in the soak alone.
    ("book-flight", "Book the cheapest one-way flight from: {} to: {} on {}.", &FLIGHT),
    ("book-flight-nodelay", "Book the cheapest one-way flight from: {} to: {} on {}.", &FLIGHT),
    ("buy-ticket", "Buy the ticket with the most expensive cost.", &[Called("button", "Book for $1746")]),
    ("choose-date", "Select {} as the date and hit submit.", &DATE),
    ("choose-date-easy", "Select {} as the date and hit submit.", &DATE),
    ("choose-date-medium", "Select {} as the date and hit submit.", &DATE),
    ("choose-date-nodelay", "Select {} as the date and hit submit.", &DATE),
    ("click-button-sequence", "Click button {}, then click button {}.", &[Part("button", 0), Part("button", 1)]),
    ("click-checkboxes", "Select {} and click Submit.", &[Each("checkbox", 0), SUBMIT]),
    (
        "click-checkboxes-soft",
        "Select words similar to {} and click Submit.",
        &[Called("checkbox", "huge"), Called("checkbox", "cut"), Called("checkbox", "cars"), SUBMIT],
    ),
    ("click-checkboxes-transfer", "Select {} and click Submit.", &[Each("checkbox", 0), SUBMIT]),
    ("click-collapsible-2", "Expand the sections below, to find and click on the link \"{}\".", &SECTIONS),
    ("click-collapsible-2-nodelay", "Expand the sections below, to find and click on the link \"{}\".", &SECTIONS),
    ("click-collapsible-nodelay", "Expand the section below and click submit.", &[Called("tab", "Section #43"), SUBMIT]),
    ("click-dialog-2", "Click the button in the dialog box labeled \"x\".", &[Called("button", "Close")]),
    (
        "click-tab-2",
        "Switch between the tabs to find and click on the link \"{}\".",
        &[Called("link", "Tab #1"), Called("link", "Tab #2"), Called("link", "Tab #3")],
    ),
    ("click-tab-2-easy", "Switch between the tabs to find and click on the link \"{}\".", &[Part("", 0)]),
    (
        "click-tab-2-hard",
        "Switch between the tabs to find and click on the link \"{}\".",
        &[Called("link", "1"), Called("link", "6")],
    ),
    ("click-test", "Click the button.", &[Called("button", "Click Me!")]),
    ("click-test-transfer", "Click button {}.", &[Part("button", 0)]),
    ("click-widget", "Click on a \"{}\" widget.", &[Count("button", 2)]),
    ("email-inbox", "Find the email by {} and reply to them with the text \"{}\".", &MAIL),
    ("email-inbox-forward", "Find the email by {} and forward that email to {}.", &MAIL),
    ("email-inbox-forward-nl", "The mail by {} should be forwarded to {}.", &MAIL),
    ("email-inbox-forward-nl-turk", "Please forward {}'s email to {}.", &MAIL),
    ("email-inbox-nl-turk", "Please forward {}'s email to {}.", &MAIL),
    ("email-inbox-noscroll", "Find the email by {} and reply to them with the text \"{}\".", &MAIL),
    ("email-inbox-reply", "Find the email by {} and reply to them with the text \"{}\".", &MAIL),
    ("email-inbox-star-reply", "Find the email by {} and reply to them with the text \"{}\".", &MAIL),
    ("enter-text-dynamic", "Enter \"{}\" into the text field and press Submit.", &[Count("textbox", 1), SUBMIT]),
    ("focus-text", "Focus into the textbox.", &[Count("textbox", 1)]),
    ("focus-text-2", "Focus into the {} input textbox.", &[Count("textbox", 3)]),
    ("generate-number", "Generate an even number, then press submit.", &[Called("button", "Generate"), SUBMIT]),
    (
        "login-user-popup",
        "Enter the username \"{}\" and the password \"{}\" into the text fields and press login.",
        &[Near("textbox", "Username"), Near("", "Password"), Called("button", "OK")],
    ),
    (
        "multi-orderings",
        "Search for {} movies directed by {} from year {}.",
        &[Near("textbox", "Director"), Near("textbox", "Genre"), Near("textbox", "Year"), Called("", "Submit")],
    ),
    ("phone-book", "Find {} in the contact book and click on their address.", &[Called("link", ">")]),
    ("social-media", "For the user {}, click on the \"Report\" button.", &[Icon("more", 0)]),
    ("social-media-some", "Click the \"Like\" button on {} posts by {} and then click Submit.", &[Icon("like", 1), SUBMIT]),
    ("use-autocomplete-nodelay", "Enter an item that starts with \"{}\".", &[Called("textbox", "Tags:"), SUBMIT]),
];
const FLIGHT: [Want; 4] =
    [Called("textbox", "From:"), Called("textbox", "To:"), Near("textbox", "Departure Date"), Called("button", "Search")];
const DATE: [Want; 2] = [Near("textbox", "Date:"), SUBMIT];
const SECTIONS: [Want; 3] = [Called("tab", "Section #1"), Called("tab", "Section #2"), Called("tab", "Section #3")];
/// The letter itself, which opens when it is pressed.
const MAIL: [Want; 1] = [Starts(0)];

/// Strict: a page on this list whose control is offered after all fails the test.
const KNOWN_MISSES: [(&str, &str); 2] = [
    ("form-sequence-3", "the list itself is hidden under a drawn one, whose opener is offered without a name but an arrow"),
    ("use-spinner", "its two arrows are hidden from assistive technology and are not offered"),
];

#[test]
fn the_control_that_a_goal_names_is_offered_soak() {
    let tail = Tail { below: "/miniwob/".to_owned(), markup: START.to_owned() };
    let Some(outside) = Outside::serve("miniwob", vec![tail]) else { return };
    let tasks = &TASKS[..usize::try_from(count(SUITE as u64, TASKS.len() as u64)).unwrap()];
    let misses = each(tasks, |task| look(&outside, task), |task| task.0);
    judge(
        "MiniWoB pages that offer the control",
        &tasks.iter().map(|task| task.0).collect::<BTreeSet<_>>(),
        &misses,
        &KNOWN_MISSES,
    );
}

/// What is missing on the page, if anything.
fn look(outside: &Outside, (page, goal, wanted): &Task) -> Option<String> {
    let seen = match document(&outside.clicket("observe", &format!("/miniwob/{page}.html"), &[])) {
        Ok(seen) => seen,
        Err(said) => return Some(said),
    };
    let title = seen["title"].as_str().unwrap_or_default();
    let Some(parts) = parts(goal, title) else { return Some(format!("its goal is {title:?}")) };
    let controls = seen["controls"].as_array()?;
    let missing: Vec<String> = wanted.iter().filter_map(|want| unmet(want, &parts, controls)).collect();
    (!missing.is_empty()).then(|| format!("{title} lacks {missing:?} among {:?}", controls.iter().map(words).collect::<Vec<_>>()))
}

/// What the goal says in the places of `{}`, if it is worded so.
fn parts<'a>(worded: &str, goal: &'a str) -> Option<Vec<&'a str>> {
    let mut fixed = worded.split("{}");
    let (mut rest, mut found) = (goal.strip_prefix(fixed.next()?)?, Vec::new());
    let mut fixed = fixed.peekable();
    while let Some(next) = fixed.next() {
        let end = if fixed.peek().is_none() {
            rest.len().checked_sub(next.len()).filter(|_| rest.ends_with(next))?
        } else {
            rest.find(next)?
        };
        found.push(&rest[..end]);
        rest = &rest[end + next.len()..];
    }
    rest.is_empty().then_some(found)
}

/// The want in words, when no offered control meets it.
fn unmet(want: &Want, parts: &[&str], controls: &[Value]) -> Option<String> {
    let text = |control: &Value, key: &str| control[key].as_str().unwrap_or_default().to_owned();
    let is = |control: &Value, role: &str, name: &str| text(control, "role") == role && text(control, "name") == name;
    let has_word = |control: &Value, key: &str, word: &str| text(control, key).split_whitespace().any(|found| found == word);
    let some = |meets: &dyn Fn(&Value) -> bool| controls.iter().any(meets);
    let (met, said) = match *want {
        Called(role, name) => (some(&|control| is(control, role, name)), format!("{role} {name:?}")),
        Part(role, part) => (some(&|control| is(control, role, parts[part])), format!("{role} {:?}", parts[part])),
        Each(role, part) => {
            let lacking: Vec<&str> = parts[part].split(", ").filter(|name| !some(&|control| is(control, role, name))).collect();
            (lacking.is_empty(), format!("{role} {lacking:?}"))
        }
        Count(role, least) => {
            (controls.iter().filter(|control| text(control, "role") == role).count() >= least, format!("{least} of {role}"))
        }
        Near(role, label) => {
            let told = |control: &Value| {
                text(control, "role") == role && [text(control, "name"), text(control, "near")].iter().any(|text| text == label)
            };
            (some(&told), format!("{role} near {label:?}"))
        }
        Icon(look, part) => {
            let told = |control: &Value| has_word(control, "description", look) && text(control, "row").contains(parts[part]);
            (some(&told), format!("icon {look:?} in the row of {:?}", parts[part]))
        }
        InRow(name, row) => (
            some(&|control| text(control, "name") == name && text(control, "row").contains(row)),
            format!("{name:?} in the row of {row:?}"),
        ),
        Looks(look) => (some(&|control| has_word(control, "description", look)), format!("icon {look:?}")),
        Starts(part) => (some(&|control| text(control, "name").starts_with(parts[part])), format!("{:?}...", parts[part])),
        Want::Option(part) => {
            let holds = |control: &Value| {
                control["options"].as_array().is_some_and(|all| all.iter().any(|option| option["label"] == parts[part]))
            };
            (some(&holds), format!("option {:?}", parts[part]))
        }
    };
    (!met).then_some(said)
}

fn words(control: &Value) -> String {
    ["role", "name", "description", "near"].map(|key| control[key].as_str().unwrap_or_default()).join("|")
}

#[test]
fn a_goal_is_taken_apart_only_when_it_is_worded_as_expected() {
    assert_eq!(parts("Click \"{}\" then {}.", "Click \"a\" then b."), Some(vec!["a", "b"]));
    assert_eq!(parts("Select {}.", "Select Dr. No."), Some(vec!["Dr. No"]));
    assert_eq!(parts("Click.", "Click."), Some(vec![]));
    assert_eq!(parts("Click {}.", "Press a."), None);
    assert_eq!(parts("Click.", "Click. Or not."), None);
}
