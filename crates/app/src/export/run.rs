//! From a request to files.

use std::{
    io::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

use tabiya_dataset::WholeFile;
use tabiya_store::Store;

use super::{
    ExportError, ExportFormat, ExportReport, ExportRequest, Limits, Subject, app_tree, csv,
    files::Directory,
    index::{ExportedFile, Index},
    pgn, polyglot,
    reach::Reach,
    repertoire,
    request::Target,
    rows::Selection,
    tables,
};
use crate::explore::{Catalogue, View};
use crate::{AppError, database, interrupt};

/// How an export gets on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportEvent<'a> {
    /// The knowledge base is being read.
    Loading,
    /// So many files are to be written.
    Writing { files: usize },
    /// One of them is.
    Written { name: &'a str },
}

/// Told about each event.
pub type ExportWatcher = Arc<dyn Fn(ExportEvent<'_>) + Send + Sync>;

/// Writes an export. It is there whole or, after an error or a wish to stop, not at all: then whatever stood in its place
/// stands there still.
pub async fn export(request: &ExportRequest, watcher: Option<ExportWatcher>) -> Result<ExportReport, AppError> {
    let place = Place::open(request)?;
    tell(&watcher, ExportEvent::Loading);
    let material = tokio::select! {
        material = Material::load(request) => material?,
        () = interrupt::asked(&request.stop) => return Err(AppError::Interrupted),
    };
    let request = request.clone();
    let written = tokio::task::spawn_blocking(move || material.write(&request, place, &watcher));
    match written.await {
        Ok(report) => report,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only a runtime that is going down cancels work that has begun.
            Err(_) => Err(AppError::Interrupted),
        },
    }
}

fn tell(watcher: &Option<ExportWatcher>, event: ExportEvent<'_>) {
    if let Some(told) = watcher {
        told(event);
    }
}

/// Where the files go, held from the beginning: what cannot be written is found out before anything is read.
enum Place {
    File(WholeFile),
    Directory(Directory),
}

impl Place {
    fn open(request: &ExportRequest) -> Result<Place, ExportError> {
        Ok(match request.target()? {
            Target::File(path) => Place::File(WholeFile::create(&path)?),
            Target::Directory(path) => Place::Directory(Directory::open(&path, request.format.as_str())?),
        })
    }
}

/// What is exported.
struct Material {
    catalogue: Catalogue,
    view: View,
}

impl Material {
    async fn load(request: &ExportRequest) -> Result<Material, AppError> {
        let store = database::open(&request.database).await?;
        let catalogue = Catalogue::load(&store).await?;
        catalogue.check_collection(request.collection.as_deref())?;
        let view = View::new(store.knowledge_graph(request.collection.as_deref()).await?);
        let view = match &request.repertoire {
            Some(name) => {
                let moves = store.repertoire_graph(name.owner.as_deref(), &name.label).await?;
                if moves.is_empty() {
                    return Err(no_repertoire(&store, name).await?);
                }
                View::new(repertoire::graph(moves, &view))
            }
            None if catalogue.openings().is_empty() => return Err(AppError::NoOpenings),
            None => view,
        };
        store.close().await;
        Ok(Material { catalogue, view })
    }

    /// What there is a file for, by name.
    fn subjects(&self, request: &ExportRequest) -> Result<Vec<Subject<'_>>, ExportError> {
        if let Some(name) = &request.repertoire {
            return Ok(repertoire::subjects(&self.view, &name.label));
        }
        let asked = self.catalogue.families().filter(|family| {
            let mut openings = self.catalogue.openings_of(family);
            openings.any(|view| request.eco.contains(&view.opening.eco))
        });
        let subjects: Vec<Subject<'_>> = asked
            .filter_map(|family| Subject::of_family(&self.view, &self.catalogue, family))
            .collect();
        match subjects.is_empty() {
            true => Err(self.nothing(request)),
            false => Ok(subjects),
        }
    }

    fn nothing(&self, request: &ExportRequest) -> ExportError {
        let mut codes: Vec<&str> = (self.catalogue.openings().iter())
            .map(|view| view.opening.eco.as_str())
            .collect();
        codes.dedup();
        ExportError::Nothing {
            what: format!("{}: the database has no opening with such a code", request.eco),
            hint: match (codes.first(), codes.last()) {
                (Some(first), Some(last)) => format!(
                    "it has {} codes from {first} to {last}; `tabiya build eco` enters all that have a name",
                    codes.len()
                ),
                _ => "run `tabiya build eco` first".to_owned(),
            },
        }
    }

    fn write(
        &self,
        request: &ExportRequest,
        place: Place,
        watcher: &Option<ExportWatcher>,
    ) -> Result<ExportReport, AppError> {
        let work = Work {
            material: self,
            request,
            limits: limits(request, matches!(place, Place::File(_))),
            watcher,
        };
        let files = match (request.format.is_by_opening(), place) {
            (true, Place::Directory(directory)) => work.openings(directory)?,
            (true, Place::File(file)) => work.one_file(file)?,
            (false, Place::Directory(directory)) => work.tables(directory)?,
            (false, Place::File(file)) => work.csv(file)?,
        };
        Ok(ExportReport {
            format: request.format,
            output: request.output.clone(),
            max_depth: work.limits.max_depth,
            entries: files.iter().map(|file| file.entries).sum(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            cut: files.iter().filter(|file| file.depth_cut).count() as u64,
            files,
        })
    }
}

async fn no_repertoire(store: &Store, name: &super::RepertoireName) -> Result<AppError, AppError> {
    let known = store.repertoires().await?.into_iter();
    Ok(AppError::NoRepertoire {
        label: name.label.clone(),
        owner: name.owner.clone(),
        known: known
            .map(|known| format!("{:?} of {:?}", known.repertoire_key, known.owner))
            .collect(),
    })
}

/// Openings lie within each other, so each that is written by itself is cut to what an app bundles unless somebody says otherwise.
/// One book of all, a table and a repertoire are whole.
fn limits(request: &ExportRequest, is_file: bool) -> Limits {
    let bundled = request.format.is_by_opening() && request.repertoire.is_none();
    let is_whole = is_file && request.format == ExportFormat::Polyglot;
    Limits {
        max_depth: match request.max_depth {
            None if bundled && !is_whole => Limits::BUNDLE.max_depth,
            asked => asked,
        },
        min_games: request.min_games,
        ..Limits::BUNDLE
    }
}

struct Work<'a> {
    material: &'a Material,
    request: &'a ExportRequest,
    limits: Limits,
    watcher: &'a Option<ExportWatcher>,
}

