//! The keyed hash of partition keys: SipHash-1-3 with 128 bits of output.

use core::fmt;
use core::str::FromStr;

/// A secret of 128 bits. Who does not know it can neither aim at another's counter nor read
/// who was counted. Its `Debug` shows nothing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct HashKey([u64; 2]);

/// The keyed hash of a partition key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionHash(pub u128);

impl HashKey {
    /// A key from two secret words.
    pub const fn new(words: [u64; 2]) -> Self {
        Self(words)
    }

    /// What tells two secrets apart without telling either: for an instance to see that another
    /// one counts with a different secret.
    ///
    /// ```
    /// use aforo_core::HashKey;
    /// assert_ne!(HashKey::new([1, 2]).fingerprint(), HashKey::new([1, 3]).fingerprint());
    /// ```
    pub fn fingerprint(&self) -> u64 {
        // No partition key is this text: each starts with the tag of its first part.
        self.hash(b"aforo hash key").0 as u64
    }

    /// Hashes a partition key.
    ///
    /// ```
    /// use aforo_core::HashKey;
    /// let (ours, theirs) = (HashKey::new([1, 2]), HashKey::new([3, 4]));
    /// assert_eq!(ours.hash(b"acme"), ours.hash(b"acme"));
    /// assert_ne!(ours.hash(b"acme"), theirs.hash(b"acme"));
    /// ```
    #[inline]
    pub fn hash(&self, bytes: &[u8]) -> PartitionHash {
        let mut sip = Sip::new(self.0);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            sip.absorb(u64::from_le_bytes(*word));
        }
        // The last word: what is left of the bytes, and their number's lowest byte on top.
        let length = (bytes.len() as u64) << 56;
        sip.absorb(length | tail(bytes, rest));
        sip.finish()
    }
}

/// The last bytes as a number. In a longer key they end its last eight, which is one load.
#[inline]
fn tail(bytes: &[u8], rest: &[u8]) -> u64 {
    let unused = 64_u32.saturating_sub(8_u32.saturating_mul(rest.len() as u32));
    if let Some(word) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*word).checked_shr(unused).unwrap_or(0);
    }
    let mut last = [0; 8];
    for (place, byte) in last.iter_mut().zip(rest) {
        *place = *byte;
    }
    u64::from_le_bytes(last)
}

/// SipHash (Aumasson, Bernstein, 2012) with one round per word and three at the end.
struct Sip([u64; 4]);

impl Sip {
    #[inline]
    const fn new([k0, k1]: [u64; 2]) -> Self {
        Self([
            k0 ^ 0x736f_6d65_7073_6575,
            k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            k0 ^ 0x6c79_6765_6e65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ])
    }

    #[inline]
    const fn round(&mut self) {
        let [mut a, mut b, mut c, mut d] = self.0;
        a = a.wrapping_add(b);
        c = c.wrapping_add(d);
        b = b.rotate_left(13) ^ a;
        d = d.rotate_left(16) ^ c;
        a = a.rotate_left(32);
        c = c.wrapping_add(b);
        a = a.wrapping_add(d);
        b = b.rotate_left(17) ^ c;
        d = d.rotate_left(21) ^ a;
        c = c.rotate_left(32);
        self.0 = [a, b, c, d];
    }

    #[inline]
    const fn absorb(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.0[0] ^= word;
    }

    #[inline]
    fn finish(mut self) -> PartitionHash {
        self.0[2] ^= 0xee;
        let low = self.squeeze();
        self.0[1] ^= 0xdd;
        let high = self.squeeze();
        PartitionHash(u128::from(low) | u128::from(high) << 64)
    }

    #[inline]
    fn squeeze(&mut self) -> u64 {
        self.round();
        self.round();
        self.round();
        let [a, b, c, d] = self.0;
        a ^ b ^ c ^ d
    }
}

/// A text that is not a secret of 32 hexadecimal digits. It does not hold the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashKeyError;

impl fmt::Display for HashKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a hash key is 32 hexadecimal digits")
    }
}

impl core::error::Error for HashKeyError {}

impl FromStr for HashKey {
    type Err = HashKeyError;

    /// Reads 32 hexadecimal digits.
    ///
    /// ```
    /// use aforo_core::HashKey;
    /// let key: HashKey = "0000000000000001000000000000000F".parse()?;
    /// assert_eq!(key, HashKey::new([1, 15]));
    /// assert!("1f".parse::<HashKey>().is_err());
    /// # Ok::<(), aforo_core::HashKeyError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, HashKeyError> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (high, low) = text.split_at_checked(16).ok_or(HashKeyError)?;
        let word = |half| u64::from_str_radix(half, 16).map_err(|_| HashKeyError);
        match digits {
            true => Ok(Self([word(high)?, word(low)?])),
            false => Err(HashKeyError),
        }
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey(secret)")
    }
}
