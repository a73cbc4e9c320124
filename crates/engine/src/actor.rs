//! One engine as a pair: a stub to ask, and an actor that owns the process. There is nothing to lock.

use std::sync::Arc;

use shakmaty::Move;
use tabiya_chess::Analysis;
use tokio::sync::{mpsc, oneshot};

use crate::{EngineConfig, EngineError, EngineId, Fault, Search, session::Session};

type Ready = Result<EngineId, EngineError>;

/// Asks an engine. Dropping it lets the engine quit.
#[derive(Debug)]
pub(crate) struct EngineStub {
    orders: mpsc::Sender<Order>,
    ready: Option<oneshot::Receiver<Ready>>,
}

/// Owns an engine's process and does what the stub says.
#[derive(Debug)]
pub(crate) struct EngineActor {
    config: Arc<EngineConfig>,
    orders: mpsc::Receiver<Order>,
    ready: oneshot::Sender<Ready>,
}

#[derive(Debug)]
struct Order {
    search: Search,
    only: Option<Move>,
    fresh: bool,
    reply: oneshot::Sender<Result<Analysis, Fault>>,
}

/// An engine that is started when the actor runs.
pub(crate) fn channel(config: Arc<EngineConfig>) -> (EngineStub, EngineActor) {
    let (orders, incoming) = mpsc::channel(1);
    let (ready, is_ready) = oneshot::channel();
    let stub = EngineStub {
        orders,
        ready: Some(is_ready),
    };
    let actor = EngineActor {
        config,
        orders: incoming,
        ready,
    };
    (stub, actor)
}

impl EngineStub {
    /// Waits until the engine is ready; once.
    pub(crate) async fn ready(&mut self) -> Ready {
        match self.ready.take() {
            Some(ready) => ready.await.unwrap_or(Err(EngineError::CalledOff)),
            None => Err(EngineError::CalledOff),
        }
    }

    /// Thinks about one position. Dropping this calls the search off.
    pub(crate) async fn search(&self, search: &Search, only: Option<Move>, fresh: bool) -> Result<Analysis, Fault> {
        let (reply, answer) = oneshot::channel();
        let order = Order {
            search: search.clone(),
            only,
            fresh,
            reply,
        };
        self.orders.send(order).await.map_err(|_| Fault::Gone)?;
        answer.await.unwrap_or(Err(Fault::Gone))
    }
}

impl EngineActor {
    /// Runs the engine until the stub is dropped or the engine fails. The process is gone when this returns.
    pub(crate) async fn run(mut self) {
        let started = Session::start(&self.config, self.ready.closed()).await;
        let mut session = match started {
            Ok(session) => session,
            Err(err) => {
                // If nobody waits any more nobody wants to know.
                let _ = self.ready.send(Err(err));
                return;
            }
        };
        let _ = self.ready.send(Ok(session.id().clone()));
        while let Some(Order {
            search,
            only,
            fresh,
            mut reply,
        }) = self.orders.recv().await
        {
            let answer = session.search(&search, only, fresh, &self.config, reply.closed()).await;
            match answer {
                Err(fault) if !fault.leaves_engine_well() => {
                    let end = session.kill().await;
                    let fault = match fault {
                        Fault::Died(_) => Fault::Died(end),
                        fault => fault,
                    };
                    let _ = reply.send(Err(fault));
                    return;
                }
                answer => drop(reply.send(answer)),
            }
        }
        session.quit(self.config.grace).await;
    }
}