impl<'a> Work<'a> {
    fn go_on(&self) -> Result<(), AppError> {
        interrupt::go_on(&self.request.stop)
    }

    fn selection(&self) -> Selection<'a> {
        Selection {
            view: &self.material.view,
            catalogue: &self.material.catalogue,
            eco: self.request.eco,
            limits: self.limits,
        }
    }

    /// One file for each opening.
    fn openings(&self, directory: Directory) -> Result<Vec<ExportedFile>, AppError> {
        let subjects = self.material.subjects(self.request)?;
        let names: Vec<String> = subjects
            .iter()
            .map(|subject| format!("{}.{}", subject.id, self.request.format.extension()))
            .collect();
        directory.claim(names.iter().map(String::as_str))?;
        let jobs: Vec<(&Subject<'a>, &String)> = subjects.iter().zip(&names).collect();
        tell(self.watcher, ExportEvent::Writing { files: jobs.len() });
        let files = on_threads(self.request.threads.get(), &jobs, |(subject, name)| {
            self.go_on()?;
            let (content, mut file) = self.opening(subject)?;
            directory.write(name, &content)?;
            file.file.clone_from(name);
            tell(self.watcher, ExportEvent::Written { name: &subject.name });
            Ok(file)
        })?;
        self.commit(directory, files)
    }

    /// All openings in one file.
    fn one_file(&self, mut file: WholeFile) -> Result<Vec<ExportedFile>, AppError> {
        let subjects = self.material.subjects(self.request)?;
        tell(self.watcher, ExportEvent::Writing { files: subjects.len() });
        let name = file_name(&self.request.output);
        let mut written = match (&*subjects, self.request.format) {
            (_, ExportFormat::Polyglot) => {
                let view = &self.material.view;
                let mut marks = polyglot::Marks::none(view);
                let reach = Reach::of(view, &subjects, &self.limits);
                marks.add(&reach);
                let threads = self.request.threads.get();
                let book = polyglot::whole_book(view, &marks, threads, &self.request.stop)?.into_bytes();
                put(&mut file, &book)?;
                ExportedFile {
                    entries: book.len() as u64 / 16,
                    ..ExportedFile::default()
                }
            }
            ([subject], _) => {
                let (content, about) = self.opening(subject)?;
                put(&mut file, &content)?;
                about
            }
            (_, ExportFormat::Pgn) => {
                let games = on_threads(self.request.threads.get(), &subjects, |subject| {
                    self.go_on()?;
                    let game = self.opening(subject)?;
                    tell(self.watcher, ExportEvent::Written { name: &subject.name });
                    Ok(game)
                })?;
                let mut entries = 0;
                for (number, (game, about)) in games.iter().enumerate() {
                    if number > 0 {
                        put(&mut file, b"\n")?;
                    }
                    put(&mut file, game)?;
                    entries += about.entries;
                }
                ExportedFile {
                    entries,
                    ..ExportedFile::default()
                }
            }
            _ => {
                return Err(ExportError::OneFile {
                    path: self.request.output.clone(),
                    subjects: subjects.len(),
                }
                .into());
            }
        };
        self.go_on()?;
        written.bytes = file.commit().map_err(ExportError::from)?;
        written.file = name;
        Ok(vec![written])
    }

    /// An opening's file, and what is in it.
    fn opening(&self, subject: &Subject<'a>) -> Result<(Vec<u8>, ExportedFile), AppError> {
        let Material { view, catalogue } = self.material;
        let mut about = ExportedFile {
            id: Some(subject.id.clone()),
            name: Some(subject.name.clone()),
            eco: Some(subject.eco.clone()).filter(|eco| !eco.is_empty()),
            color: Some(subject.color.fold_wb("white", "black").to_owned()),
            difficulty: Some(subject.difficulty.as_str().to_owned()),
            ..ExportedFile::default()
        };
        let content = match self.request.format {
            ExportFormat::Json => {
                let tree = app_tree(view, catalogue, subject, &self.limits);
                (about.entries, about.depth, about.depth_cut) = (tree.nodes, Some(tree.depth), tree.cut);
                tree.json
            }
            format => {
                let reach = Reach::of(view, std::slice::from_ref(subject), &self.limits);
                about.depth = Some(reach.depth);
                if format == ExportFormat::Pgn {
                    about.entries = reach.steps.len() as u64;
                    pgn::game(view, catalogue, subject, &reach)?.into_bytes()
                } else {
                    let mut marks = polyglot::Marks::none(view);
                    marks.add(&reach);
                    let book = polyglot::book(view, &marks, reach.parents(), &self.request.stop)?;
                    let bytes = book.into_bytes();
                    about.entries = bytes.len() as u64 / 16;
                    bytes
                }
            }
        };
        about.bytes = content.len() as u64;
        Ok((content, about))
    }

    fn tables(&self, directory: Directory) -> Result<Vec<ExportedFile>, AppError> {
        let selection = self.selection();
        self.check_selection(selection)?;
        let extension = self.request.format.extension();
        let names: Vec<String> = tables::TABLES
            .iter()
            .map(|table| format!("{table}.{extension}"))
            .collect();
        directory.claim(names.iter().map(String::as_str))?;
        tell(self.watcher, ExportEvent::Writing { files: names.len() });
        let jobs: Vec<(&str, &String)> = tables::TABLES.into_iter().zip(&names).collect();
        let files = on_threads(self.request.threads.get(), &jobs, |(table, name)| {
            let summary = tables::write(table, &directory.waiting(name), selection, &self.request.stop)?;
            tell(self.watcher, ExportEvent::Written { name });
            Ok(ExportedFile {
                file: (*name).clone(),
                entries: summary.rows,
                bytes: summary.bytes,
                ..ExportedFile::default()
            })
        })?;
        self.commit(directory, files)
    }

    fn csv(&self, mut file: WholeFile) -> Result<Vec<ExportedFile>, AppError> {
        self.check_selection(self.selection())?;
        tell(self.watcher, ExportEvent::Writing { files: 1 });
        let entries = csv::table(&mut file, self.selection(), &self.request.stop)?;
        Ok(vec![ExportedFile {
            file: file_name(&self.request.output),
            entries,
            bytes: file.commit().map_err(ExportError::from)?,
            ..ExportedFile::default()
        }])
    }

    fn check_selection(&self, selection: Selection<'_>) -> Result<(), ExportError> {
        let is_empty = |selection: Selection<'_>| selection.nodes().next().is_none();
        match selection.nodes().next() {
            Some(_) => Ok(()),
            // Were it not for the other limits, it would be empty too: then it is the codes.
            None if is_empty(Selection {
                limits: Limits {
                    max_depth: None,
                    min_games: 0,
                    ..selection.limits
                },
                ..selection
            }) =>
            {
                Err(self.material.nothing(self.request))
            }
            None => Err(ExportError::Nothing {
                what: "no position is left: too much was asked of it".to_owned(),
                hint: "ask for less with --eco, --min-games and --max-depth".to_owned(),
            }),
        }
    }

    /// The last chance to stop, then everything takes its place.
    fn commit(&self, directory: Directory, files: Vec<ExportedFile>) -> Result<Vec<ExportedFile>, AppError> {
        self.go_on()?;
        let request = self.request;
        let index = Index {
            collection: request.collection.clone(),
            repertoire: request.repertoire.as_ref().map(|name| name.label.clone()),
            eco: request.repertoire.is_none().then(|| request.eco.to_string()),
            max_depth: self.limits.max_depth,
            min_games: request.min_games,
            files,
            ..Index::new(request.format.as_str())
        };
        directory.commit(&index)?;
        Ok(index.files)
    }
}

fn put(file: &mut WholeFile, content: &[u8]) -> Result<(), ExportError> {
    let written = file.write_all(content);
    written.map_err(ExportError::io("write", file.path()))
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Does all jobs on several threads, each taking the next that is left. The results come in the order of the jobs; of errors
/// the first that happened.
fn on_threads<J: Sync, T: Send>(
    threads: usize,
    jobs: &[J],
    work: impl Fn(&J) -> Result<T, AppError> + Sync,
) -> Result<Vec<T>, AppError> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(jobs.len()));
    let failed: Mutex<Option<AppError>> = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()).max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    match work(job) {
                        Ok(result) => done
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .push((number, result)),
                        Err(error) => {
                            failed
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .get_or_insert(error);
                            // The others find nothing left to do.
                            next.store(jobs.len(), Relaxed);
                        }
                    }
                }
            });
        }
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}
