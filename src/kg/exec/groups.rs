//! The process groups that run for us, so that none outlives the program.

use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The groups by the id of their leader, each with how it is asked to end.
static LIVE: LazyLock<Mutex<HashMap<u32, Arc<Notify>>>> = LazyLock::new(Mutex::default);

fn live() -> MutexGuard<'static, HashMap<u32, Arc<Notify>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process group. What is left of it is killed when this is dropped.
pub(super) struct Group(u32);

impl Group {
    /// The group whose leader has the id `leader`; `end` is told when all groups have to end.
    pub(super) fn new(leader: u32, end: Arc<Notify>) -> Self {
        live().insert(leader, end);
        Self(leader)
    }

    /// Kills every process of the group. One that is gone already is no error.
    pub(super) fn kill(&self) {
        kill(self.0);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        live().remove(&self.0);
    }
}

fn kill(leader: u32) {
    if let Some(pid) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// Ends every program that `exec:` started: asks them, waits for at most `grace`, kills the rest. Called once, before the
/// program ends, while the runtime is still there.
pub fn end_all(grace: Duration) {
    live().values().for_each(|end| end.notify_one());
    let until = Instant::now() + grace;
    while !live().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    live().keys().copied().for_each(kill);
}
