//! Files: where the goal says upload or attach, a supplied file goes into a file field, and is then sent if there is a control for it.

use crate::fields::key_text;
use crate::goal::Clause;
use crate::lexicon::Lexicon;
use crate::page::{Effect, Entry, Op, Past, World};
use crate::plan::Rules;

/// Words that say that a file is meant.
const FILE_WORDS: [&str; 6] = ["upload", "uploads", "attach", "attaches", "file", "attachment"];

/// Whether the clause is about a file.
pub(crate) fn speaks_of_files(clause: &Clause) -> bool {
    clause.phrase.words.iter().any(|word| FILE_WORDS.contains(&word.as_str()))
}

/// Whether pressing the control sends what was attached.
fn sends(lexicon: &Lexicon, name: &crate::words::Text) -> bool {
    name.words.iter().any(|word| word == "upload") || lexicon.has(name, "submit")
}

fn took(past: &Past) -> bool {
    past.op == Op::Attach && !matches!(past.effect, Effect::Stale | Effect::Refused | Effect::Failed)
}

/// Whether this act did what a clause about a file asks; nothing when the act is of no concern to files.
pub(crate) fn sent(lexicon: &Lexicon, world: &World, earlier: &[Past], past: &Past) -> Option<bool> {
    if past.op == Op::Attach {
        let to_send = world.press.iter().any(|entry| sends(lexicon, &entry.name));
        return Some(took(past) && !to_send);
    }
    let attached = earlier.iter().any(took);
    (past.op == Op::Press && attached).then(|| sends(lexicon, &past.name))
}

impl Rules<'_> {
    /// Offers the file, or what sends it once it is there; false when there is neither.
    pub(crate) fn attach(&mut self, clause: &Clause) -> bool {
        let lexicon = self.lexicon;
        if self.world.history.get(self.progress.since..).unwrap_or_default().iter().any(took) {
            self.offer_all(Op::Press, |entry| if sends(lexicon, &entry.name) { 0.92 } else { 0.0 });
            return true;
        }
        let keys = |entry: &Entry| entry.value_key.clone().unwrap_or_default();
        let only = self.world.attach.windows(2).all(|pair| keys(&pair[0]) == keys(&pair[1]));
        self.offer_all(Op::Attach, |entry| {
            let named = key_text(&keys(entry)).words.iter().any(|word| clause.phrase.words.contains(word));
            match (named, only) {
                (true, _) => 0.93,
                (false, true) => 0.85,
                (false, false) => 0.5,
            }
        });
        !self.world.attach.is_empty()
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
