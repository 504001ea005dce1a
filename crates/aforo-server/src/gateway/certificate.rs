//! What a client's certificate names.

use std::borrow::Cow;

use aforo::core::Timestamp;
use aforo::identity::ClientCertificate;
use aforo_policy::CertificateName;
use rustls_pki_types::CertificateDer;
use tracing::debug;
use webpki::EndEntityCert;

use super::der;

/// What a certificate that was verified names: its consumer when there is exactly one such name.
pub(super) fn of(certificate: &CertificateDer<'_>, by: CertificateName) -> ClientCertificate {
    let ends = der::not_after(certificate);
    let (Ok(parsed), Some(ends)) = (EndEntityCert::try_from(certificate), ends) else {
        debug!("a client certificate cannot be read; it names nobody");
        return ClientCertificate::new(None, Timestamp::from_seconds(0));
    };
    // Valid through notAfter (RFC 5280, section 4.1.2.5).
    let ends = Timestamp::from_micros(ends.saturating_add(1).saturating_mul(1_000_000));
    let names = names(&parsed, by);
    ClientCertificate::new(only(names).as_deref(), ends)
}

/// Its names of one kind.
fn names<'c>(certificate: &'c EndEntityCert<'_>, by: CertificateName) -> Vec<Cow<'c, str>> {
    match by {
        CertificateName::SanUri => certificate.valid_uri_names().map(Cow::Borrowed).collect(),
        CertificateName::SanDns => certificate
            .valid_dns_names()
            .map(|name| Cow::Owned(name.to_ascii_lowercase()))
            .collect(),
        CertificateName::CommonName => der::common_names(certificate.subject())
            .into_iter()
            .map(Cow::Borrowed)
            .collect(),
    }
}

/// Of several names none is the consumer's, and a wildcard is several.
fn only(mut names: Vec<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    let last = names.pop();
    last.filter(|name| names.is_empty() && !name.starts_with("*."))
}

#[cfg(test)]
mod tests {
    use rcgen::string::Ia5String;
    use rcgen::{CertificateParams, DnType, KeyPair, SanType};

    use super::*;

    fn params() -> CertificateParams {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.not_after = rcgen::date_time_ymd(2030, 1, 1);
        params
    }

    fn uri(text: &str) -> SanType {
        SanType::URI(Ia5String::try_from(text).unwrap())
    }

    fn dns(text: &str) -> SanType {
        SanType::DnsName(Ia5String::try_from(text).unwrap())
    }

    /// Whom it names a second before and at its end.
    fn named(params: &CertificateParams, by: CertificateName) -> Option<String> {
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let named = of(certificate.der(), by);
        // 2030-01-01T00:00:00Z, as `date -u -d` says.
        let last = Timestamp::from_seconds(1_893_456_000);
        assert_eq!(named.id_at(Timestamp::from_seconds(1_893_456_001)), None);
        named.id_at(last).map(str::to_owned)
    }

    #[test]
    fn a_certificate_is_named_by_what_the_file_says() {
        let mut params = params();
        params.subject_alt_names = vec![uri("spiffe://example/Billing"), dns("Billing.example")];
        params
            .distinguished_name
            .push(DnType::CommonName, "Billing");
        let named = |by| named(&params, by);
        assert_eq!(
            named(CertificateName::SanUri).as_deref(),
            Some("spiffe://example/Billing")
        );
        assert_eq!(
            named(CertificateName::SanDns).as_deref(),
            Some("billing.example")
        );
        assert_eq!(
            named(CertificateName::CommonName).as_deref(),
            Some("Billing")
        );
    }

    #[test]
    fn one_without_the_name_or_with_two_names_nobody() {
        let mut bare = params();
        bare.distinguished_name
            .push(DnType::OrganizationName, "acme");
        let mut wild = params();
        wild.subject_alt_names = vec![dns("*.example")];
        assert_eq!(named(&wild, CertificateName::SanDns), None);
        let mut twofold = params();
        twofold.subject_alt_names =
            vec![uri("a:1"), uri("a:2"), dns("a.example"), dns("b.example")];
        for by in [
            CertificateName::SanUri,
            CertificateName::SanDns,
            CertificateName::CommonName,
        ] {
            assert_eq!(named(&bare, by), None);
            assert_eq!(named(&twofold, by), None);
        }
    }

    #[test]
    fn garbage_names_nobody() {
        let named = of(
            &CertificateDer::from(vec![0x30, 0x80]),
            CertificateName::SanUri,
        );
        assert_eq!(named.id_at(Timestamp::from_seconds(0)), None);
    }
}
