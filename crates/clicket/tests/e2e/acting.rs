//! Deeds that ordinary sites ask for beyond press and fill: dialogs, windows, files, menus.

use std::path::Path;
use std::process::Output;

use clicket_pages::{Folder, Pages};
use serde_json::Value;

use crate::attended::type_answers;
use crate::support::{clicket, turn};

/// A folder of small pages, served on this machine.
struct Site {
    _runtime: tokio::runtime::Runtime,
    pages: Pages,
    folder: tempfile::TempDir,
    _turn: crate::support::Turn,
}

impl Site {
    fn with(files: &[(&str, &str)]) -> Site {
        let folder = tempfile::tempdir().unwrap();
        for (name, html) in files {
            std::fs::write(folder.path().join(name), html).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let pages = runtime.block_on(Pages::start(Folder::at(folder.path()).unwrap())).unwrap();
        Site { _runtime: runtime, pages, folder, _turn: turn() }
    }

    fn run(&self, goal: &str, options: &[&str]) -> (Output, Value) {
        let origin = self.pages.origin();
        let journal = tempfile::tempdir_in(self.folder.path()).unwrap();
        let mut command = clicket();
        command.args(["run", &format!("{origin}/index.html"), "--local-origin", &origin, "--json", "--goal", goal]);
        command.arg("--journal").arg(journal.path()).args(options);
        let output = command.output().unwrap();
        let report = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        assert!(verified(journal.path()), "the record is whole");
        (output, report)
    }
}

fn verified(journal: &Path) -> bool {
    clicket().args(["journal", "verify", "--journal"]).arg(journal).status().unwrap().success()
}

#[test]
fn a_dialog_is_accepted_when_its_exact_text_was_written_down_and_dismissed_otherwise() {
    let site = Site::with(&[(
        "index.html",
        "<h1>Notes</h1><button onclick=\"if (confirm('Archive this note?')) said.textContent = 'It is archived'\">Archive the note</button><p id=said></p>",
    )]);
    let expected = ["--expect-text", "It is archived"];
    let (output, report) = site.run("Archive the note", &[expected[0], expected[1], "--accept-dialog", "Archive this note?"]);
    assert_eq!(output.status.code(), Some(0), "{report}");
    for other in [&["--accept-dialog", "Archive this note"][..], &[]] {
        let options: Vec<&str> = expected.iter().chain(other).copied().collect();
        let (output, report) = site.run("Archive the note", &options);
        assert_ne!(output.status.code(), Some(0), "{report}");
        assert!(report["steps"][0]["happened"].as_str().unwrap().contains("it was dismissed"), "{report}");
    }
}

#[test]
fn a_person_reads_what_the_dialog_says_and_their_answer_is_what_the_page_gets() {
    for (answer, end) in [("a", "It is emptied"), ("r", "It is kept")] {
        let page = "<h1>Notes</h1><button onclick=\"said.textContent = confirm('Delete all 7 drafts?') ? 'It is emptied' : 'It is kept'\">Tidy up</button><p id=said></p>";
        let site = Site::with(&[("index.html", page)]);
        let origin = site.pages.origin();
        let journal = tempfile::tempdir_in(site.folder.path()).unwrap();
        let options = [
            "run",
            &format!("{origin}/index.html"),
            "--local-origin",
            &origin,
            "--goal",
            "Press Tidy up",
            "--expect-text",
            end,
            "--journal",
            &journal.path().display().to_string(),
        ]
        .map(str::to_owned);
        let (code, out, err, screen) = type_answers(site.folder.path(), &options, &[answer]);
        assert_eq!(code, 0, "{out}\n{err}\n{screen}");
        assert!(screen.contains("Delete all 7 drafts?") && screen.contains("delete or cancel something"), "{screen}");
        assert!(screen.contains("Tidy up"), "what opened it is said: {screen}");
        assert!(verified(journal.path()));
    }
}

#[test]
fn a_window_that_a_step_opens_is_followed_in_the_one_page() {
    let site = Site::with(&[
        ("index.html", "<h1>Start</h1><a href=two.html target=_blank>Report</a>"),
        ("two.html", "<h1>Report</h1><button onclick=\"window.open('three.html')\">Details</button>"),
        ("three.html", "<h1>All details</h1>"),
    ]);
    let (output, report) = site.run("Open Report, open Details", &["--expect-text", "All details", "--expect-url", "three.html"]);
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(report["steps"][0]["happened"].as_str().unwrap().contains("was followed"), "{report}");
}

#[test]
fn a_window_for_another_site_is_closed_and_said() {
    let site =
        Site::with(&[("index.html", "<h1>Start</h1><button onclick=\"window.open('https://ad.example/')\">Report</button>")]);
    let (output, report) = site.run("Open Report", &["--expect-text", "never"]);
    assert_eq!(output.status.code(), Some(3), "{report}");
    let happened = report["steps"][0]["happened"].as_str().unwrap();
    assert!(happened.contains("ad.example") && happened.contains("not followed"), "{report}");
}

const UPLOAD: &str = "<h1>Documents</h1><label>Report <input type=file id=f></label><p id=said></p>
    <script>f.addEventListener('change', async () => { const [file] = f.files; said.textContent = 'Got ' + file.name + ' with ' + (await file.text()).length + ' letters' })</script>";

#[test]
fn a_file_is_attached_where_the_operator_allowed_it_and_nowhere_else() {
    let site = Site::with(&[("index.html", UPLOAD)]);
    let file = site.folder.path().join("march.txt");
    std::fs::write(&file, "four letters in march").unwrap();
    let file = format!("report={}", file.display());
    let options = ["--file", &file, "--expect-text", "Got march.txt with 21 letters"];
    let allowed: Vec<&str> = options.iter().copied().chain(["--allow-upload", "POST /documents"]).collect();
    let (output, report) = site.run("Upload the report", &allowed);
    assert_eq!(output.status.code(), Some(0), "{report}");
    let (output, report) = site.run("Upload the report", &options);
    assert_eq!(output.status.code(), Some(3), "{report}");
    assert!(report["detail"].to_string().contains("upload a file") || report.to_string().contains("upload a file"), "{report}");
}

#[test]
fn what_hangs_in_a_menu_under_the_pointer_is_reached() {
    let css = "<style>ul { list-style: none; margin: 0; padding: 0 } li { width: 200px } li ul { display: none } li:hover ul { display: block }</style>";
    let index = format!("{css}<h1>Shop</h1><ul><li><a href=all.html>Kitchen</a><ul><li><a href=mugs.html>Mugs</a></ul></ul>");
    let site = Site::with(&[("index.html", &index), ("mugs.html", "<h1>All mugs</h1>"), ("all.html", "<h1>Kitchen things</h1>")]);
    let (output, report) = site.run("Open Mugs", &["--expect-text", "All mugs"]);
    assert_eq!(output.status.code(), Some(0), "{report}");
}
