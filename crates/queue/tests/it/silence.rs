//! A line that is cut without a word, as by a firewall or a machine that vanished: nothing is refused, nothing is closed, and
//! nothing ever comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tabiya_queue::{Queue, QueueOptions, QueueUrl, WorkerOptions};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::fixture::{Kind, Place, Seen, eventually, job, options};

/// Stands between a worker and its server.
struct Line {
    port: u16,
    /// Connections up to this one are dead.
    dead: watch::Sender<usize>,
    opened: Arc<AtomicUsize>,
}

impl Line {
    async fn to(server: String) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (dead, _) = watch::channel(0);
        let opened = Arc::new(AtomicUsize::new(0));
        let (deaths, count) = (dead.clone(), Arc::clone(&opened));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                let far = TcpStream::connect(&server).await.unwrap();
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(carry(near_in, far_out, number, deaths.subscribe()));
                tokio::spawn(carry(far_in, near_out, number, deaths.subscribe()));
            }
        });
        Line { port, dead, opened }
    }

    /// From now on nothing gets through what is connected now. What connects later is fine.
    fn fall_silent(&self) -> usize {
        let opened = self.opened.load(Ordering::SeqCst);
        self.dead.send_replace(opened);
        opened
    }
}

async fn carry(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, number: usize, mut dead: watch::Receiver<usize>) {
    let mut buffer = vec![0; 8_192];
    loop {
        tokio::select! {
            biased;
            () = async { drop(dead.wait_for(|dead| *dead >= number).await) } => break,
            read = from.read(&mut buffer) => match read {
                Ok(0) | Err(_) => return,
                Ok(n) => if to.write_all(&buffer[..n]).await.is_err() { return },
            },
        }
    }
    // Both ends stay open.
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_line_that_falls_silent_is_given_up() {
    // A question may take two seconds: machines that run tests are busy, and slow is not silent.
    let options = || QueueOptions {
        lost_after: Duration::from_secs(4),
        ..options()
    };
    for kind in [Kind::Postgres, Kind::Redis] {
        eprintln!("on {kind:?}");
        let place = Place::new(kind).await;
        let queue = place.open(options()).await;
        queue.push((0..200).map(|i| job(&format!("{i}"), 1))).await.unwrap();

        let (_, address) = place.text.split_once("://").unwrap();
        let address = address.rsplit('@').next().unwrap().split('/').next().unwrap();
        let line = Line::to(address.to_owned()).await;
        let through: QueueUrl = place
            .text
            .replace(address, &format!("127.0.0.1:{}", line.port))
            .parse()
            .unwrap();
        let distant: Queue<Vec<u64>> = Queue::open(&through, place.name(), options()).await.unwrap();

        let stop = CancellationToken::new();
        let seen = Seen::default();
        let worker = WorkerOptions {
            concurrency: 3,
            ..WorkerOptions::named("distant")
        };
        let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
            let seen = seen.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                seen.add(job.key);
                Ok(1)
            }
        };
        let drama = async {
            for round in 1..=3 {
                eventually("work goes on", || async { seen.all().len() >= round * 40 }).await;
                let cut = line.fall_silent();
                assert!(cut >= round, "{kind:?}: it has connected again");
            }
            eventually("everything is done", || async {
                queue.status().await.unwrap().done == 200
            })
            .await;
            stop.cancel();
        };
        let (worked, ()) = tokio::join!(distant.work(worker, handler, stop.clone()), drama);
        let worked = worked.unwrap();
        assert_eq!(worked.failed, 0, "{kind:?}: {worked:?}");
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.running, status.failed), (0, 0, 0), "{kind:?}");
    }
}
