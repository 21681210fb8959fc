//! Whether a service was ever of use. One that refuses a request may take the next; one that refused all of them, whatever they
//! were, has something against the model or the account: a search gains nothing by going on.

use crate::calls::{CallError, CallErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// So many calls without one reply, and it is the service.
const PATIENCE: u32 = 3;

/// What came of the calls of one adapter.
#[derive(Debug, Default)]
pub struct Luck {
    /// Whether any reply could be read.
    served: AtomicBool,
    /// Calls that were refused or brought no reply.
    failed: AtomicU32,
}

impl Luck {
    /// A reply came that can be read.
    pub fn served(&self) {
        self.served.store(true, Ordering::Relaxed);
    }

    /// What a failed call means: the error itself, or that nothing can be had from this service.
    pub fn of(&self, error: CallError) -> CallError {
        let is_unclear = matches!(error.kind, CallErrorKind::Refused | CallErrorKind::BadReply | CallErrorKind::Filtered);
        if !is_unclear || self.served.load(Ordering::Relaxed) {
            return error;
        }
        let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
        if failed < PATIENCE {
            return error;
        }
        CallError::new(CallErrorKind::Server, format!("{} (so it went with each of its {failed} calls)", error.message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> CallError {
        CallError::new(CallErrorKind::Refused, "no")
    }

    #[test]
    fn a_service_that_never_was_of_use_halts_the_search() {
        let luck = Luck::default();
        let kinds: Vec<CallErrorKind> = (0..4).map(|_| luck.of(refused()).kind).collect();
        assert_eq!(kinds, [CallErrorKind::Refused, CallErrorKind::Refused, CallErrorKind::Server, CallErrorKind::Server]);
        assert!(luck.of(refused()).message.contains("each of its 5 calls"));
        let other = CallError::new(CallErrorKind::TooLong, "long");
        assert_eq!(luck.of(other.clone()), other, "that is about the prompt");
    }

    #[test]
    fn one_that_replied_once_is_asked_on() {
        let luck = Luck::default();
        luck.served();
        assert!((0..9).all(|_| luck.of(refused()) == refused()));
    }
}
