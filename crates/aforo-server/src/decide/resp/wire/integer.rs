//! Integers as text.

/// A decimal integer with an optional sign, nothing around it; `None` also when it does not fit.
pub(crate) fn integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    // Counted downwards, where there is one number more.
    let below = digits.iter().try_fold(0_i64, |number, byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        number.checked_mul(10)?.checked_sub(i64::from(digit))
    })?;
    if negative {
        Some(below)
    } else {
        below.checked_neg()
    }
}
