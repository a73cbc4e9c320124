//! The table of rules that name structures, in the order of trial.

/// Slug and rules, row by row. The first row that matches gives the label, so the order is part of the meaning; a
/// label may own several rows. Without `~` a rule has a twin of another name with colours reversed: an English is a Sicilian
/// of White's, a King's Indian Attack a King's Indian.
#[rustfmt::skip]
pub(super) const ROWS: [(&str, &str); 43] = [
    ("isolated-queens-pawn", "d4 -ce / -d ~"),
    ("hanging-pawns", "c34 d4 -be / -cd ~; c34 d4 -be / -de ~"),
    ("hedgehog", "-d / a6 b6 d6 e6 -c ~; c4 -d / b6 d6 e6 -c ~"),
    ("maroczy-bind", "c4 e4 -d / d67 -c ~; c4 e4 -d / c5 d6 -e ~"),
    ("scheveningen-structure", "e4 -d / d6 e6 -c"),
    ("najdorf-structure", "e4 -d / d6 e5 -c; -de / d6 e5 -c; d5 -e / d6 e5 -c; e4 -df / d6 -ce"),
    ("dragon-structure", "e4 -d / d6 e7 g6 -c; c23 d5 -e / d6 e7 g6 -c"),
    ("benko-structure", "d5 -c / c5 d67 -ab ~; [b5 a6] d5 -c / c5 d67 -b ~"),
    ("closed-center", "c* d5 e4 / c5 d6 e5 ~"),
    ("stonewall", "d4 e3 f4 / d5 -e45 ~"),
    ("nimzo-indian-structure", "c3 c4 d345 / . ~"),
    ("caro-kann-structure",
        "c* d4 -e / c67 e67 -d ~; d4 e4 -c4 / c6 d5 -c5; d4 e5 / c6 d5 e67; d4 e5 -c / c6 e67 -d -c4; \
         c* d4 -e / c5 e6 -d; c* d4 -e / c67 f6 f7 -de"),
    ("french-structure", "d4 e5 / d5 e67 ~; e5 -d / d5 e6 ~; d4 e4 -c4 / d5 e6; d4 -e / d5 e6 -f; -de / d5 e6 -cf"),
    ("closed-center", "c5 d4 / c6 d5 ~"),
    ("sicilian-structure", "e45 -d / d* e* -c; e45 -d / c6 d* e* -b"),
    ("ruy-lopez-structure", "c3 d4 e4 / d6 e5; c23 d2 e4 / b5 d67 e5; c23 d5 e4 / b5 d6 e5; c23 e5 -d / b5 c* d5 -e"),
    ("kings-indian-structure",
        "d5 e4 / d6 e5; c4 d45 / d6 e5; d4 e4 / d6 e5 g6; c4 d4 / d6 e* g6 -f5; d5 e* / d6 e7 g6 -c5; \
         c4 e4 -d / c67 d6 -e; c4 d4 / c7 d7 e7 g6 Bg7"),
    ("london-structure", "c23 d4 e23 [Bf4 Bg3 Bh2] / ."),
    ("kings-indian-structure", "d4 e23 / d6 e* g6 -f5"),
    ("philidor-structure", "c23 d4 e4 / d6 e5; c23 e4 -d / c* d67 -e ~"),
    ("kings-indian-attack", "d3 e4 g3 -c4 / d5; d3 e45 / d5 e6; d3 e4 / d4 e5"),
    ("italian-structure", "c23 d3 e4 / c67 d567 e5 ~; c23 d3 e4 -g3 / b5 c5 d56 e5"),
    ("botvinnik-structure", "c4 d3 e4 g3 / [c5 e5] ~; c4 d3 e4 / [c5 e5]"),
    ("benoni-structure", "d5 / c5 d67 -e5 ~; d5 -c / c4 d6 -e ~"),
    ("carlsbad", "d4 e23 -c / c67 d5 -e ~"),
    ("grunfeld-center", "c3 d4 e4 -b / -d ~; c3 d4 e* -b / g6 -d ~; d4 e4 -c / -cd ~; d4 e* -c / e7 g6 -d ~"),
    ("nimzo-indian-structure", "c3 d4 e3 -b / d5 -e; c3 d4 e23 -b / e67 -d"),
    ("symmetrical-exchange", "d4 e23 -c / d5 e67 -c ~; c* d4 -e / c* d56 -e ~; d4 -ce / d5 -ce ~; e4 -d / e5 -d ~"),
    ("london-structure", "b* c3 d4 e3 / d5"),
    ("slav-structure", "c4 d4 / c6 d5; d4 e* -c / c6 -d; d4 e* -c / c6 e67 -d ~"),
    ("queens-gambit-structure", "c4 d4 / d5 ~"),
    ("queens-gambit-accepted", "d4 e* -c / e67 -d ~; d4 e* -c / c4 e5 -d"),
    ("dutch-structure", "d4 e23 / d67 f5 ~"),
    ("queens-indian-structure", "c4 d4 / b6 d67 e6 ~; c4 e23 -d / c5 d67 e6 -b ~"),
    ("nimzo-indian-structure", "c4 d4 e* / d6 e6; c4 d4 / d7 e6 Bb4"),
    ("berlin-structure", "e45 -d / b* c6 c7 -d ~; d23 e4 / c6 c7 -d ~"),
    ("sicilian-structure", "d23 e4 / c5; c23 d4 e4 / c5; c23 d23 -e / c5 e67 -d"),
    ("english-structure",
        "c4 d23 / c5 d67; c4 d23 e23 / e5; c4 d23 / d5; c4 e23 -d / d67 -c; c4 e23 -d / c* d67 -e; \
         d23 e* -c / [c5 e5] -d"),
    ("kings-indian-attack", "d3 e45 / d5; d3 g3 / d5"),
    ("classical-center", "d4 e45 / d67 -e5 ~; c* d4 e45 / -d -e5 ~"),
    ("queenside-majority", "c* -de / e* -cd ~; c5 d4 / d5 -c ~"),
    ("advanced-d-pawn", "d56 / -d -c6 -e6 ~"),
    ("open-center", "-d / -d ~"),
];
