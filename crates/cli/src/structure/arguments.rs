//! A FEN has spaces, and shells split it when nobody quotes it.

/// Puts the fields of FENs that were not quoted together again: what follows a bare board and a side to move, up to six
/// fields.
pub(super) fn joined(arguments: Vec<String>) -> Vec<String> {
    let mut fens: Vec<String> = Vec::new();
    // How many fields the last FEN has, as long as it came in pieces.
    let mut fields = 0;
    for argument in arguments {
        let continues = match fields {
            0 => false,
            1 => ["w", "b"].contains(&argument.as_str()),
            fields => fields < 6 && !argument.contains('/'),
        };
        match fens.last_mut().filter(|_| continues) {
            Some(fen) => {
                fen.push(' ');
                fen.push_str(&argument);
                fields += 1;
            }
            None => {
                fields = usize::from(argument.contains('/') && !argument.contains([' ', '_']));
                fens.push(argument);
            }
        }
    }
    fens
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "4k3/8/8/8/8/8/8/4K3";

    fn check(arguments: &str, expected: &[&str]) {
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        assert_eq!(joined(arguments.clone()), expected, "{arguments:?}");
    }

    #[test]
    fn fields_find_together() {
        let fen = format!("{BOARD} w - - 0 1");
        check(&fen, &[&fen]);
        check(&format!("{fen} {fen}"), &[&fen, &fen]);
        let epd = format!("{BOARD} b - -");
        check(&format!("{epd} {fen} {BOARD}"), &[&epd, &fen, BOARD]);
    }

    #[test]
    fn what_is_whole_stays_alone() {
        check(&format!("{BOARD} {BOARD} -"), &[BOARD, BOARD, "-"]);
        check(&format!("{BOARD}_w_-_- - x"), &[&format!("{BOARD}_w_-_-"), "-", "x"]);
        check(
            &format!("w {BOARD} w - - 0 1 -"),
            &["w", &format!("{BOARD} w - - 0 1"), "-"],
        );
        let quoted = vec![format!("{BOARD} w - -"), "-".to_owned()];
        assert_eq!(joined(quoted.clone()), quoted);
    }
}
