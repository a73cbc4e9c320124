//! Numbers as people read them.

/// `1234567` as `1,234,567`.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let texts = [0, 7, 999, 1_000, 12_345, 999_999, 1_000_000].map(thousands);
        assert_eq!(texts, ["0", "7", "999", "1,000", "12,345", "999,999", "1,000,000"]);
    }
}
