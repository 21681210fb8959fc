//! The way to a service: how many requests are at it at once, and the pauses that it asks for.

use crate::calls::Waiting;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{Semaphore, SemaphorePermit};

/// A service, as `HOST:PORT`, and how many requests may be at it at once.
type Place = (String, usize);

/// The places of each service: all models of it share them.
static PLACES: LazyLock<Mutex<HashMap<Place, Arc<Semaphore>>>> = LazyLock::new(Mutex::default);

/// The gate that the requests of one model go through.
#[derive(Debug)]
pub struct Gate {
    places: Arc<Semaphore>,
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
    /// For a model of the service at `address`, which gets `parallel` requests at once.
    pub fn new(address: &reqwest::Url, parallel: usize) -> Self {
        let port = address.port_or_known_default().map_or_else(String::new, |port| port.to_string());
        let service = format!("{}:{port}", address.host_str().unwrap_or_default());
        let places = Arc::clone(lock(&PLACES).entry((service, parallel)).or_insert_with(|| Arc::new(Semaphore::new(parallel))));
        Self { places, shut: Mutex::default(), pauses: Mutex::default() }
    }

    /// Waits for a place, and until the service takes requests again.
    pub async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        loop {
            // The semaphore is never closed.
            let place = self.places.acquire().await.ok();
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
