//! Where the registry is, and who asks.

use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

#[derive(Args, Debug)]
pub(super) struct Place {
    /// Where the registry is: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE. The variable
    /// keeps a password out of the list of processes
    #[arg(long, value_name = "URL", global = true)]
    #[arg(env = "AFORO_REGISTRY", hide_env_values = true)]
    pub(super) registry: Option<Address>,

    /// The aforo file: names the registry, and has the plans, teams and policies
    #[arg(long, global = true)]
    pub(super) file: Option<PathBuf>,

    /// Who is written into the audit trail; the user of the operating system if left out
    #[arg(long, value_name = "NAME", global = true)]
    pub(super) by: Option<String>,
}

/// An address, which may hold a password.
#[derive(Clone)]
pub(super) struct Address(pub(super) String);

impl FromStr for Address {
    // What is wrong with it is said later, without the address.
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(..)")
    }
}
