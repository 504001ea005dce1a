//! Redis clients: `CL.THROTTLE` as redis-cell answers it, `AFORO.DECIDE`, and what clients say to
//! get there.

mod asking;
mod connection;
mod desk;
mod information;
mod question;
mod reply;
mod session;
mod throttles;
mod wire;

pub(super) use connection::serve;
pub(super) use desk::Desk;
