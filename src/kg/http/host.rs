//! The one queue of a host: everything that this program asks it goes through here, whichever KG asks.

use crate::calls::Waiting;
use reqwest::Url;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// The queue of a host. Requests go in the order in which they came.
#[derive(Debug)]
pub(super) struct Host {
    slots: Semaphore,
    limits: Mutex<Limits>,
    /// When the last answer began to come.
    answered: Mutex<Option<Instant>>,
    /// When the last request began. Who holds it is the next to go.
    door: tokio::sync::Mutex<Option<Instant>>,
    /// No request goes out before this, and why: the server asked all of us to wait.
    shut: Mutex<Option<(Instant, String)>>,
    /// How many requests wait for that.
    held: AtomicUsize,
}

/// The strictest of what the services on the host were made with.
#[derive(Debug)]
struct Limits {
    parallel: usize,
    every: Duration,
    /// Slots that were given out before the limit went down: they are not given back.
    surplus: usize,
}

/// Hosts that were in use since the program began, by name and port: what one asked for outlives the graph that asked it.
static HOSTS: LazyLock<Mutex<HashMap<String, Arc<Host>>>> = LazyLock::new(Mutex::default);

/// The host is shut for longer than anybody wants to wait.
#[derive(Debug)]
pub(super) struct Shut {
    /// What it said.
    pub why: String,
    /// How long it stays shut.
    pub left: Duration,
}

/// The right to one request; given back when dropped.
pub(super) struct Slot<'a> {
    host: &'a Host,
    permit: Option<SemaphorePermit<'a>>,
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut limits = lock(&self.host.limits);
        if limits.surplus > 0 {
            limits.surplus -= 1;
            if let Some(permit) = self.permit.take() {
                permit.forget();
            }
        }
    }
}

/// Counts a request that is held back, as long as it is.
struct Held<'a>(&'a AtomicUsize);

