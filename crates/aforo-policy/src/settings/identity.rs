//! Who is calling.

use ipnet::IpNet;

use super::{Jwt, Lookups, StoreUrl};

/// How a caller is identified.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Which peers may say for whom they forward.
    pub trust: ProxyTrust,
    /// The one header they say it in.
    pub forwarded_header: ForwardedHeader,
    /// The prefix IPv6 addresses are cut to.
    pub ipv6_prefix: u8,
    /// Where API keys are read, in order.
    pub api_key: Vec<CredentialSource>,
    /// A header with a consumer id, set by a trusted peer that authenticated.
    pub verified_header: Option<http::HeaderName>,
    /// What of a verified client certificate is the consumer's id.
    pub client_certificate: Option<CertificateName>,
    /// The plan of a verified consumer without one.
    pub default_plan: Option<String>,
    /// What a caller without a verified credential is.
    pub anonymous: Anonymous,
    /// Tokens that name a consumer.
    pub jwt: Option<Jwt>,
    /// The database of consumers beside those of the file.
    pub registry: Option<StoreUrl>,
    /// How API keys are looked up that are not in the file.
    pub lookups: Lookups,
}

/// Which peers may say for whom they forward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProxyTrust {
    /// Peers in these networks; none: the socket peer is the caller.
    Networks(Vec<IpNet>),
    /// Whatever peer there is; the n-th entry from the right is the caller.
    Hops(usize),
}

/// The header that names the address a proxy forwards for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`.
    #[default]
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
    /// A header with a single address.
    Single(http::HeaderName),
}

/// Where a credential is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialSource {
    /// The header.
    pub header: http::HeaderName,
    /// The scheme before the credential, compared without case.
    pub scheme: Option<String>,
}

/// What of a client certificate is its consumer's id (RFC 5280). There has to be exactly one of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateName {
    /// The subject alternative name that is a URI.
    SanUri,
    /// The subject alternative name that is a DNS name, in lower case.
    SanDns,
    /// The common name of the subject.
    CommonName,
}

/// What a caller without a verified credential is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anonymous {
    /// It has the plan `anonymous`.
    #[default]
    Plan,
    /// 401.
    Deny,
}

impl Default for Identity {
    fn default() -> Self {
        Self {
            trust: ProxyTrust::Networks(Vec::new()),
            forwarded_header: ForwardedHeader::default(),
            ipv6_prefix: 64,
            api_key: vec![CredentialSource {
                header: http::HeaderName::from_static("x-api-key"),
                scheme: None,
            }],
            verified_header: None,
            client_certificate: None,
            default_plan: None,
            anonymous: Anonymous::Plan,
            jwt: None,
            registry: None,
            lookups: Lookups::default(),
        }
    }
}
