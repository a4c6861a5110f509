//! Ordinary pages, as people meet them: each chore is done by a scripted model and verified by Clicket, and the server's own
//! log must agree.

use std::collections::{BTreeMap, BTreeSet};

use clicket_ordinary::{Asked, Ordinary};

use crate::outside::{document, each, fetch, judge};
use crate::scripted::{Line, ScriptedModel};
use crate::support::{clicket, whole_turn};

/// A page, what to do on it, and how it is known that it was done.
struct Chore {
    page: &'static str,
    script: &'static [Line],
    /// Besides the road and the model.
    options: &'static [&'static str],
    /// Shown at the end and not at the start.
    shows: &'static str,
    /// The one write that may have arrived, method and path, with a part of its body; none: nothing may have.
    writes: Option<(&'static str, &'static str)>,
}

/// What every page may do without being asked about it is nothing; this is what none of them is meant to do.
const CHORES: &[Chore] = &[
    Chore {
        page: "graphql",
        script: &[Line("press", &["Rename", "Harbour"]), Line("fill", &["New name", "Quay"]), Line("press", &["Save name"])],
        // The query passes by a read rule of the shipped policy; the mutation is what was allowed.
        options: &["--value", "name=Quay", "--allow", "POST /graphql"],
        shows: "Renamed to Quay",
        writes: Some(("POST /graphql", "mutation")),
    },
    Chore { page: "assets", script: &[Line("press", &["winter"])], options: &[], shows: "Winter: 10 to 15", writes: None },
    Chore {
        page: "cookies",
        script: &[Line("press", &["Reject all"]), Line("press", &["Ferry timetable"])],
        options: &[],
        shows: "Done: read-the-article",
        writes: None,
    },
    Chore {
        page: "endless",
        script: &[
            Line("scroll_down", &[]),
            Line("scroll_down", &[]),
            Line("scroll_down", &[]),
            Line("press", &["Save", "Trail number 47"]),
        ],
        options: &["--allow", "POST /api/saved"],
        shows: "Saved trail 47",
        writes: Some(("POST /api/saved", "trail=47")),
    },
    Chore {
        page: "chat",
        script: &[Line("fill", &["Order number", "A-77"]), Line("press", &["Find order"])],
        options: &["--value", "order=A-77"],
        shows: "Order A-77 is in Rotterdam",
        writes: None,
    },
    Chore {
        page: "editor",
        script: &[Line("fill", &["Note", "Buy rope"]), Line("press", &["Save note"])],
        options: &["--value", "text=Buy rope", "--allow", "POST /api/notes"],
        shows: "Note saved: Buy rope",
        writes: Some(("POST /api/notes", "Buy rope")),
    },
    Chore {
        page: "shadow",
        script: &[Line("toggle", &["Dark mode"]), Line("press", &["Save settings"])],
        options: &["--allow", "PUT /api/settings"],
        shows: "Dark mode is saved",
        writes: Some(("PUT /api/settings", "true")),
    },
    Chore {
        page: "virtual",
        script: &[Line("scroll_down", &[]), Line("scroll_down", &[]), Line("press", &["Reserve", "Crate 20"])],
        options: &["--allow", "POST /api/reserve"],
        shows: "Reserved Crate 20",
        writes: Some(("POST /api/reserve", "Crate 20")),
    },
    Chore {
        page: "worker",
        script: &[Line("press", &["Open story"])],
        options: &[],
        shows: "The story of the buoy",
        writes: None,
    },
    Chore {
        page: "back",
        script: &[Line("press", &["The Tide"]), Line("back", &[]), Line("press", &["The Reef"]), Line("back", &[])],
        options: &[],
        shows: "The Tide and The Reef",
        writes: None,
    },
    Chore {
        page: "combobox",
        script: &[Line("fill", &["From", "Lisb"]), Line("press", &["Lisbon Oriente"])],
        options: &["--value", "from=Lisb"],
        shows: "Trains from Lisbon Oriente",
        writes: None,
    },
    Chore {
        page: "modal",
        script: &[Line("press", &["Invite"]), Line("fill", &["Email", "grace@"]), Line("press", &["Send invitation"])],
        options: &["--value", "mail=grace@harbour.example", "--allow", "POST /api/invitations"],
        shows: "Invited grace@harbour.example",
        writes: Some(("POST /api/invitations", "grace@harbour.example")),
    },
    Chore {
        page: "tabs",
        script: &[
            Line("press", &["Addresses"]),
            Line("press", &["Home address"]),
            Line("fill", &["Street", "Quay 3"]),
            Line("press", &["Store street"]),
        ],
        options: &["--value", "street=Quay 3", "--allow", "PATCH /api/address"],
        shows: "Street is now Quay 3",
        writes: Some(("PATCH /api/address", "Quay 3")),
    },
    Chore {
        page: "wizard",
        script: &[
            Line("fill", &["Plate", "AB-123"]),
            Line("press", &["Next"]),
            Line("toggle", &["South"]),
            Line("press", &["Next"]),
            Line("toggle", &["rules"]),
            Line("press", &["Send application"]),
        ],
        options: &["--value", "plate=AB-123", "--allow", "POST /permit"],
        shows: "Done: permit",
        writes: Some(("POST /permit", "plate=AB-123&zone=south&agree=on")),
    },
    Chore {
        page: "selects",
        script: &[Line("choose", &["Country", "Denmark"]), Line("choose", &["City", "Aarhus"])],
        options: &[],
        shows: "Delivered to Aarhus by boat",
        writes: None,
    },
    Chore {
        page: "stars",
        script: &[Line("toggle", &["4 stars"]), Line("toggle", &["anonymous"]), Line("press", &["Post review"])],
        options: &["--allow", "POST /review"],
        shows: "Done: review",
        writes: Some(("POST /review", "stars=4&anonymous=on")),
    },
    Chore {
        page: "pages",
        script: &[Line("press", &["\"name\":\"Name\""]), Line("press", &["Next page"]), Line("press", &["Greet", "Member 15"])],
        options: &[],
        shows: "Greeted Member 15",
        writes: None,
    },
    Chore { page: "slow", script: &[Line("press", &["Make report"])], options: &[], shows: "Total 1,284.50", writes: None },
    Chore {
        page: "two-step",
        script: &[
            Line("fill", &["Email", "ada@"]),
            Line("press", &["Continue"]),
            Line("fill", &["Password"]),
            Line("press", &["Sign in"]),
        ],
        options: &["--value", "email=ada@mail.example", "--secret", "password=env:SHOP_PASSWORD", "--allow", "POST /session"],
        shows: "Done: session",
        writes: Some(("POST /session", "email=ada%40mail.example&password=")),
    },
    Chore {
        page: "live-search",
        script: &[Line("fill", &["Search terms", "buo"]), Line("press", &["Buoy"])],
        options: &["--value", "term=buo"],
        shows: "Done: Buoy",
        writes: None,
    },
    Chore {
        page: "frame-form",
        script: &[Line("toggle", &["Storms"]), Line("press", &["Store topics"])],
        options: &["--allow", "POST /topics"],
        shows: "Done: topics",
        writes: Some(("POST /topics", "storms=on")),
    },
    Chore {
        page: "toast",
        script: &[Line("press", &["Archive Order rope"])],
        options: &["--allow", "PUT /api/tasks/archive"],
        shows: "Order rope is archived",
        writes: Some(("PUT /api/tasks/archive", "Order rope")),
    },
    Chore {
        page: "picker-flatpickr",
        script: &[Line("press", &["Day of travel"]), Line("press", &["May 14"])],
        options: &[],
        shows: "Travelling on 2026-05-14",
        writes: None,
    },
    Chore {
        page: "picker-pikaday",
        script: &[Line("press", &["Day of travel"]), Line("press", &["\"14\""])],
        options: &[],
        shows: "Travelling on 2026-05-14",
        writes: None,
    },
    Chore {
        page: "picker-air-datepicker",
        script: &[Line("press", &["Day of travel"]), Line("press", &["\"14\""])],
        options: &[],
        shows: "Travelling on 2026-05-14",
        writes: None,
    },
    Chore {
        page: "quill",
        script: &[Line("fill", &["Fog tonight"]), Line("press", &["Preview post"])],
        options: &["--value", "text=Fog tonight"],
        shows: "Preview: Fog tonight",
        writes: None,
    },
    Chore {
        page: "code",
        script: &[
            Line("fill", &["Digit 1", "d1"]),
            Line("fill", &["Digit 2", "d2"]),
            Line("fill", &["Digit 3", "d3"]),
            Line("fill", &["Digit 4", "d1"]),
            Line("fill", &["Digit 5", "d2"]),
            Line("fill", &["Digit 6", "d3"]),
        ],
        options: &["--value", "d1=4", "--value", "d2=2", "--value", "d3=7"],
        shows: "The code is 427427",
        writes: None,
    },
    Chore {
        page: "third-party",
        script: &[
            Line("press", &["Sign in with Anchor ID"]),
            Line("fill", &["Account", "ada"]),
            Line("press", &["Continue to Club"]),
        ],
        options: &["--value", "account=ada", "--origin", "{elsewhere}", "--policy", "{folder}/policy.toml"],
        shows: "Welcome back, Ada",
        writes: Some(("POST /identity", "account=ada")),
    },
    Chore {
        page: "closed-shadow",
        script: &[Line("press", &["Play lighthouse story"])],
        options: &[],
        shows: "Playing lighthouse story",
        writes: None,
    },
    Chore {
        page: "payment-frame",
        script: &[Line("fill", &["Name on card", "Ada Lovelace"]), Line("press", &["Review donation"])],
        options: &["--value", "holder=Ada Lovelace", "--origin", "{elsewhere}"],
        shows: "Reviewing the donation of Ada Lovelace",
        writes: None,
    },
    Chore {
        page: "upload",
        script: &[Line("attach", &["Receipt"]), Line("press", &["Send claim"])],
        options: &["--file", "receipt={folder}/receipt.txt", "--allow-upload", "POST /claim"],
        shows: "Done: claim",
        writes: Some(("POST /claim", "Fare 12.50")),
    },
    Chore {
        page: "invoice",
        script: &[Line("press", &["Download March invoice"])],
        options: &["--downloads", "{folder}", "--expect-download", "invoice-2026-03.pdf"],
        shows: "",
        writes: None,
    },
    Chore {
        page: "confirm",
        script: &[Line("press", &["Archive draft"])],
        options: &["--accept-dialog", "Archive the letter to the pilot?"],
        shows: "The letter is archived",
        writes: None,
    },
    Chore { page: "new-tab", script: &[Line("press", &["Tide table"])], options: &[], shows: "Done: tide-table", writes: None },
    Chore {
        page: "menu",
        script: &[Line("hover", &["Actions"]), Line("press", &["Copy chart"])],
        options: &[],
        shows: "Copied the chart",
        writes: None,
    },
];

