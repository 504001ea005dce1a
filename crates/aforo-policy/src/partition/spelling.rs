//! Parts as the file writes them.

use std::fmt;

use crate::{Alternatives, Part};

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caller => f.write_str("caller"),
            Self::Consumer => f.write_str("consumer"),
            Self::Team => f.write_str("team"),
            Self::Org => f.write_str("org"),
            Self::ClientIp(None) => f.write_str("client_ip"),
            Self::ClientIp(Some(prefix)) => write!(f, "client_ip/{prefix}"),
            Self::Route => f.write_str("route"),
            Self::Method => f.write_str("method"),
            Self::Host => f.write_str("host"),
            Self::Everyone => f.write_str("everyone"),
            Self::Header(name) => write!(f, "header:{name}"),
            Self::Cookie(name) => write!(f, "cookie:{name}"),
            Self::Query(name) => write!(f, "query:{name}"),
            Self::Path(name) => write!(f, "path:{name}"),
            Self::Body(pointer) => write!(f, "body:{pointer}"),
            Self::Jwt(claim) => write!(f, "jwt:{claim}"),
            Self::Form(name) => write!(f, "form:{name}"),
            Self::Descriptor => f.write_str("descriptor"),
            Self::DescriptorEntry(key) => write!(f, "descriptor:{key}"),
        }
    }
}

impl fmt::Display for Alternatives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str(" | ")?;
            }
            write!(f, "{part}")?;
        }
        Ok(())
    }
}
