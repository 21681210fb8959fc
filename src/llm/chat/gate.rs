//! The way to a service: how many requests are at it at once, and the pauses that it asks for.
//!
//! A service has one number of places, which all of its models share: the largest that any of them is set to. A model that is set to
//! less takes no more than that of them at once.

use crate::calls::Waiting;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The services whose models are open, as `HOST:PORT`.
static SERVICES: LazyLock<Mutex<HashMap<String, Weak<Service>>>> = LazyLock::new(Mutex::default);

/// What the models of a service share.
#[derive(Debug)]
struct Service {
    places: Semaphore,
    /// How many places there are, taken or not.
    size: Mutex<usize>,
}

impl Service {
    /// The one called `name`, with so many places at least.
    fn named(name: String, size: usize) -> Arc<Self> {
        let mut services = lock(&SERVICES);
        services.retain(|_, service| service.strong_count() > 0);
        if let Some(service) = services.get(&name).and_then(Weak::upgrade) {
            let mut known = lock(&service.size);
            service.places.add_permits(size.saturating_sub(*known));
            *known = size.max(*known);
            drop(known);
            return service;
        }
        let service = Arc::new(Self { places: Semaphore::new(size), size: Mutex::new(size) });
        services.insert(name, Arc::downgrade(&service));
        service
    }
}

/// A place at a service; free again when dropped.
#[derive(Debug)]
pub struct Place<'a> {
    _own: SemaphorePermit<'a>,
    _shared: SemaphorePermit<'a>,
}

/// The gate that the requests of one model go through.
#[derive(Debug)]
pub struct Gate {
    service: Arc<Service>,
    /// How many places this model may take.
    own: Semaphore,
    /// No request goes out before this, and why. Services count the requests of each model apart, so this is the model's.
    shut: Mutex<Option<(Instant, String)>>,
    /// The pauses that requests make now.
    pauses: Mutex<Vec<Arc<Waiting>>>,
}

/// A pause that is being made; over when dropped.
struct Pause<'a> {
    gate: &'a Gate,
    waiting: Arc<Waiting>,
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        lock(&self.gate.pauses).retain(|waiting| !Arc::ptr_eq(waiting, &self.waiting));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gate {
    /// For a model of the service at `address` that may have `parallel` requests at it at once.
    pub fn new(address: &reqwest::Url, parallel: usize) -> Self {
        let port = address.port_or_known_default().map_or_else(String::new, |port| port.to_string());
        let service = Service::named(format!("{}:{port}", address.host_str().unwrap_or_default()), parallel);
        Self { service, own: Semaphore::new(parallel), shut: Mutex::default(), pauses: Mutex::default() }
    }

    /// Waits for a place, and until the service takes requests again.
    pub async fn enter(&self) -> Option<Place<'_>> {
        loop {
            // The semaphores are never closed. The model's own comes first: who waits for that takes no place from others.
            let own = self.own.acquire().await.ok()?;
            let place = Some(Place { _own: own, _shared: self.service.places.acquire().await.ok()? });
            let shut = lock(&self.shut).clone().filter(|(until, _)| *until > Instant::now());
            let Some((until, why)) = shut else { return place };
            // Other models of the service need not wait for this one.
            drop(place);
            self.pause(until, why).await;
        }
    }

    /// Lets no request out until then: the service asked for a pause.
    pub fn shut(&self, until: Instant, why: &str) {
        let mut shut = lock(&self.shut);
        if shut.as_ref().is_none_or(|(known, _)| *known < until) {
            *shut = Some((until, why.to_owned()));
        }
    }

    /// Waits until then, for a reason that the screen shows.
    pub async fn pause(&self, until: Instant, why: String) {
        let pause = Pause { gate: self, waiting: Arc::new(Waiting { until, why }) };
        lock(&self.pauses).push(Arc::clone(&pause.waiting));
        tokio::time::sleep_until(until.into()).await;
    }

    /// The pause that is over first, if requests make any.
    pub fn waiting(&self) -> Option<Waiting> {
        lock(&self.pauses).iter().min_by_key(|waiting| waiting.until).map(|waiting| Waiting::clone(waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    fn address(port: u16) -> reqwest::Url {
        format!("http://gate.test:{port}/v1").parse().unwrap()
    }

    fn now<T>(future: impl Future<Output = T>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[tokio::test]
    async fn models_of_a_service_share_its_places() {
        let (one, other, elsewhere) = (Gate::new(&address(1), 2), Gate::new(&address(1), 2), Gate::new(&address(2), 2));
        let (_a, _b) = (one.enter().await, one.enter().await);
        assert!(now(other.enter()).is_pending());
        assert!(now(elsewhere.enter()).is_ready());
    }

    #[tokio::test]
    async fn models_that_are_set_otherwise_share_the_places_too() {
        let small = Gate::new(&address(5), 1);
        let large = Gate::new(&address(5), 3);
        let one = now(small.enter());
        assert!(one.is_ready() && now(small.enter()).is_pending(), "the small one has its own limit");
        let two = [now(large.enter()), now(large.enter())];
        assert!(two.iter().all(Poll::is_ready) && now(large.enter()).is_pending(), "three are at the service");
        drop(one);
        assert!(now(large.enter()).is_ready(), "it may take all three");
        // Whoever comes later with less or as much adds no place.
        let (same, less) = (Gate::new(&address(5), 3), Gate::new(&address(5), 2));
        let third = now(large.enter());
        assert!(third.is_ready() && now(same.enter()).is_pending() && now(less.enter()).is_pending());
        drop(two);
        assert!(now(small.enter()).is_ready() && now(less.enter()).is_ready());
    }

    #[tokio::test]
    async fn a_model_that_waits_for_its_own_limit_is_in_nobodys_way() {
        let (small, large) = (Gate::new(&address(6), 1), Gate::new(&address(6), 2));
        let _one = small.enter().await;
        let mut waiting = pin!(small.enter());
        assert!(waiting.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        assert!(now(large.enter()).is_ready());
    }

    #[tokio::test]
    async fn the_places_of_a_service_go_with_its_last_model() {
        drop(Gate::new(&address(7), 8));
        let gate = Gate::new(&address(7), 1);
        let _one = gate.enter().await;
        assert_eq!(gate.service.places.available_permits(), 0, "as set now, not as once");
    }

    #[tokio::test]
    async fn a_gate_is_shut_for_one_model_and_says_why_while_somebody_waits() {
        let (one, other) = (Gate::new(&address(3), 1), Gate::new(&address(3), 1));
        one.shut(Instant::now() + Duration::from_secs(3_600), "busy");
        one.shut(Instant::now() + Duration::from_secs(60), "a shorter pause changes nothing");
        assert_eq!(one.waiting(), None, "nobody waits");
        let mut entering = pin!(one.enter());
        assert!(entering.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let waiting = one.waiting().unwrap();
        assert!(waiting.why == "busy" && waiting.until > Instant::now() + Duration::from_secs(3_500));
        assert!(now(other.enter()).is_ready(), "its place is free meanwhile");
        assert_eq!(other.waiting(), None);
    }

    #[tokio::test]
    async fn a_pause_that_is_given_up_is_none() {
        let gate = Gate::new(&address(4), 1);
        assert!(now(gate.pause(Instant::now() + Duration::from_secs(60), "later".to_owned())).is_pending());
        assert_eq!(gate.waiting(), None);
    }
}
