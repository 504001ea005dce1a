//! The injective encoding of a partition key's parts: a tag, the length, the bytes.

use std::net::IpAddr;

use aforo_core::PrincipalKind;

use crate::DescriptorEntry;

/// What a part is. Parts of different tags never meet in one bucket: a header can hold a
/// consumer's id without counting as that consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    /// A verified consumer's id.
    Consumer = b'c',
    /// A team's name.
    Team = b't',
    /// An organisation's name.
    Org = b'o',
    /// A client address, cut to a prefix.
    Address = b'a',
    /// A route.
    Route = b'r',
    /// A method.
    Method = b'm',
    /// A host.
    Host = b'h',
    /// One bucket for all.
    Everyone = b'e',
    /// A device that is known for the account before it.
    Device = b'd',
    /// A claim of a verified token: no header can say the same.
    Claim = b'j',
    /// A plan, where it has a quota of its own.
    Plan = b'p',
    /// All keys and values of a descriptor.
    Descriptor = b's',
    /// What the request says in a header, cookie, query, path or body. They share a tag: an
    /// account is the same account in JSON and in a form.
    Value = b'v',
}

/// The longest key that is made without an allocation.
const SHORT: usize = 128;

/// A partition key in the making.
#[derive(Clone, Debug)]
pub(crate) struct Encoding {
    /// The whole key, as long as it fits.
    short: [u8; SHORT],
    length: usize,
    /// The whole key, once it does not.
    long: Vec<u8>,
    /// Where the first part ends.
    first: Option<usize>,
    /// Whether a part can be made up by whoever sends the request.
    made_up: bool,
}

impl Default for Encoding {
    #[inline]
    fn default() -> Self {
        Self {
            short: [0; SHORT],
            length: 0,
            long: Vec::new(),
            first: None,
            made_up: false,
        }
    }
}

impl Encoding {
    /// Adds a part.
    pub(crate) fn push(&mut self, tag: Tag, value: &[u8]) {
        if !self.push_short(tag, value) {
            self.push_long(tag, value);
        }
        self.first.get_or_insert(self.as_bytes().len());
        self.made_up |= matches!(tag, Tag::Address | Tag::Host | Tag::Value | Tag::Descriptor);
    }

    /// Adds a part where there is room for it and its length takes one byte.
    #[inline]
    fn push_short(&mut self, tag: Tag, value: &[u8]) -> bool {
        if value.len() > 0x7f || !self.long.is_empty() {
            return false;
        }
        let rest = self.short.get_mut(self.length..).unwrap_or_default();
        let Some(([first, second], rest)) = rest.split_first_chunk_mut() else {
            return false;
        };
        let Some(room) = rest.get_mut(..value.len()) else {
            return false;
        };
        (*first, *second) = (tag as u8, value.len() as u8);
        room.copy_from_slice(value);
        self.length = self.length.saturating_add(2).saturating_add(value.len());
        true
    }

    #[cold]
    fn push_long(&mut self, tag: Tag, value: &[u8]) {
        if self.long.is_empty() {
            self.long = self.as_bytes().to_vec();
        }
        self.long.push(tag as u8);
        self.push_length(value.len());
        self.long.extend_from_slice(value);
    }

    /// A length in groups of seven bits, the lowest first (LEB128).
    fn push_length(&mut self, length: usize) {
        let mut left = length;
        while left > 0x7f {
            self.long.push((left & 0x7f) as u8 | 0x80);
            left = left.wrapping_shr(7);
        }
        self.long.push(left as u8);
    }

    /// Adds a client address: an IPv6 one cut to `ipv6_prefix` bits, an IPv4 one whole.
    pub(crate) fn push_address(&mut self, address: IpAddr, ipv6_prefix: u8) {
        match address.to_canonical() {
            IpAddr::V4(address) => self.push(Tag::Address, &address.octets()),
            IpAddr::V6(address) => {
                let prefix = ipv6_prefix.min(128);
                let cut = 128_u32.saturating_sub(u32::from(prefix));
                let mask = u128::MAX.checked_shl(cut).unwrap_or(0);
                let network = address.to_bits() & mask;
                let mut value = [0; 17];
                let (bits, length) = value.split_at_mut(16);
                bits.copy_from_slice(&network.to_be_bytes());
                length.copy_from_slice(&[prefix]);
                self.push(Tag::Address, &value);
            }
        }
    }

    /// Adds domain and entries of a descriptor as one part, so that each is a principal of its own.
    /// A client's address counts as elsewhere: an IPv6 one by its prefix.
    pub(crate) fn push_descriptor(
        &mut self,
        domain: &str,
        entries: &[DescriptorEntry<'_>],
        ipv6_prefix: u8,
    ) {
        let mut whole = Self::default();
        whole.push(Tag::Value, domain.as_bytes());
        for entry in entries {
            whole.push(Tag::Value, entry.key.as_bytes());
            match entry.address() {
                Some(address) => whole.push_address(address, ipv6_prefix),
                None => whole.push(Tag::Value, entry.value.as_bytes()),
            }
        }
        self.push(Tag::Descriptor, whole.as_bytes());
    }

    /// The whole key.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        if self.long.is_empty() {
            self.short.get(..self.length).unwrap_or_default()
        } else {
            &self.long
        }
    }

    /// The first part: the principal.
    pub(crate) fn first(&self) -> &[u8] {
        let end = self.first.unwrap_or(0);
        self.as_bytes().get(..end).unwrap_or_default()
    }

    /// Where the counter belongs: one made-up part is enough to make keys without end, so that
    /// they must not fill the table of those who are known.
    pub(crate) fn kind(&self) -> PrincipalKind {
        if self.made_up || self.first.is_none() {
            PrincipalKind::Stranger
        } else {
            PrincipalKind::Known
        }
    }
}
