//! A database that goes away in the middle, and comes back.

use serde_json::json;
use tabiya_server::ServeOptions;

use crate::kitchen::{Kind, Kitchen, address, get, read};
use crate::wire::Wire;

/// What is in memory is answered while the database is away; what is not is told to be for now.
pub(crate) async fn takes_nothing_with_it(kitchen: &Kitchen, wire: &Wire) {
    let server = kitchen.cold_server(ServeOptions::default()).await;
    let router = server.router();
    let italian = address("e4 e5 Nf3 Nc6 Bc4");
    let asked = async |uri: &str| read(get(&router, uri).await).await;
    let (status, there) = asked(&italian).await;
    assert_eq!(status.as_u16(), 200, "{there}");

    // Nothing is in memory yet.
    wire.cut();
    for uri in [italian.as_str(), "/position?play=e2e4", "/readyz"] {
        let (status, problem) = asked(uri).await;
        assert_eq!(
            (status.as_u16(), &problem["status"]),
            (503, &json!(503)),
            "{uri}: {problem}"
        );
    }
    assert_eq!(asked("/healthz").await.0.as_u16(), 200);
    wire.mend();
    assert_eq!(
        asked(&italian).await,
        (status, there.clone()),
        "it comes back by itself"
    );

    server.knowledge().reload().await.expect("a snapshot");
    wire.cut();
    for uri in [italian.as_str(), "/openings", "/opening/search?q=italian", "/stats"] {
        assert_eq!(asked(uri).await.0.as_u16(), 200, "{uri}");
    }
    assert_eq!(asked(&italian).await.1, there);
    assert_eq!(asked("/readyz").await.0.as_u16(), 503);
    assert!(server.knowledge().reload().await.is_err());
    assert_eq!(asked(&italian).await.1, there, "what was there stays");
    wire.mend();
    let (status, ready) = asked("/readyz").await;
    assert_eq!((status.as_u16(), &ready["status"]), (200, &json!("ok")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgresql_that_goes_away_takes_nothing_with_it() {
    let mut kitchen = Kitchen::new(Kind::Postgres).await;
    let (wire, url) = Wire::to(&kitchen.database).await;
    kitchen.database = url;
    takes_nothing_with_it(&kitchen, &wire).await;
    // What is only in the database can be asked for too.
    let router = kitchen.server().await.router();
    let tactics = async || read(get(&router, "/tactics").await).await;
    let (status, there) = tactics().await;
    assert_eq!(status.as_u16(), 200, "{there}");
    wire.cut();
    let (status, problem) = tactics().await;
    assert_eq!(
        (status.as_u16(), &problem["code"]),
        (503, &json!("database")),
        "{problem}"
    );
    wire.mend();
    assert_eq!(tactics().await.1, there);
}