impl<'a> Held<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Host {
    /// The queue of the host of `url`. When there is one already, the stricter limits hold from now on.
    pub fn of(url: &Url, parallel: usize, every: Duration) -> Arc<Self> {
        let parallel = parallel.clamp(1, Semaphore::MAX_PERMITS);
        // Without the scheme: http and https of one name are one machine.
        let name = format!("{}:{}", url.host_str().unwrap_or_default(), url.port().map_or_else(String::new, |port| port.to_string()));
        let mut hosts = lock(&HOSTS);
        if let Some(host) = hosts.get(&name) {
            host.tighten(parallel, every);
            return Arc::clone(host);
        }
        let host = Arc::new(Self {
            slots: Semaphore::new(parallel),
            limits: Mutex::new(Limits { parallel, every, surplus: 0 }),
            door: tokio::sync::Mutex::default(),
            answered: Mutex::default(),
            shut: Mutex::default(),
            held: AtomicUsize::new(0),
        });
        hosts.insert(name, Arc::clone(&host));
        host
    }

    fn tighten(&self, parallel: usize, every: Duration) {
        let mut limits = lock(&self.limits);
        limits.every = limits.every.max(every);
        let too_many = limits.parallel.saturating_sub(parallel);
        limits.parallel -= too_many;
        limits.surplus += too_many - self.slots.forget_permits(too_many);
    }

    /// Waits for the right to send one request: for a slot, for the server's pause to end, for a turn.
    ///
    /// # Errors
    /// [`Shut`], when the server's pause is longer than `longest`.
    pub async fn enter(&self, longest: Duration) -> Result<Slot<'_>, Shut> {
        self.shut_for(longest)?;
        // The semaphore is never closed.
        let slot = Slot { host: self, permit: self.slots.acquire().await.ok() };
        self.turn(longest).await?;
        Ok(slot)
    }

    /// Waits, with a slot in hand, for the server's pause to end and for a turn. A redirect that is followed and a login
    /// that is answered are requests as well.
    ///
    /// # Errors
    /// [`Shut`], when the server's pause is longer than `longest`.
    pub async fn turn(&self, longest: Duration) -> Result<(), Shut> {
        let mut last = self.door.lock().await;
        loop {
            if let Some(until) = self.shut_for(longest)? {
                let _held = Held::new(&self.held);
                tokio::time::sleep_until(until).await;
                continue;
            }
            let every = lock(&self.limits).every;
            let last = (*last).max(*lock(&self.answered));
            match last.and_then(|last| last.checked_add(every)).filter(|at| *at > Instant::now()) {
                Some(at) => tokio::time::sleep_until(at).await,
                None => break,
            }
        }
        *last = Some(Instant::now());
        Ok(())
    }

    /// An answer began to come. The distance to the next request is counted from here: the first one on a connection leaves
    /// long before it arrives.
    pub fn answered(&self) {
        *lock(&self.answered) = Some(Instant::now());
    }

    /// Until when the host is shut, if it is.
    fn shut_for(&self, longest: Duration) -> Result<Option<Instant>, Shut> {
        let shut = lock(&self.shut);
        let Some((until, why)) = shut.as_ref() else { return Ok(None) };
        let left = until.saturating_duration_since(Instant::now());
        if left > longest {
            return Err(Shut { why: why.clone(), left });
        }
        Ok((!left.is_zero()).then_some(*until))
    }

    /// Lets nobody in for the time of `pause`.
    pub fn hold_back(&self, pause: Duration, why: &str) {
        let Some(until) = Instant::now().checked_add(pause) else { return };
        let mut shut = lock(&self.shut);
        if shut.as_ref().is_none_or(|(known, _)| *known < until) {
            *shut = Some((until, why.to_owned()));
        }
    }

    /// What requests wait for, if any does.
    pub fn waiting(&self) -> Option<Waiting> {
        if self.held.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let shut = lock(&self.shut);
        let (until, why) = shut.as_ref().filter(|(until, _)| *until > Instant::now())?;
        Some(Waiting { until: (*until).into_std(), why: why.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    fn host(name: &str, parallel: usize, every: u64) -> Arc<Host> {
        Host::of(&Url::parse(&format!("http://{name}.invalid/")).unwrap(), parallel, Duration::from_millis(every))
    }

    /// The slot, if it is to be had now.
    fn now(host: &Host) -> Option<Slot<'_>> {
        let mut entering = Box::pin(host.enter(Duration::from_secs(60)));
        match entering.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(slot) => Some(slot.unwrap()),
            Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn the_stricter_limit_holds_for_all() {
        let first = host("strict", 3, 0);
        let (one, two) = (now(&first).unwrap(), now(&first).unwrap());
        // One slot is free, two are out: one of those is not given back.
        let second = host("strict", 1, 0);
        assert!(Arc::ptr_eq(&first, &second));
        assert!(now(&first).is_none());
        drop(one);
        assert!(now(&second).is_none());
        drop(two);
        let last = now(&first).unwrap();
        assert!(now(&second).is_none());
        drop(last);
        // A laxer one changes nothing.
        let third = host("strict", 8, 0);
        let _only = now(&third).unwrap();
        assert!(now(&third).is_none());
    }

    #[tokio::test]
    async fn the_longer_distance_holds_for_all() {
        let quick = host("distance", 4, 0);
        drop(now(&quick).unwrap());
        drop(now(&quick).unwrap());
        let slow = host("distance", 4, 3_600_000);
        assert!(now(&quick).is_none() && now(&slow).is_none());
    }

    #[tokio::test]
    async fn waiting_is_told_as_long_as_somebody_waits() {
        let host = host("waiting", 1, 0);
        host.hold_back(Duration::from_secs(3600), "X is busy");
        assert_eq!(host.waiting(), None);
        let longest = Duration::from_secs(7200);
        let mut entering = Box::pin(host.enter(longest));
        assert!(entering.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert_eq!(host.waiting().unwrap().why, "X is busy");
        drop(entering);
        assert_eq!(host.waiting(), None);
        // The slot came back, and who does not want to wait so long is told at once.
        let shut = host.enter(Duration::from_secs(60)).await.err().unwrap();
        assert!(shut.why == "X is busy" && shut.left > Duration::from_secs(3500));
    }

    #[tokio::test]
    async fn a_shorter_wait_does_not_shorten_a_longer_one() {
        let host = host("longer", 1, 0);
        host.hold_back(Duration::from_secs(3600), "long");
        host.hold_back(Duration::from_secs(1), "short");
        host.hold_back(Duration::MAX, "for ever");
        assert_eq!(host.enter(Duration::ZERO).await.err().unwrap().why, "long");
    }
}
