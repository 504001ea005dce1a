//! An authority of certificates, made for one test.

use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::string::Ia5String;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, SanType,
};

use crate::support::{Folder, Program};

/// An authority that issues certificates into a folder.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its own certificate.
    pub(crate) file: PathBuf,
}

/// A certificate and its key, PEM files.
pub(crate) struct Certified {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

/// What curl came back with.
#[derive(Debug)]
pub(crate) struct Told {
    /// `None`: there was no connection.
    pub(crate) status: Option<u16>,
    pub(crate) body: String,
}

impl Authority {
    pub(crate) fn new(folder: &Folder, name: &str) -> Self {
        let mut params = unnamed();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self {
            file: folder.put(&format!("{name}.pem"), &certificate.pem()),
            issuer: Issuer::new(params, key),
        }
    }

    /// Issues what `params` says.
    pub(crate) fn issue(
        &self,
        folder: &Folder,
        file: &str,
        params: &CertificateParams,
    ) -> Certified {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Certified {
            cert: folder.put(&format!("{file}-cert.pem"), &certificate.pem()),
            key: folder.put(&format!("{file}-key.pem"), &key.serialize_pem()),
        }
    }

    /// A server's own, for `gateway.example`.
    pub(crate) fn server(&self, folder: &Folder) -> Certified {
        let mut params = unnamed();
        let name = Ia5String::try_from("gateway.example").unwrap();
        params.subject_alt_names = vec![SanType::DnsName(name)];
        self.issue(folder, "server", &params)
    }

    /// Asks the program over TLS, with or without a client's certificate.
    pub(crate) fn ask(
        &self,
        program: &Program,
        client: Option<&Certified>,
        arguments: &[&str],
    ) -> Told {
        let port = program.address().port();
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--max-time", "20", "--cacert"])
            .arg(&self.file)
            .args(["--resolve", &format!("gateway.example:{port}:127.0.0.1")])
            .args(["--write-out", " %{http_code}"])
            .args(arguments);
        if let Some(Certified { cert, key }) = client {
            curl.arg("--cert").arg(cert).arg("--key").arg(key);
        }
        let output = curl
            .arg(format!("https://gateway.example:{port}/"))
            .output()
            .expect("curl is installed");
        assert_ne!(output.status.code(), Some(60), "the gateway is not trusted");
        let said = String::from_utf8(output.stdout).unwrap();
        let (body, status) = said.rsplit_once(' ').unwrap();
        let status = status.parse().unwrap();
        Told {
            status: (status != 0).then_some(status),
            body: body.to_owned(),
        }
    }
}

/// A certificate of nobody yet.
pub(crate) fn unnamed() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params
}

/// A certificate with these URIs.
pub(crate) fn of_uris(uris: &[&str]) -> CertificateParams {
    let mut params = unnamed();
    let uri = |text: &&str| SanType::URI(Ia5String::try_from(*text).unwrap());
    params.subject_alt_names = uris.iter().map(uri).collect();
    params
}

/// A path as the aforo file writes it.
pub(crate) fn quoted(path: &Path) -> String {
    format!("{path:?}")
}
