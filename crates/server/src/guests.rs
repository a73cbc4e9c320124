//! How many there may be of something, and how many of them one client may have.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many there are, and whose.
#[derive(Debug)]
pub(crate) struct Guests {
    all: usize,
    of_one: usize,
    present: Mutex<HashMap<IpAddr, usize>>,
}

/// One of them; it gives its place back when it is over.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    address: IpAddr,
}

impl Guests {
    pub(crate) fn new(all: usize, of_one: usize) -> Guests {
        Guests {
            all,
            of_one,
            present: Mutex::default(),
        }
    }

    fn present(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn admit(guests: &Arc<Guests>, address: IpAddr) -> Option<Guest> {
        let mut present = guests.present();
        // A few thousand numbers at the most, and only when somebody comes.
        let all: usize = present.values().sum();
        let own = present.entry(address).or_default();
        let is_welcome = all < guests.all && *own < guests.of_one;
        match is_welcome {
            true => *own += 1,
            false if *own == 0 => drop(present.remove(&address)),
            false => {}
        }
        drop(present);
        is_welcome.then(|| Guest {
            guests: Arc::clone(guests),
            address,
        })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut present = self.guests.present();
        if let Some(own) = present.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                present.remove(&self.address);
            }
        }
    }
}
