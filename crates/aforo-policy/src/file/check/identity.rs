//! `[identity]`.

use super::Checker;
use super::network::networks;
use crate::file::raw::{RawCredentialSource, RawIdentity};
use crate::file::read::Text;
use crate::{
    CertificateName, CredentialSource, ForwardedHeader, Identity, ProxyTrust, StoreKind, StoreUrl,
};

impl Checker<'_> {
    pub(super) fn identity(&mut self) -> Identity {
        let default = Identity::default();
        let Some(raw) = self.file.identity.get() else {
            return default;
        };
        let trust = self.trust(raw);
        let forwarded_header = self.forwarded_header(raw);
        let verified_header = raw.verified_header.get().and_then(|text| self.header(text));
        let api_key = self.api_key(raw).unwrap_or(default.api_key);
        self.check_trust(raw, &trust, &forwarded_header);
        if let (Some(header), Some(text)) = (&verified_header, raw.verified_header.get()) {
            let forwarded = text
                .value
                .eq_ignore_ascii_case(header_name(&forwarded_header));
            if forwarded || api_key.iter().any(|source| source.header == *header) {
                self.findings
                    .add(
                        text.at,
                        format!("`{}` is read for something else", text.written),
                    )
                    .help("a consumer's id needs a header of its own");
            }
        }
        Identity {
            trust,
            forwarded_header,
            ipv6_prefix: self
                .count(&raw.ipv6_prefix, 128)
                .unwrap_or(default.ipv6_prefix),
            api_key,
            verified_header,
            client_certificate: self.client_certificate(raw),
            default_plan: super::text(&raw.default_plan),
            anonymous: raw
                .anonymous
                .get()
                .map_or(default.anonymous, |choice| choice.value),
            jwt: self.jwt(&raw.jwt),
            registry: self.registry(raw),
            lookups: self.lookups(&raw.lookup),
        }
    }

    /// What names the consumer of a certificate, which the gateway has to ask for.
    fn client_certificate(&mut self, raw: &RawIdentity) -> Option<CertificateName> {
        let choice = raw.client_certificate.get()?;
        let gateway = self.file.gateway.get();
        let asked = gateway.is_some_and(|gateway| {
            gateway.tls.is_wrong()
                || gateway
                    .tls
                    .get()
                    .is_some_and(|tls| !tls.client_ca.is_absent())
        });
        if !asked {
            self.findings
                .add(choice.at, "no client is asked for a certificate")
                .help("name the authorities as client_ca in the tls of [gateway]");
        }
        Some(choice.value)
    }

    /// The address of the registry.
    fn registry(&mut self, raw: &RawIdentity) -> Option<StoreUrl> {
        let text = raw.registry.get()?;
        let endpoint = raw.lookup.get().and_then(|lookup| lookup.url.get());
        if let Some(endpoint) = endpoint {
            self.findings
                .add(text.at, "both a `registry` and the `url` of a `lookup`")
                .also(endpoint.at, "the `url` is here")
                .help("API keys that are not in this file are looked up in one place");
        }
        let url = self.store_url(text)?;
        let in_file = url.kind() == StoreKind::Sqlite && url.as_str() != "sqlite::memory:";
        if !in_file && url.kind() != StoreKind::Postgres {
            self.findings
                .add(text.at, "the registry is not in an SQL database")
                .expected("sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE");
            return None;
        }
        Some(url)
    }

    fn trust(&mut self, raw: &RawIdentity) -> ProxyTrust {
        if let (Some(proxies), Some(hops)) = (raw.trusted_proxies.get(), raw.trusted_hops.get()) {
            self.findings
                .add(hops.at, "both `trusted_hops` and `trusted_proxies`")
                .also(proxies.at, "`trusted_proxies` is here")
                .help("leave one of them out");
        }
        if let Some(hops) = self.count(&raw.trusted_hops, 64) {
            return ProxyTrust::Hops(hops);
        }
        let mut trusted = Vec::new();
        let proxies = raw.trusted_proxies.get();
        for text in proxies.into_iter().flat_map(|list| list.iter()) {
            match networks(text.as_str()) {
                Ok(networks) => trusted.extend(networks),
                Err(error) => {
                    let fault = self.findings.add(text.at, text.told(error.message));
                    fault.expected(
                        "a network such as 10.0.0.0/8, an address, \"loopback\" or \"private\"",
                    );
                    if let Some(help) = error.help {
                        fault.help(help);
                    }
                }
            }
        }
        ProxyTrust::Networks(trusted)
    }

    fn forwarded_header(&mut self, raw: &RawIdentity) -> ForwardedHeader {
        let Some(text) = raw.forwarded_header.get() else {
            return ForwardedHeader::default();
        };
        match self.header(text) {
            Some(name) if name == "forwarded" => ForwardedHeader::Forwarded,
            Some(name) if name != "x-forwarded-for" => ForwardedHeader::Single(name),
            _ => ForwardedHeader::XForwardedFor,
        }
    }

    /// Headers that a proxy sets mean nothing when no proxy is trusted.
    fn check_trust(
        &mut self,
        raw: &RawIdentity,
        trust: &ProxyTrust,
        forwarded_header: &ForwardedHeader,
    ) {
        let hops = raw.trusted_hops.get();
        if let (Some(hops), ForwardedHeader::Single(_)) = (hops, forwarded_header)
            && hops.value > 1
        {
            self.findings
                .add(
                    hops.at,
                    "a header with a single address has no second entry",
                )
                .expected("1");
        }
        let wrong = raw.trusted_proxies.get().is_some_and(|list| !list.empty)
            || raw.trusted_proxies.get().is_none() && !raw.trusted_proxies.is_absent();
        if *trust != ProxyTrust::Networks(Vec::new()) || wrong || hops.is_some() {
            return;
        }
        let headers = [&raw.forwarded_header, &raw.verified_header];
        for text in headers.into_iter().filter_map(|field| field.get()) {
            self.findings
                .add(
                    text.at,
                    format!("nobody is trusted to send `{}`", text.written),
                )
                .help("name the proxies in trusted_proxies, or their number in trusted_hops");
        }
    }

    fn api_key(&mut self, raw: &RawIdentity) -> Option<Vec<CredentialSource>> {
        let list = &raw.api_key.get()?.0;
        let mut sources: Vec<CredentialSource> = Vec::new();
        for raw in list.iter() {
            let Some(source) = self.credential_source(raw) else {
                continue;
            };
            if sources.contains(&source) {
                self.findings.add(raw.place, "this header is here twice");
            }
            sources.push(source);
        }
        Some(sources)
    }

    pub(super) fn credential_source(
        &mut self,
        raw: &RawCredentialSource,
    ) -> Option<CredentialSource> {
        if let Some(scheme) = raw.scheme.get() {
            let token =
                |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if scheme.value.is_empty() || !scheme.value.bytes().all(token) {
                self.findings
                    .add(scheme.at, format!("`{}` is not a scheme", scheme.written))
                    .expected("one word, such as Bearer");
            }
        }
        let header = self.header(raw.header.get()?)?;
        if header == http::header::AUTHORIZATION && raw.scheme.is_absent() {
            self.findings
                .add(raw.place, "`authorization` holds a scheme and a credential")
                .help("add the scheme: scheme = \"Bearer\"");
        }
        Some(CredentialSource {
            header,
            scheme: super::text(&raw.scheme),
        })
    }

    /// A header's name.
    fn header(&mut self, text: &Text) -> Option<http::HeaderName> {
        let name = text.as_str().parse::<http::HeaderName>().ok();
        if name.is_none() {
            self.findings
                .add(text.at, format!("`{}` is not a header", text.written))
                .expected("a header's name, such as x-api-key");
        }
        name
    }
}

fn header_name(header: &ForwardedHeader) -> &str {
    match header {
        ForwardedHeader::XForwardedFor => "x-forwarded-for",
        ForwardedHeader::Forwarded => "forwarded",
        ForwardedHeader::Single(name) => name.as_str(),
    }
}
