//! The signed cookie of a device from which somebody logged in.
//!
//! Its value is `v1.EXPIRES.MAC`: `EXPIRES` is the second (Unix time, decimal) from which it is
//! worth nothing, `MAC` the HMAC-SHA256 (RFC 2104) under the secret's bytes in base64url without
//! padding (RFC 4648), of
//!
//! ```text
//! v1 LF NAME LF EXPIRES LF LENGTH : PART , ...
//! ```
//!
//! with the cookie's name and, for each part of the account, its bytes as a netstring: their number
//! in decimal, a colon, the bytes, a comma. `LF` is one byte, and there is no space. The account is
//! the normalised one, so that each spelling has the same cookie.

use std::fmt;

use aforo_core::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use thiserror::Error;

/// The version of the format.
const VERSION: &str = "v1";
/// The fewest bytes of a secret.
const SHORTEST: usize = 32;
/// The most digits of a time.
const MOST_DIGITS: usize = 12;

/// What marks one device: the cookie's code.
pub(crate) type Device = [u8; 32];

/// A secret that cookies of known devices are signed with.
///
/// ```
/// use aforo_core::Timestamp;
/// use aforo_policy::DeviceKey;
///
/// let key = DeviceKey::new(b"0123456789abcdef0123456789abcdef")?;
/// let expires = Timestamp::from_seconds(1_900_000_000);
/// let value = key.value("device", &["ana@example.org"], expires);
/// assert_eq!(value, "v1.1900000000.hR_GEhXb2te1IHPMReNT0vZWYiKSwh3DH9Biw4Du0EA");
/// # Ok::<(), aforo_policy::DeviceKeyError>(())
/// ```
#[derive(Clone)]
pub struct DeviceKey(Hmac<Sha256>);

/// A secret that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a secret has at least {SHORTEST} bytes, such as `openssl rand -hex 32` prints")]
pub struct DeviceKeyError;

impl DeviceKey {
    /// The key of a secret's bytes.
    ///
    /// # Errors
    /// When there are fewer than 32.
    pub fn new(secret: &[u8]) -> Result<Self, DeviceKeyError> {
        if secret.len() < SHORTEST {
            return Err(DeviceKeyError);
        }
        let key = Hmac::new_from_slice(secret).map_err(|_| DeviceKeyError)?;
        Ok(Self(key))
    }

    /// The value of the cookie `name` for an account, worth something before `expires` (whole
    /// seconds; a part of one is rounded up). The account is given as it is counted: normalised,
    /// part by part.
    pub fn value(&self, name: &str, account: &[impl AsRef<[u8]>], expires: Timestamp) -> String {
        let expires = expires.as_seconds_ceil().to_string();
        let code = self.mac(name, account, &expires).finalize().into_bytes();
        format!("{VERSION}.{expires}.{}", URL_SAFE_NO_PAD.encode(code))
    }

    /// The device that a cookie's value marks: only when it was made with this secret for this
    /// name and account, and is worth something at `now`. Codes are compared in constant time.
    pub(crate) fn device(
        &self,
        name: &str,
        account: &[impl AsRef<[u8]>],
        value: &[u8],
        now: Timestamp,
    ) -> Option<Device> {
        let (expires, code) = parsed(value)?;
        let seconds: u64 = expires.parse().ok()?;
        if now >= Timestamp::from_seconds(seconds) {
            return None;
        }
        let mac = self.mac(name, account, expires);
        mac.verify_slice(&code).ok().map(|()| code)
    }

    fn mac(&self, name: &str, account: &[impl AsRef<[u8]>], expires: &str) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for line in [VERSION, name, expires] {
            mac.update(line.as_bytes());
            mac.update(b"\n");
        }
        for part in account {
            let part = part.as_ref();
            mac.update(part.len().to_string().as_bytes());
            mac.update(b":");
            mac.update(part);
            mac.update(b",");
        }
        mac
    }
}

/// The time and the code of a value.
fn parsed(value: &[u8]) -> Option<(&str, Device)> {
    let value = std::str::from_utf8(value).ok()?;
    let (expires, code) = value
        .strip_prefix(VERSION)?
        .strip_prefix('.')?
        .split_once('.')?;
    let digits = expires.len() <= MOST_DIGITS && expires.bytes().all(|b| b.is_ascii_digit());
    let mut device = Device::default();
    let length = URL_SAFE_NO_PAD.decode_slice(code, &mut device).ok()?;
    (digits && length == device.len()).then_some((expires, device))
}

impl fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";
    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

    fn key() -> DeviceKey {
        DeviceKey::new(SECRET).unwrap()
    }

    fn is_known(name: &str, account: &[&str], value: &str, now: Timestamp) -> bool {
        let device = key().device(name, account, value.as_bytes(), now);
        device.is_some()
    }

    #[test]
    fn a_cookie_is_for_one_name_one_account_and_some_time() {
        // Made by Python: hmac.new(secret, b"v1\ndevice\n1900000000\n15:ana@example.org,", sha256)
        let value = "v1.1900000000.hR_GEhXb2te1IHPMReNT0vZWYiKSwh3DH9Biw4Du0EA";
        assert!(is_known("device", &["ana@example.org"], value, NOW));
        assert!(!is_known("other", &["ana@example.org"], value, NOW));
        assert!(!is_known("device", &["bob@example.org"], value, NOW));
        assert!(!is_known("device", &["ana@example.org", ""], value, NOW));
        let end = Timestamp::from_seconds(1_900_000_000);
        let before = Timestamp::from_seconds(1_899_999_999);
        assert!(is_known("device", &["ana@example.org"], value, before));
        assert!(!is_known("device", &["ana@example.org"], value, end));
    }

    #[test]
    fn parts_of_an_account_do_not_run_into_each_other() {
        let value = key().value(
            "device",
            &["ab", "c"],
            Timestamp::from_seconds(1_900_000_000),
        );
        assert!(is_known("device", &["ab", "c"], &value, NOW));
        for other in [&["a", "bc"][..], &["abc"], &["ab,1:c"], &["c", "ab"]] {
            assert!(!is_known("device", other, &value, NOW), "{other:?}");
        }
    }

    #[test]
    fn what_was_changed_or_is_of_another_secret_marks_nothing() {
        let right = key().value("d", &["a"], Timestamp::from_seconds(1_900_000_000));
        let code = right.rsplit_once('.').unwrap().1.to_owned();
        let other = DeviceKey::new(b"another secret of at least 32 bytes").unwrap();
        let forged = other.value("d", &["a"], Timestamp::from_seconds(1_900_000_000));
        for wrong in [
            "",
            "v1",
            "v1..",
            &right.replace("v1.", "v2."),
            &right.replace("1900000000", "1900000001"),
            &right.replace("1900000000", "01900000000"),
            &right.replace("1900000000", "+1900000000"),
            &format!("{right}="),
            &format!("{right}A"),
            &format!("v1.1900000000.{}", &code[..42]),
            &format!("v1.99999999999999999999.{code}"),
            &forged,
        ] {
            assert!(!is_known("d", &["a"], wrong, NOW), "{wrong}");
        }
        assert!(is_known("d", &["a"], &right, NOW));
    }

    #[test]
    fn a_short_secret_is_refused_and_none_is_shown() {
        assert_eq!(DeviceKey::new(&[7; 31]).unwrap_err(), DeviceKeyError);
        assert_eq!(format!("{:?}", key()), "DeviceKey(..)");
    }
}
