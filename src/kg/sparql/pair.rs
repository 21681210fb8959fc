//! Forward and reverse relations are two asks in the same breath and one request on the wire.
//!
//! The first ask of a pair begins a call for both directions and leaves a handle to it. The second one, for the same
//! entities in the other direction, joins it, also when it has just ended: what lies between the two (a look into the cache on
//! disk) may take longer than a fast server. A call that failed, was given up by the one who began it, or is older than
//! [`FRESH`] is not joined, and each is joined once.

use super::relations::Both;
use crate::calls::CallError;
use crate::graph::{Direction, EntityId};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
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
    call: Call,
}

impl Begun {
    fn can_be_joined(&self) -> bool {
        let wanted = match self.call.peek() {
            Some(outcome) => outcome.is_ok(),
            // Ours is one handle; without another, nobody waits for it any more.
            None => self.call.strong_count().is_some_and(|handles| handles > 1),
        };
        wanted && self.since.elapsed() < FRESH
    }
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
        begun.retain(Begun::can_be_joined);
        let mine = begun.iter().position(|b| b.open == direction && b.limit == limit && b.entities == entities);
        if let Some(at) = mine {
            return (begun.remove(at).call, true);
        }
        let call = begin().shared();
        let open = match direction {
            Direction::Out => Direction::In,
            Direction::In => Direction::Out,
        };
        begun.push(Begun { entities: entities.to_vec(), limit, open, since: Instant::now(), call: call.clone() });
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
        let (second, joined) = pairs.join(&ids("Q1"), Direction::In, 9, failing);
        assert!(joined && second.ptr_eq(&first));
        assert!(!pairs.join(&ids("Q1"), Direction::In, 9, failing).1);
    }

    #[tokio::test]
    async fn a_call_that_has_just_ended_is_joined() {
        let pairs = Pairs::default();
        let good = || -> BoxFuture<'static, Outcome> {
            Box::pin(async { Ok(Arc::new(Both { halves: Default::default(), partial: false, remarks: vec![], wire: vec![] })) })
        };
        let (first, _) = pairs.join(&ids("Q1"), Direction::Out, 9, good);
        assert!(first.await.is_ok());
        assert!(pairs.join(&ids("Q1"), Direction::In, 9, good).1);
        assert!(!pairs.join(&ids("Q1"), Direction::In, 9, good).1);
    }

    #[tokio::test]
    async fn what_failed_or_was_given_up_is_not_joined() {
        let pairs = Pairs::default();
        let (first, _) = pairs.join(&ids("Q1"), Direction::Out, 9, failing);
        assert!(first.clone().await.is_err());
        assert!(!pairs.join(&ids("Q1"), Direction::In, 9, failing).1);
        drop(pairs.join(&ids("Q2"), Direction::Out, 9, failing));
        assert!(!pairs.join(&ids("Q2"), Direction::In, 9, failing).1);
    }
}
