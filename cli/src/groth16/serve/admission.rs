//! Who may ask for a proof: so many at a time, and nobody once the server ends.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// A place among the open requests, given back when it is dropped.
pub type Place = OwnedSemaphorePermit;

/// Why a request is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// All places are taken.
    Busy,
    /// The server ends.
    Ending,
}

/// The places, and the order to end.
pub struct Admission {
    places: Arc<Semaphore>,
    count: usize,
    ending: watch::Sender<bool>,
}

impl Admission {
    pub fn new(count: usize) -> Self {
        Admission { places: Arc::new(Semaphore::new(count)), count, ending: watch::Sender::new(false) }
    }

    /// A place, if there is one.
    pub fn admit(&self) -> Result<Place, Full> {
        match self.is_ending() {
            true => Err(Full::Ending),
            false => Arc::clone(&self.places).try_acquire_owned().map_err(|_| Full::Busy),
        }
    }

    /// The number of places that are taken.
    pub fn taken(&self) -> usize {
        self.count.saturating_sub(self.places.available_permits())
    }

    /// Admits nobody from here on.
    pub fn end(&self) {
        self.ending.send_replace(true);
    }

    pub fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// Waits for [`end`](Self::end).
    pub async fn ended(&self) {
        // The sender lives as long as this value.
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }
}
