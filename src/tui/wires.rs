//! Watching the connections of a shell: which has a newer snapshot, which is gone.

use crate::runner::Snapshot;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// A connection that is to be watched, with the number that its shell gave it.
pub type Wire = (u64, watch::Receiver<Arc<Snapshot>>);

/// What is heard of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// There is a newer snapshot.
    Newer(u64),
    /// Its runner is gone.
    Gone(u64),
}

/// Watches every connection that comes, until none can come any more; each is heard of at most once in `every`. `tell` says whether
/// anybody listens still.
pub async fn watch_all(mut wires: mpsc::UnboundedReceiver<Wire>, every: Duration, tell: impl Fn(Heard) -> bool + Clone + Send + 'static) {
    while let Some((number, mut snapshots)) = wires.recv().await {
        let tell = tell.clone();
        tokio::spawn(async move {
            while snapshots.changed().await.is_ok() {
                if !tell(Heard::Newer(number)) {
                    return;
                }
                // The runner sends at most 60 a second; one message a frame is enough.
                tokio::time::sleep(every).await;
            }
            tell(Heard::Gone(number));
        });
    }
}