/// The one write to another origin that a chore needs, named as a policy names it.
const POLICY: &str = r#"version = 1

[class.leave_site]
verdict = "allow"
unattended = "allow"
floor = 0.6

[[rule]]
name = "anchor id"
class = "write"
request = "POST /identity"
origin = "{elsewhere}"
verdict = "allow"
matches = ["POST {elsewhere}/identity"]
not_matches = ["POST {elsewhere}/other"]
"#;

/// These run in the suite.
const SUITE: [&str; 8] = ["graphql", "virtual", "wizard", "combobox", "payment-frame", "upload", "invoice", "confirm"];

/// Strict: a page on this list that starts to work fails the test.
const KNOWN_MISSES: [(&str, &str); 0] = [];

#[test]
fn chores_on_ordinary_pages_are_done_and_verified_soak() {
    let _turn = whole_turn();
    let vendor = fetch("vendor");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let soak = std::env::var_os("CLICKET_SOAK").is_some();
    let only = std::env::var("CLICKET_ONLY").ok();
    let chosen = |chore: &&Chore| {
        only.as_ref().map_or(soak || SUITE.contains(&chore.page), |only| only.split(',').any(|page| page == chore.page))
    };
    let chores: Vec<&Chore> = CHORES.iter().filter(chosen).collect();
    let misses: BTreeMap<&'static str, String> = each(
        &chores,
        |chore| {
            let site = runtime.block_on(Ordinary::start(vendor.clone())).unwrap();
            done(chore, &site)
        },
        |chore| chore.page,
    );
    let tried: BTreeSet<&'static str> = chores.iter().map(|chore| chore.page).collect();
    judge("ordinary pages on which the chore is done", &tried, &misses, &KNOWN_MISSES);
}

