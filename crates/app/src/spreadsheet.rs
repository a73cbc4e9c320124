//! Tables that people open in spreadsheets.

/// Text of strangers for a cell of a table. Spreadsheets take a cell that begins like a formula for one, and what stands behind an
/// apostrophe for text. Numbers of ours need it not: only what comes from files goes through here.
pub fn harmless(text: &str) -> String {
    match text
        .trim_start_matches(' ')
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n'])
    {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn formulas_are_text() {
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1"] {
            assert_eq!(harmless(formula), format!("'{formula}"));
        }
        for text in ["", "Kasparov", "'=1", "a=1", "1-0"] {
            assert_eq!(harmless(text), text);
        }
    }
}
