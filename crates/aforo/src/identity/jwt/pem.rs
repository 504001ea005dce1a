//! Public keys in PEM (`BEGIN PUBLIC KEY`, RFC 7468, section 13).

use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;

use super::key::Material;

/// The object identifiers of RSA, EC, P-256, P-384 and Ed25519 (RFC 3279, RFC 5480, RFC 8410), as
/// they are encoded.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const IDENTIFIER: u8 = 0x06;

/// All public keys of a text; those of other kinds are skipped.
pub(super) fn keys(text: &[u8]) -> Vec<Material> {
    SubjectPublicKeyInfoDer::pem_slice_iter(text)
        .filter_map(|der| material(der.ok()?.as_ref()))
        .collect()
}

/// The key of a `SubjectPublicKeyInfo` (RFC 5280, section 4.1.2.7).
fn material(der: &[u8]) -> Option<Material> {
    let (info, _) = value(der, SEQUENCE)?;
    let (algorithm, rest) = value(info, SEQUENCE)?;
    let (identifier, parameters) = value(algorithm, IDENTIFIER)?;
    let (bits, _) = value(rest, BIT_STRING)?;
    // The number of bits that are left over comes first: none.
    let [0, key @ ..] = bits else { return None };
    match identifier {
        RSA => rsa(key),
        EC => match value(parameters, IDENTIFIER)?.0 {
            P256 => Some(Material::P256(key.to_vec())),
            P384 => Some(Material::P384(key.to_vec())),
            _ => None,
        },
        ED25519 => Some(Material::Ed25519(key.to_vec())),
        _ => None,
    }
}

/// An `RSAPublicKey` (RFC 8017, appendix A.1.1).
fn rsa(der: &[u8]) -> Option<Material> {
    let (numbers, _) = value(der, SEQUENCE)?;
    let (modulus, rest) = value(numbers, INTEGER)?;
    let (exponent, _) = value(rest, INTEGER)?;
    let plain = |number: &[u8]| match number {
        [0, rest @ ..] => rest.to_vec(),
        number => number.to_vec(),
    };
    Some(Material::Rsa {
        modulus: plain(modulus),
        exponent: plain(exponent),
    })
}

/// The contents of the DER value at the start, which is of this kind, and what follows it.
fn value(der: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let [tag, first, rest @ ..] = der else {
        return None;
    };
    if *tag != kind {
        return None;
    }
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = bytes
                .iter()
                .fold(0_usize, |sum, byte| (sum << 8) | usize::from(*byte));
            (length, rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}
