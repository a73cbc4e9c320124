//! A wire to a database that can be cut and mended.

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub(crate) struct Wire {
    is_cut: watch::Sender<bool>,
}

impl Wire {
    /// Leads to where a URL leads; gives the URL that goes this way.
    pub(crate) async fn to(url: &str) -> (Wire, String) {
        let (before, place) = match url.rsplit_once('@') {
            Some((before, place)) => (format!("{before}@"), place),
            None => {
                let (scheme, place) = url.split_once("://").expect("a URL");
                (format!("{scheme}://"), place)
            }
        };
        // Behind it may be the name of a database.
        let (there, path) = place.split_at(place.find('/').unwrap_or(place.len()));
        let there = there.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let here = listener.local_addr().expect("an address");
        let (is_cut, cut) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let (there, mut cut) = (there.clone(), cut.clone());
                tokio::spawn(async move {
                    if *cut.borrow() {
                        return;
                    }
                    let mut far = TcpStream::connect(there).await.expect("it listens");
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = cut.wait_for(|is_cut| *is_cut) => {}
                    }
                });
            }
        });
        (Wire { is_cut }, format!("{before}{here}{path}"))
    }

    /// Ends all that goes over it, and what begins later.
    pub(crate) fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    pub(crate) fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}