/// `None` when it was done, verified, and nothing else arrived at the server.
fn done(chore: &Chore, site: &Ordinary) -> Option<String> {
    let scratch = tempfile::tempdir().unwrap();
    let model = ScriptedModel::start(chore.script);
    let journal = scratch.path().join("journal");
    let url = format!("{}/{}", site.origin(), chore.page);
    let mut command = clicket();
    command.args(["run", &url, "--json", "--goal", "as scripted", "--model", &model.option(), "--steps", "20", "--time", "60"]);
    command.args(["--local-origin", site.origin(), "--local-origin", site.elsewhere()]).arg("--journal").arg(journal);
    if !chore.shows.is_empty() {
        command.args(["--expect-text", chore.shows]);
    }
    let folder = scratch.path().display().to_string();
    std::fs::write(scratch.path().join("receipt.txt"), "Fare 12.50").unwrap();
    std::fs::write(scratch.path().join("policy.toml"), POLICY.replace("{elsewhere}", site.elsewhere())).unwrap();
    command.args(chore.options.iter().map(|option| option.replace("{folder}", &folder).replace("{elsewhere}", site.elsewhere())));
    let output = command.output().unwrap();
    let report = match document(&output) {
        Ok(report) => report,
        Err(said) => return Some(said),
    };
    let log = site.log();
    let wrong = writes_other_than(chore, &log);
    let steps: Vec<String> = report["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|step| format!("{} -> {}", step["chosen"], step["happened"]))
        .collect();
    let fine = output.status.code() == Some(0) && wrong.is_none();
    (!fine).then(|| {
        let stuck = model.stuck_at();
        format!("{} {} {} {wrong:?} stuck at {stuck:?}: {steps:#?}", report["end"], report["reason"], report["because"])
    })
}

/// What arrived and should not have, or did not arrive and should have.
fn writes_other_than(chore: &Chore, log: &[Asked]) -> Option<String> {
    let said = |asked: &Asked| format!("{} {}", asked.method, asked.path);
    let is_read = |asked: &Asked| asked.method == "GET" || asked.body.contains("\"query Projects");
    let writes: Vec<&Asked> = log.iter().filter(|asked| !is_read(asked)).collect();
    match (chore.writes, writes.as_slice()) {
        (None, []) => None,
        (Some((wanted, part)), [one]) if said(one) == wanted && one.body.contains(part) => None,
        (wanted, found) => Some(format!("wanted {wanted:?}, the server got {found:?}")),
    }
}
