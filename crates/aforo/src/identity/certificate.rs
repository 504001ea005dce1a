//! The client certificate of a connection.

use std::sync::Arc;

use aforo_core::Timestamp;

use super::credential::is_id;

/// The client certificate of the connection that a request came on, put into the request's
/// extensions by whoever verified it: the gateway, or an application that ends TLS itself. No
/// header becomes one.
///
/// ```
/// use aforo::core::Timestamp;
/// use aforo::identity::ClientCertificate;
///
/// // Whose chain, signature and dates the TLS library has checked.
/// let ends = Timestamp::from_seconds(1_900_000_000);
/// let certificate = ClientCertificate::new(Some("spiffe://example/billing"), ends);
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(certificate);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    id: Option<Arc<str>>,
    ends: Timestamp,
}

impl ClientCertificate {
    /// A certificate that was verified: the consumer's id, `None` where it names nobody, and the
    /// first instant at which it is no longer valid. An id has 1 to 256 bytes without control
    /// characters; another is nobody's.
    pub fn new(id: Option<&str>, ends: Timestamp) -> Self {
        let id = id.filter(|id| is_id(id)).map(Arc::from);
        Self { id, ends }
    }

    /// The consumer's id, while the certificate is valid: a connection may outlive it.
    pub fn id_at(&self, now: Timestamp) -> Option<&str> {
        self.id.as_deref().filter(|_| now < self.ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(43_200);

    #[test]
    fn a_certificate_names_its_consumer_until_its_end() {
        let certificate = ClientCertificate::new(Some("billing"), NOON);
        let before = Timestamp::from_micros(43_199_999_999);
        assert_eq!(certificate.id_at(before), Some("billing"));
        assert_eq!(certificate.id_at(NOON), None);
    }

    #[test]
    fn what_is_no_id_names_nobody() {
        let (long, longest) = ("x".repeat(257), "x".repeat(256));
        for odd in ["", "a\nb", "\u{7f}", &long] {
            let certificate = ClientCertificate::new(Some(odd), NOON);
            assert_eq!(certificate.id_at(Timestamp::from_seconds(0)), None);
        }
        let certificate = ClientCertificate::new(Some(&longest), NOON);
        assert!(certificate.id_at(Timestamp::from_seconds(0)).is_some());
    }
}
