//! What a signature is checked with.

use aforo_policy::JwtAlgorithm;
use ring::hmac;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey,
};

/// A key with the algorithms that it is for: no other one is ever tried with it.
pub(super) struct Key {
    pub(super) id: Option<String>,
    pub(super) algorithms: Vec<JwtAlgorithm>,
    pub(super) material: Material,
}

/// A key's material, by what it is.
pub(super) enum Material {
    /// A secret that both sides have.
    Secret(Vec<u8>),
    /// An RSA key: modulus and exponent, big-endian.
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    /// A point of P-256, uncompressed.
    P256(Vec<u8>),
    /// A point of P-384, uncompressed.
    P384(Vec<u8>),
    /// A key of Ed25519.
    Ed25519(Vec<u8>),
}

impl Material {
    /// The algorithm of a key that says none.
    pub(super) const fn usual(&self) -> JwtAlgorithm {
        match self {
            Self::Secret(_) => JwtAlgorithm::Hs256,
            Self::Rsa { .. } => JwtAlgorithm::Rs256,
            Self::P256(_) => JwtAlgorithm::Es256,
            Self::P384(_) => JwtAlgorithm::Es384,
            Self::Ed25519(_) => JwtAlgorithm::EdDsa,
        }
    }

    /// Whether it can be for an algorithm at all.
    pub(super) const fn fits(&self, algorithm: JwtAlgorithm) -> bool {
        use JwtAlgorithm as A;
        match self {
            Self::Secret(_) => matches!(algorithm, A::Hs256 | A::Hs384 | A::Hs512),
            Self::Rsa { .. } => matches!(
                algorithm,
                A::Rs256 | A::Rs384 | A::Rs512 | A::Ps256 | A::Ps384 | A::Ps512
            ),
            Self::P256(_) => matches!(algorithm, A::Es256),
            Self::P384(_) => matches!(algorithm, A::Es384),
            Self::Ed25519(_) => matches!(algorithm, A::EdDsa),
        }
    }
}

impl Key {
    /// A key for its own algorithm, or for those of `believed` that it can be for.
    pub(super) fn new(
        id: Option<String>,
        material: Material,
        own: Option<JwtAlgorithm>,
        believed: &[JwtAlgorithm],
    ) -> Self {
        let one_of_believed = |algorithm: &JwtAlgorithm| {
            material.fits(*algorithm) && (believed.is_empty() || believed.contains(algorithm))
        };
        let algorithms = match own {
            Some(own) => vec![own],
            None if believed.is_empty() => vec![material.usual()],
            None => believed.to_vec(),
        };
        Self {
            id,
            algorithms: algorithms.into_iter().filter(one_of_believed).collect(),
            material,
        }
    }

    /// Whether the signature holds.
    pub(super) fn verifies(
        &self,
        algorithm: JwtAlgorithm,
        signed: &[u8],
        signature: &[u8],
    ) -> bool {
        if !self.algorithms.contains(&algorithm) {
            return false;
        }
        match &self.material {
            Material::Secret(secret) => {
                let hash = match algorithm {
                    JwtAlgorithm::Hs384 => hmac::HMAC_SHA384,
                    JwtAlgorithm::Hs512 => hmac::HMAC_SHA512,
                    _ => hmac::HMAC_SHA256,
                };
                hmac::verify(&hmac::Key::new(hash, secret), signed, signature).is_ok()
            }
            Material::Rsa { modulus, exponent } => {
                let key = RsaPublicKeyComponents {
                    n: modulus,
                    e: exponent,
                };
                rsa(algorithm).is_some_and(|rsa| key.verify(rsa, signed, signature).is_ok())
            }
            Material::P256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(signed, signature)
                .is_ok(),
            Material::P384(point) => UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point)
                .verify(signed, signature)
                .is_ok(),
            Material::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key)
                .verify(signed, signature)
                .is_ok(),
        }
    }
}

/// RSA from 2048 bits (RFC 7518, sections 3.3 and 3.5).
fn rsa(algorithm: JwtAlgorithm) -> Option<&'static RsaParameters> {
    Some(match algorithm {
        JwtAlgorithm::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
        JwtAlgorithm::Rs384 => &RSA_PKCS1_2048_8192_SHA384,
        JwtAlgorithm::Rs512 => &RSA_PKCS1_2048_8192_SHA512,
        JwtAlgorithm::Ps256 => &RSA_PSS_2048_8192_SHA256,
        JwtAlgorithm::Ps384 => &RSA_PSS_2048_8192_SHA384,
        JwtAlgorithm::Ps512 => &RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}
