//! Downloads from a server that does what servers do.

use std::{io::Read as _, time::Duration};

use tabiya_chess::Variant;
use tabiya_lichess::{ArchiveError, ArchiveSite, Download, DownloadOptions};

use crate::archive_server::{ArchiveServer, Manner, content, fetch, fetch_from, hash, month, options};

/// As of networks that want to be logged in to.
const PAGE: &str = "<!doctype html><html><body><pre>[Event \"?\"]\n\n1. e4 e5 1-0\n</pre></body></html>";
/// Its first byte is one that archives may begin with.
const GAME: &str = "[Event \"?\"]\n\n1. e4 e5 1-0\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_download_may_be_cut_at_any_byte() {
    let whole = content(300);
    for cut in 0..=whole.len() {
        let manners = vec![Manner::Cut(cut), Manner::Cut(40), Manner::CutChunked(30)];
        let server = ArchiveServer::start(whole.clone(), manners, Vec::new()).await;
        let options = DownloadOptions {
            sha256: Some(hash(&whole)),
            ..options()
        };
        assert_eq!(fetch(&server, options).await.expect("whole"), whole, "cut at {cut}");
        let ranges = server.ranges();
        assert_eq!(ranges[0], None);
        if (1..whole.len()).contains(&cut) {
            assert_eq!(ranges[1].as_deref(), Some(format!("bytes={cut}-").as_str()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ignores_ranges_is_heard_out() {
    let whole = content(100_000);
    let manners = vec![Manner::Cut(70_000), Manner::IgnoreRange];
    let server = ArchiveServer::start(whole.clone(), manners, Vec::new()).await;
    assert_eq!(fetch(&server, options()).await.expect("whole"), whole);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_underneath_is_no_download() {
    let whole = content(50_000);
    let other = content(50_001);
    let mut silently = whole.clone();
    silently[10_000..].reverse();
    for change in [
        Manner::Change(other.clone(), "\"second\""),
        Manner::Change(other.clone(), "\"first\""),
        Manner::ChangeSilently(silently),
        // Shorter than what is there already.
        Manner::Change(content(10), "\"first\""),
    ] {
        let manners = vec![Manner::Cut(20_000), change.clone()];
        let server = ArchiveServer::start(whole.clone(), manners, Vec::new()).await;
        let error = fetch(&server, options()).await.expect_err("changed");
        assert!(matches!(error, ArchiveError::Changed { .. }), "{change:?}: {error}");
        assert!(error.hint().contains("--restart"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_published_hash_is_held_against_the_bytes() {
    let whole = content(5_000);
    let sums = format!(
        "{}  lichess_db_standard_rated_2024-01.pgn.zst\n{}  other\n",
        hash(&whole),
        "0".repeat(64)
    );
    let server = ArchiveServer::start(whole.clone(), Vec::new(), vec![("/standard/sha256sums.txt", sums)]).await;
    let site = ArchiveSite::new(&server.base).expect("a site");
    let archive = site.archive(Variant::Standard, month()).expect("an archive");
    let published = site.published(&archive).await.expect("an answer");
    assert_eq!(published.sha256.as_deref(), Some(hash(&whole).as_str()));
    let sound = DownloadOptions {
        sha256: published.sha256,
        ..options()
    };
    assert_eq!(fetch(&server, sound).await.expect("whole"), whole);
    let wrong = DownloadOptions {
        sha256: Some("ab".repeat(32)),
        ..options()
    };
    let error = fetch(&server, wrong).await.expect_err("another hash");
    assert!(matches!(error, ArchiveError::WrongHash { .. }), "{error}");
    // Where nothing is published, nothing is checked.
    let chess960 = site.archive(Variant::Chess960, month()).expect("an archive");
    assert_eq!(site.published(&chess960).await.expect("an answer").sha256, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_gone_on_with() {
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("sub/archive.zst");
    let whole = content(90_000);
    let trouble = vec![Manner::Cut(30_000), Manner::Trouble, Manner::Trouble, Manner::Trouble];
    let server = ArchiveServer::start(whole.clone(), trouble, Vec::new()).await;
    let keeping = || DownloadOptions {
        keep: Some(keep.clone()),
        max_tries: 3,
        sha256: Some(hash(&whole)),
        ..options()
    };
    let error = fetch(&server, keeping()).await.expect_err("in trouble");
    assert!(matches!(error, ArchiveError::GivenUp { tries: 3, .. }), "{error}");
    assert_eq!(std::fs::read(&keep).expect("a copy"), whole[..30_000]);
    assert_eq!(fetch(&server, keeping()).await.expect("whole"), whole);
    assert_eq!(
        server.ranges().last().cloned().flatten().as_deref(),
        Some("bytes=30000-")
    );
    assert_eq!(std::fs::read(&keep).expect("a copy"), whole);
    // All of it is there: nobody is asked.
    let asked = server.requests();
    assert_eq!(fetch(&server, keeping()).await.expect("whole"), whole);
    assert_eq!(server.requests(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_download_at_a_time_keeps_a_copy() {
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("archive.zst");
    let whole = content(400_000);
    let server = ArchiveServer::start(whole.clone(), Vec::new(), Vec::new()).await;
    let keeping = || DownloadOptions {
        keep: Some(keep.clone()),
        sha256: Some(hash(&whole)),
        ..options()
    };
    let site = ArchiveSite::new(&server.base).expect("a site");
    let archive = site.archive(Variant::Standard, month()).expect("an archive");
    let mut first = Download::new(&site, archive.url, keeping()).expect("a download");
    let begun = tokio::task::spawn_blocking(move || {
        let mut some = vec![0; 1_000];
        first.read_exact(&mut some).expect("bytes");
        (first, some)
    });
    let (mut first, mut bytes) = begun.await.expect("no panic");
    // Another one has all of it too, and adds nothing to the copy of the first.
    assert_eq!(fetch(&server, keeping()).await.expect("whole"), whole);
    let ended = tokio::task::spawn_blocking(move || {
        first.read_to_end(&mut bytes).expect("the rest");
        (first, bytes)
    });
    let (first, bytes) = ended.await.expect("no panic");
    assert_eq!(bytes, whole);
    assert_eq!(std::fs::read(&keep).expect("a copy"), whole);
    // A copy that is whole is there for everybody, whoever has it open.
    let asked = server.requests();
    assert_eq!(fetch(&server, keeping()).await.expect("whole"), whole);
    assert_eq!(server.requests(), asked);
    drop(first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_something_else_is_not_gone_on_with_for_ever() {
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("archive.zst");
    let (old, new) = (content(50_000), content(50_001));
    let keeping = |content: &[u8]| DownloadOptions {
        keep: Some(keep.clone()),
        max_tries: 1,
        sha256: Some(hash(content)),
        ..options()
    };
    let server = ArchiveServer::start(old.clone(), Vec::new(), Vec::new()).await;
    assert_eq!(fetch(&server, keeping(&old)).await.expect("whole"), old);
    let server = ArchiveServer::start(new.clone(), Vec::new(), Vec::new()).await;
    let error = fetch(&server, keeping(&new)).await.expect_err("the old one");
    assert!(matches!(error, ArchiveError::WrongHash { .. }), "{error}");
    assert_eq!(fetch(&server, keeping(&new)).await.expect("whole"), new);

    std::fs::remove_file(&keep).expect("removed");
    let manners = vec![
        Manner::Cut(20_000),
        Manner::Trouble,
        Manner::Change(new.clone(), "\"second\""),
    ];
    let server = ArchiveServer::start(old.clone(), manners, Vec::new()).await;
    std::fs::remove_file(directory.path().join("archive.zst.identity.json")).expect("removed");
    fetch(&server, keeping(&old)).await.expect_err("in trouble");
    fetch(&server, keeping(&old)).await.expect_err("still in trouble");
    let error = fetch(&server, keeping(&new)).await.expect_err("changed");
    assert!(matches!(error, ArchiveError::Changed { .. }), "{error}");
    assert_eq!(fetch(&server, keeping(&new)).await.expect("whole"), new);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_that_nobody_wants_ends_at_once() {
    let server = ArchiveServer::start(content(10), vec![Manner::Trouble; 50], Vec::new()).await;
    let patient = DownloadOptions {
        first_pause: Duration::from_secs(600),
        ..DownloadOptions::default()
    };
    let stop = patient.stop.clone();
    let (ended, ()) = tokio::join!(fetch(&server, patient), async {
        while server.requests() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    });
    let error = ended.expect_err("called off");
    assert!(matches!(error, ArchiveError::Cancelled), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_lies_elsewhere_is_followed_there() {
    let whole = content(50_000);
    let mirror = ArchiveServer::start(whole.clone(), vec![Manner::Cut(20_000)], Vec::new()).await;
    let there = Manner::Moved(format!("{}/mirror/2024-01.pgn.zst", mirror.base));
    let server = ArchiveServer::start(Vec::new(), vec![there; 2], Vec::new()).await;
    let options = DownloadOptions {
        sha256: Some(hash(&whole)),
        ..options()
    };
    assert_eq!(fetch(&server, options).await.expect("whole"), whole);
    // What the server redirects to may be another place the next time, so it is the server that is asked again.
    assert_eq!(server.requests(), 2);
    assert_eq!(mirror.ranges(), [None, Some("bytes=20000-".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_that_go_in_a_circle_are_not_followed_for_ever() {
    let whole = content(5_000);
    let again = Manner::Moved("/standard/lichess_db_standard_rated_2024-01.pgn.zst".to_owned());
    let server = ArchiveServer::start(whole.clone(), vec![again.clone(); 3], Vec::new()).await;
    assert_eq!(fetch(&server, options()).await.expect("the fourth answer"), whole);
    let server = ArchiveServer::start(whole, vec![again; 100], Vec::new()).await;
    let error = fetch(&server, options()).await.expect_err("a circle");
    let said = format!(
        "{}/standard/lichess_db_standard_rated_2024-01.pgn.zst: it redirects more than 3 times",
        server.base
    );
    assert!(matches!(error, ArchiveError::Refused { .. }), "{error:?}");
    assert_eq!(error.to_string(), said);
    assert_eq!(server.requests(), 4, "it is not tried again");
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_that_nobody_asked_for_are_no_part_of_the_archive() {
    let whole = content(50_000);
    for (says, sends_from, said) in [
        ("bytes 0-29999/50000", 0, "byte 0 came instead of 20000"),
        ("bytes 20001-49999/50000", 20_001, "byte 20001 came instead of 20000"),
        ("bytes 20000-59999/60000", 20_000, "its length 50000 became 60000"),
        ("the rest", 20_000, "byte 0 came instead of 20000"),
        // As is said, but for what comes.
        ("bytes 20000-49999/50000", 0, "more than its 50000 bytes came"),
    ] {
        let manners = vec![Manner::Cut(20_000), Manner::Claim(says, sends_from)];
        let server = ArchiveServer::start(whole.clone(), manners, Vec::new()).await;
        let error = fetch(&server, options()).await.expect_err(says);
        assert!(matches!(error, ArchiveError::Changed { .. }), "{says}: {error:?}");
        let told = error.to_string();
        assert!(told.starts_with(&server.base) && told.contains(said), "{says}: {told}");
    }
    // How long it is need not be said.
    let manners = vec![Manner::Cut(20_000), Manner::Claim("bytes 20000-49999/*", 20_000)];
    let server = ArchiveServer::start(whole.clone(), manners, Vec::new()).await;
    assert_eq!(fetch(&server, options()).await.expect("whole"), whole);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_an_archive_s_place_is_no_archive() {
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("archive.zst");
    let keeping = || DownloadOptions {
        keep: Some(keep.clone()),
        max_tries: 3,
        ..options()
    };
    let whole = content(50_000);
    for page in [PAGE, GAME, "(", ""] {
        let server = ArchiveServer::start(whole.clone(), vec![Manner::Page(page)], Vec::new()).await;
        let error = fetch(&server, keeping()).await.expect_err(page);
        let said = format!(
            "{}/standard/lichess_db_standard_rated_2024-01.pgn.zst: what came is no archive packed with zstd",
            server.base
        );
        assert!(matches!(error, ArchiveError::NotAnArchive { .. }), "{page}: {error:?}");
        assert_eq!(error.to_string(), said);
        assert_eq!(
            std::fs::read(&keep).expect("a copy").len(),
            if page == "(" { 1 } else { 0 }
        );
        // Nothing of it is left to be gone on with.
        assert_eq!(fetch(&server, keeping()).await.expect("whole"), whole);
        assert_eq!(std::fs::read(&keep).expect("a copy"), whole);
        std::fs::remove_file(&keep).expect("removed");
        std::fs::remove_file(directory.path().join("archive.zst.identity.json")).expect("removed");
    }
}

/// A server that is being worked on says so with a page. What came before it is not downloaded again.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_the_middle_of_an_archive_is_waited_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let keep = directory.path().join("archive.zst");
    let keeping = || DownloadOptions {
        keep: Some(keep.clone()),
        max_tries: 3,
        ..options()
    };
    let whole = content(50_000);
    let pages = |number| [vec![Manner::Cut(20_000)], vec![Manner::Page(PAGE); number]].concat();
    let server = ArchiveServer::start(whole.clone(), pages(3), Vec::new()).await;
    let error = fetch(&server, keeping()).await.expect_err("a page");
    assert!(matches!(error, ArchiveError::GivenUp { tries: 3, .. }), "{error:?}");
    assert!(error.to_string().starts_with(&server.base), "{error}");
    assert_eq!(std::fs::read(&keep).expect("a copy"), whole[..20_000]);
    // The third page comes now, and the rest behind it.
    assert_eq!(fetch(&server, keeping()).await.expect("whole"), whole);
    assert_eq!(server.ranges()[1..], vec![Some("bytes=20000-".to_owned()); 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn months_are_listed_from_the_server_s_own_list() {
    let list = "https://elsewhere.example/standard/lichess_db_standard_rated_2024-02.pgn.zst\n\
                lichess_db_standard_rated_2013-01.pgn.zst\nnonsense\n"
        .to_owned();
    let server = ArchiveServer::start(Vec::new(), Vec::new(), vec![("/standard/list.txt", list)]).await;
    let site = ArchiveSite::new(&server.base).expect("a site");
    let months: Vec<String> = site
        .list(Variant::Standard)
        .await
        .expect("a list")
        .iter()
        .map(|archive| archive.month.to_string())
        .collect();
    assert_eq!(months, ["2013-01", "2024-02"]);
    let error = site.list(Variant::Chess960).await.expect_err("no list");
    assert!(matches!(error, ArchiveError::NotFound { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_said() {
    for base in ["nonsense", "ftp://host", "http://user:secret@host"] {
        let error = ArchiveSite::new(base).expect_err(base);
        assert!(error.is_usage(), "{error}");
    }
    let nobody = ArchiveSite::new("http://127.0.0.1:1").expect("a site");
    let archive = nobody.archive(Variant::Standard, month()).expect("an archive");
    assert!(
        archive
            .url
            .path()
            .ends_with("/standard/lichess_db_standard_rated_2024-01.pgn.zst")
    );
    let options = DownloadOptions {
        max_tries: 2,
        ..options()
    };
    let error = fetch_from("http://127.0.0.1:1", options)
        .await
        .expect_err("nobody there");
    assert!(matches!(error, ArchiveError::GivenUp { .. }), "{error}");
}
