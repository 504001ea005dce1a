//! `[identity]`.

use super::choice::Choice;
use super::{RawJwt, RawLookup};
use crate::file::read::{List, Located, OneOrMany, Text};
use crate::file::table::{table, words};
use crate::{Anonymous, CertificateName};

table! {
    /// How callers are told apart.
    RawIdentity {
        /// The proxies that may say for whom they forward: networks such as `10.0.0.0/8`, single
        /// addresses, `loopback` or `private`. Empty or left out: the socket peer is the caller.
        optional trusted_proxies: List<Text>,
        /// Instead of `trusted_proxies`: how many proxies stand in front. Whatever peer there is
        /// gets trusted, and the entry of the forwarded header that many from the right is the
        /// caller.
        optional trusted_hops: Located<u64>,
        /// The one header that names the client: `x-forwarded-for` (the default), `forwarded`
        /// (RFC 7239), or a header with a single address such as `cf-connecting-ip`.
        optional forwarded_header: Text,
        /// IPv6 addresses are cut to this many bits, since one host owns that many addresses.
        /// Default: 64.
        optional ipv6_prefix: Located<u64>,
        /// Where API keys are read: one header or a list, tried in order. Default: the header
        /// `x-api-key`.
        optional api_key: OneOrMany<RawCredentialSource>,
        /// A header with a consumer's id, set by a trusted proxy that authenticated the caller.
        optional verified_header: Text,
        /// What of a verified client certificate is the consumer's id; `client_ca` in `[gateway]`
        /// says whose certificates are verified.
        optional client_certificate: Choice<CertificateName>,
        /// The plan of a verified consumer that has none of its own.
        optional default_plan: Text,
        /// What a caller without a verified credential is.
        optional anonymous: Choice<Anonymous>,
        /// Tokens that name a consumer.
        optional jwt: RawJwt,
        /// The database of consumers and their API keys, beside those of this file: `sqlite:PATH` or
        /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. `aforo consumer` fills it.
        optional registry: Text,
        /// An endpoint that says whose an API key is, for keys that are not in this file.
        optional lookup: RawLookup,
    }
}

table! {
    /// A header in which an API key is read.
    RawCredentialSource {
        /// The header, such as `x-api-key` or `authorization`.
        required header: Text,
        /// The scheme before the key, such as `Bearer`.
        optional scheme: Text,
    }
}

words!(CertificateName {
    "san-uri" => Self::SanUri, "Its only subject alternative name that is a URI, such as a SPIFFE id.";
    "san-dns" => Self::SanDns, "Its only subject alternative name that is a DNS name, in lower case.";
    "common-name" => Self::CommonName, "The only common name of its subject.";
});

words!(Anonymous {
    "plan" => Self::Plan, "It has the plan `anonymous`. The default.";
    "deny" => Self::Deny, "It gets 401.";
});
