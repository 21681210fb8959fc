//! Forward and reverse relations are two asks in the same breath and one request on the wire.
//!
//! The first ask of a pair begins a call for both directions and leaves a weak handle to it. The second one, for the
//! same entities in the other direction, joins the call while that is under way. Nothing is kept: a call that has
//! ended, was given up by the one who began it, or is older than [`FRESH`] is not joined.

use super::relations::Both;
use crate::calls::CallError;
use crate::graph::{Direction, EntityId};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a call can be joined after it began.
const FRESH: Duration = Duration::from_secs(1);

/// What a call for both directions comes to.
pub type Outcome = Result<Arc<Both>, CallError>;
/// A call that two asks wait for. It is cancelled when both have been given up.
pub type Call = Shared<BoxFuture<'static, Outcome>>;

struct Begun {
    entities: Vec<EntityId>,
    limit: u32,
    /// The direction that nobody has asked for yet.
    open: Direction,
    since: Instant,
    call: WeakShared<BoxFuture<'static, Outcome>>,
}

/// The calls that a second ask may join.
#[derive(Default)]
pub struct Pairs {
    begun: Mutex<Vec<Begun>>,
}

impl Pairs {
    /// The call for the relations of `entities`, and whether it was begun by another ask: `begin` makes a new one where
    /// none can be joined.
    pub fn join(
        &self,
        entities: &[EntityId],
        direction: Direction,
        limit: u32,
        begin: impl FnOnce() -> BoxFuture<'static, Outcome>,
    ) -> (Call, bool) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let under_way = |call: &Call| call.peek().is_none();
        begun.retain(|b| b.since.elapsed() < FRESH && b.call.upgrade().as_ref().is_some_and(under_way));
        let mine = begun.iter().position(|b| b.open == direction && b.limit == limit && b.entities == entities);
        if let Some(call) = mine.and_then(|at| begun.remove(at).call.upgrade()) {
            return (call, true);
        }
        let call = begin().shared();
        let open = match direction {
            Direction::Out => Direction::In,
            Direction::In => Direction::Out,
        };
        if let Some(weak) = call.downgrade() {
            begun.push(Begun { entities: entities.to_vec(), limit, open, since: Instant::now(), call: weak });
        }
        (call, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::CallErrorKind;

    fn failing() -> BoxFuture<'static, Outcome> {
        Box::pin(async { Err(CallError::new(CallErrorKind::Server, "down")) })
    }

    fn ids(id: &str) -> Vec<EntityId> {
        vec![EntityId::from(id)]
    }

    #[test]
    fn the_other_direction_joins_once() {
        let pairs = Pairs::default();
        let (first, joined) = pairs.join(&ids("Q1"), Direction::Out, 9, failing);
        assert!(!joined);
        assert!(!pairs.join(&ids("Q2"), Direction::In, 9, failing).1);
        assert!(!pairs.join(&ids("Q1"), Direction::In, 8, failing).1);
        assert!(!pairs.join(&ids("Q1"), Direction::Out, 9, failing).1);
        let (second, joined) = pairs.join(&ids("Q1"), Direction::In, 9, failing);
        assert!(joined && second.ptr_eq(&first));
        assert!(!pairs.join(&ids("Q1"), Direction::In, 9, failing).1);
    }

    #[tokio::test]
    async fn what_has_ended_or_was_given_up_is_not_joined() {
        let pairs = Pairs::default();
        let (first, _) = pairs.join(&ids("Q1"), Direction::Out, 9, failing);
        assert!(first.clone().await.is_err());
        assert!(!pairs.join(&ids("Q1"), Direction::In, 9, failing).1);
        drop(pairs.join(&ids("Q2"), Direction::Out, 9, failing));
        assert!(!pairs.join(&ids("Q2"), Direction::In, 9, failing).1);
    }
}
