//! Attaching a file: only one that the operator supplied, by a permit that names its content, into a field that is still the one
//! that was offered. The browser cannot read the file before that.

use clicket_guard::outcome::{Outcome, ReadBack};
use clicket_guard::permit::FileSource;
use clicket_guard::secret::Secret;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::browser::Browser;
use crate::limits::{CALL_MS, READ_BACK_MS, READ_BACK_STEP_MS};
use crate::perform::{Acted, Held, after_input, before_input, call_failed, not_taken};
use crate::profile;
use crate::world::{ATTACHABLE, ATTACHED};

/// A file with what it holds, read once at the start.
#[derive(Clone)]
pub struct SuppliedFile {
    /// Key, name, size and digest.
    pub source: FileSource,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl std::fmt::Debug for SuppliedFile {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.source.fmt(out)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Attached {
    gone: bool,
    files: Vec<AttachedFile>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct AttachedFile {
    name: String,
    size: f64,
}

impl Browser {
    /// Hands over the files that permits may name. They stay in this process until one does.
    pub fn supply_files(&mut self, files: Vec<SuppliedFile>) {
        self.files = files;
    }

    pub(crate) async fn attach(&self, held: &Held, file: &FileSource, secrets: &[Secret]) -> Acted<Outcome> {
        let Some(supplied) = self.files.iter().find(|supplied| supplied.source == *file) else {
            return Err(Outcome::Stale { part: "file".to_owned() });
        };
        let before = self.navigations_asked(held);
        let bound = [json!(held.key), held.control.bound.clone()];
        crate::fill::accepted(self.in_document(held, ATTACHABLE, bound.clone()).await, "attaching", secrets)?;
        let field = self.file_field(&held.control.world, bound).await.map_err(|error| before_input("attaching", error))?;
        let Some(field) = field else { return Err(Outcome::Stale { part: "field".to_owned() }) };
        let path = self.stage(supplied).await?;
        let put = json!({ "objectId": field, "files": [path] });
        let call = self.connection.call::<IgnoredAny>(Some(&held.control.world.session), "DOM.setFileInputFiles", put, CALL_MS);
        match self.unless_navigating(held, before, call).await {
            Some(put) => put.map(drop).map_err(|error| call_failed("attaching", error))?,
            // A field that sends its form at once leaves nothing to read.
            None => return Ok(crate::perform::done()),
        }
        self.read_attached(held, file, before).await
    }

    async fn stage(&self, supplied: &SuppliedFile) -> Acted<String> {
        let (profile, run_as, supplied) = (self.profile().to_owned(), self.run_as, supplied.clone());
        let number = self.staged.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let staged = tokio::task::spawn_blocking(move || {
            profile::stage(&profile, number, &supplied.source.name, &supplied.content, run_as)
        });
        let failed =
            |why: String| Outcome::Failed { why: format!("the file could not be put where the browser reads it: {why}") };
        let path = staged.await.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        path.into_os_string().into_string().map_err(|_| failed("its path is no text".to_owned()))
    }

    /// A page that redraws may replace the field by a list of its own; then what became of the file can't be read here.
    async fn read_attached(&self, held: &Held, file: &FileSource, before: u64) -> Acted<Outcome> {
        let mut waited = std::time::Duration::ZERO;
        loop {
            let read =
                self.unless_navigating(held, before, self.in_document::<Attached>(held, ATTACHED, [json!(held.key)])).await;
            let Some(read) = read else { return Ok(crate::perform::done()) };
            let read = match read {
                Ok(read) => read,
                Err(crate::errors::PageError::NoDocument) => return Ok(crate::perform::done()),
                Err(error) => return Err(after_input("reading back", &error)),
            };
            #[allow(clippy::cast_precision_loss)]
            let holds = |inside: &AttachedFile| inside.name == file.name && inside.size == file.bytes as f64;
            match read.files.as_slice() {
                [only] if holds(only) => return Ok(Outcome::Done { read_back: ReadBack::Holds }),
                _ if read.gone => return Ok(crate::perform::done()),
                // Taken out by the page: many upload a file at once and empty the field.
                [] if waited >= READ_BACK_MS => return Ok(crate::perform::done()),
                _ if waited >= READ_BACK_MS => return Ok(not_taken("the field holds another file")),
                _ => {}
            }
            tokio::time::sleep(READ_BACK_STEP_MS).await;
            waited += READ_BACK_STEP_MS;
        }
    }
}
