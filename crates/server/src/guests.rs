//! Who is one client, how many there may be of something, and how many of them one client may have.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ConnectInfo;
use axum::http::Extensions;

/// What all addresses of one client have in common. Every line of IPv6 has a whole /64, from which a single machine takes as many
/// addresses as it likes; IPv4 is the same whether or not it comes to a socket of IPv6.
pub(crate) fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address => address,
    }
}

/// Who sent a request; nobody where it was made in this process.
pub(crate) fn client(extensions: &Extensions) -> Option<IpAddr> {
    let from = extensions.get::<ConnectInfo<SocketAddr>>();
    from.map(|ConnectInfo(address)| client_of(address.ip()))
}

/// How many there are, and whose.
#[derive(Debug)]
pub(crate) struct Guests {
    all: usize,
    of_one: usize,
    /// By client.
    present: Mutex<HashMap<IpAddr, usize>>,
}

/// One of them; it gives its place back when it is over.
#[derive(Debug)]
pub(crate) struct Guest {
    guests: Arc<Guests>,
    client: IpAddr,
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

    pub(crate) fn admit(guests: &Arc<Guests>, client: IpAddr) -> Option<Guest> {
        let mut present = guests.present();
        // A few thousand numbers at the most, and only when somebody comes.
        let all: usize = present.values().sum();
        let own = present.entry(client).or_default();
        let is_welcome = all < guests.all && *own < guests.of_one;
        match is_welcome {
            true => *own += 1,
            false if *own == 0 => drop(present.remove(&client)),
            false => {}
        }
        drop(present);
        is_welcome.then(|| Guest {
            guests: Arc::clone(guests),
            client,
        })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut present = self.guests.present();
        if let Some(own) = present.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                present.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_one_address_or_one_line() {
        let same = |one: &str, other: &str| {
            let client = |address: &str| client_of(address.parse().expect("an address"));
            client(one) == client(other)
        };
        assert!(same("192.0.2.1", "192.0.2.1"));
        assert!(!same("192.0.2.1", "192.0.2.2"));
        assert!(same("::ffff:192.0.2.1", "192.0.2.1"));
        assert!(!same("::ffff:192.0.2.1", "::ffff:192.0.2.2"));
        assert!(same("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert!(!same("2001:db8:1:2::1", "2001:db8:1:3::1"));
        assert!(!same("::1", "127.0.0.1"));
    }

    #[test]
    fn a_line_has_no_more_than_its_part() {
        let guests = Arc::new(Guests::new(3, 2));
        let come = |address: &str| Guests::admit(&guests, client_of(address.parse().expect("an address")));
        let first = come("2001:db8::1");
        let second = come("2001:db8::2");
        assert!(first.is_some() && second.is_some());
        assert!(come("2001:db8::3").is_none());
        let other = come("192.0.2.1");
        assert!(other.is_some());
        assert!(come("192.0.2.2").is_none(), "there is no room for anybody");
        drop(first);
        assert!(come("2001:db8::3").is_some());
    }
}
