//! Structures of the openings that begin with 1.e4.

use super::Structure;

pub(super) const STRUCTURES: &[Structure] = &[
    Structure {
        name: "Scheveningen Structure",
        slug: "scheveningen-structure",
        description: "Open Sicilian with Black's pawns side by side on d6 and e6: the small centre. It controls d5 and e5, \
            concedes space, and keeps both central breaks in hand. White's d-pawn and Black's c-pawn are gone.",
        arises_from: "Scheveningen and Najdorf Sicilians, and Kan or Taimanov lines in which Black plays ...d6.",
        plans_white: &[
            "Castle long and storm: f3, g4, h4, g5 (English Attack), or g4 at once (Keres)",
            "Castle short and press with f4-f5 on e6, or e5 when it gains time",
            "Watch the sacrifices on d5, e6 and b5 while the black king stays in the middle",
        ],
        plans_black: &[
            "Counter on the c-file and with ...b5-b4, which drives the knight from c3",
            "Play ...d5 when White's attention is on the wing",
            "Trade on d4 or go ...Nbd7-c5 or ...Nc6-a5-c4, and give the exchange on c3 when it breaks the queenside",
        ],
    },
    Structure {
        name: "Najdorf Structure",
        slug: "najdorf-structure",
        description: "Open Sicilian with Black's pawns on d6 and e5. Black has a share of the centre and free pieces, and pays \
            with the square d5 and a backward pawn behind it.",
        arises_from: "Najdorf with ...e5, Sveshnikov, Kalashnikov and Boleslavsky systems.",
        plans_white: &[
            "Own d5: exchange the pieces that guard it, then keep a knight there",
            "Fix the queenside with a4 so that ...b5 costs something",
            "Attack with f4-f5, or with f3, g4 and long castling in the English Attack",
        ],
        plans_black: &[
            "Carry out ...d5, which solves everything at once",
            "Expand with ...b5 and press on the c-file against c2 and c4",
            "Where White takes d5 with a pawn, roll the kingside majority with ...f5",
        ],
    },
    Structure {
        name: "Dragon Structure",
        slug: "dragon-structure",
        description: "Open Sicilian with Black's pawns on d6, e7 and g6 and, as a rule, a bishop on g7 that sees as far as b2. \
            The chain is hard to attack in the centre, so that the kings become the targets.",
        arises_from: "Dragon, Accelerated Dragon and Dragadorf, and the classical lines with Be2.",
        plans_white: &[
            "Yugoslav Attack: Be3, f3, Qd2, long castling, then h4-h5 and Bh6",
            "Trade the bishop on g7, and sacrifice on h5 or d5 rather than lose time",
            "With short castling, take space quietly: Nb3, f4 and Nd5",
        ],
        plans_black: &[
            "Open the c-file and give the exchange on c3",
            "Knight to c4 by way of e5 or a5; queen to a5, and the b-pawn down the board",
            "Break with ...d5, above all when White has castled short or the bishop has left e3",
        ],
    },
    Structure {
        name: "Sicilian Structure",
        slug: "sicilian-structure",
        description: "Black has met the e-pawn with the c-pawn, and the centre is not yet shaped: either the d- and c-pawns are \
            exchanged and Black's d- and e-pawns still free, or White keeps the d-pawn back or builds c3 and d4.",
        arises_from: "Taimanov and Kan, Closed Sicilian, Rossolimo, Moscow and Alapin, and the first moves of every Sicilian.",
        plans_white: &[
            "In open lines use the lead in development and the half-open d-file",
            "In closed lines play f4 and g4 behind a bishop on g2",
            "In Rossolimo lines take on c6 and keep the position shut against the bishops",
        ],
        plans_black: &[
            "Press on the half-open c-file and with ...a6 and ...b5",
            "Choose the central set-up by White's: ...e6 and ...d5 where it can be had in one go",
            "Meet closed set-ups with queenside expansion, ...Rb8 and ...b5-b4",
        ],
    },
    Structure {
        name: "Caro-Kann Structure",
        slug: "caro-kann-structure",
        description: "White has a pawn on d4 and mostly no e-pawn, Black pawns on c6 and e6 (or on c6 and d5 before the \
            exchange). Black is sound, White has more room; the breaks c5 and e5 decide whether that lasts.",
        arises_from: "Caro-Kann in all main lines, Scandinavian, and the Rubinstein and Burn lines of the French.",
        plans_white: &[
            "Keep the space advantage: knight to e5, pawns to c4 and sometimes h4-h5",
            "Break with d5 before Black is developed",
            "Castle long in the classical lines, and make ...c5 awkward with a rook on d1",
        ],
        plans_black: &[
            "Bring the light-squared bishop out before ...e6, or trade it",
            "Free the game with ...c5, more rarely with ...e5",
            "Play against d4 in the endgame, where the structure is without weaknesses",
        ],
    },
    Structure {
        name: "French Structure",
        slug: "french-structure",
        description: "Black's pawns on d5 and e6 meet White's on d4 and e5, or the chain is about to form or has just been \
            dissolved. White has the kingside, Black the queenside, and the bishop on c8 has to be taught to move.",
        arises_from: "French Defence, Caro-Kann Advance after ...e6, and Alapin lines with ...e6 and ...d5.",
        plans_white: &[
            "Support d4 and e5, and attack on the kingside with Qg4, h4 or f4-f5",
            "Keep the bishop on d3 aimed at h7 and the knight near g5",
            "Play dxc5 and use d4 for a knight when the chain cannot be held",
        ],
        plans_black: &[
            "Attack the base with ...c5, ...Nc6 and ...Qb6, and open the c-file",
            "Attack the head with ...f6 once development allows it",
            "Trade the light-squared bishop through a6 or by ...Bd7-b5, or free it by way of e8 to h5 or g6",
        ],
    },
    Structure {
        name: "Ruy Lopez Structure",
        slug: "ruy-lopez-structure",
        description: "White builds c3, d4 and e4 against Black's d6 and e5, usually with ...b5 on the queenside; in the open \
            lines e5 faces d5. The tension in the centre is the point: who releases it gives something away.",
        arises_from: "Closed Ruy Lopez, Steinitz Deferred, and the Open Variation.",
        plans_white: &[
            "Keep the tension and bring the knight round by d2, f1 and g3 or e3 to f5",
            "Close with d5 to play a4 against b5, or to attack on the kingside",
            "In the open lines use e5 with f4, Nd4 and a blockade of ...c5",
        ],
        plans_black: &[
            "Hold e5 with ...Re8, ...Bf8 and ...g6, and gain space with ...c5",
            "Break with ...d5 when e4 lacks support, or with ...f5 after d5",
            "Press on e4 with a bishop on b7 and expand with ...c4 and ...Nc5",
        ],
    },
    Structure {
        name: "Philidor Structure",
        slug: "philidor-structure",
        description: "White's pawn stands on e4 with more space, Black holds d6 and either keeps e5 against d4 or has given up \
            the centre by ...exd4. With the e-file half open Black presses on e4; White has the easier game.",
        arises_from: "Philidor, Scotch and Steinitz Ruy Lopez after ...exd4, and the Hanham lines that keep e5.",
        plans_white: &[
            "Develop freely behind e4 with long or short castling, f4 or f3",
            "Put a knight on d5 or f5, which Black can hardly bear",
            "Push e5 when it opens lines against the uncastled king or against d6",
        ],
        plans_black: &[
            "Keep e5 with ...Nd7, ...c6 and ...Qc7, and expand with ...b5",
            "After ...exd4 press on e4 with ...Re8 and ...Bf8, and play ...d5 when it is ripe",
            "Trade one pair of minor pieces to ease the lack of space",
        ],
    },
    Structure {
        name: "King's Indian Attack",
        slug: "kings-indian-attack",
        description: "White keeps the d-pawn on d3 behind e4 (or e5), often with g3 and a bishop on g2, against Black's pawn on \
            d5. It is a King's Indian with colours reversed and a tempo more; the advance e5 gives it its edge.",
        arises_from: "King's Indian Attack against French, Caro-Kann and Sicilian, the Réti, and the Two Knights French with \
            d3.",
        plans_white: &[
            "Advance e5, then Re1, Nf1, h4-h5, Bf4 and Ng4 against the king",
            "Where Black closes with ...d4 and ...e5, break with f4 or c3",
            "Keep the queenside shut as long as it can be done: a4 holds up ...b5",
        ],
        plans_black: &[
            "Race on the queenside: ...b5-b4, ...a5-a4-a3, and the c-file",
            "Take on e4 early to open the d-file and cool the attack",
            "Meet h4 with ...h5 or ...h6, and hit e5 with ...f6 when it can be afforded",
        ],
    },
    Structure {
        name: "Italian Structure",
        slug: "italian-structure",
        description: "White's pawns on c3 (or c2), d3 and e4 face Black's e5, d6 or d5, with nothing exchanged in the centre. \
            Slow, and rich: both sides manoeuvre until d4 or ...d5 can be played well.",
        arises_from: "Giuoco Pianissimo, Two Knights with d3, and the Ruy Lopez with an early d3.",
        plans_white: &[
            "Re1, Nbd2-f1-g3 and h3, then d4 on better terms",
            "Gain queenside space with b4 and a4, or keep a4 against ...b5",
            "Keep the bishop from c4 alive with a retreat to b3 or a2",
        ],
        plans_black: &[
            "Play ...d5 in one go where it can be held, otherwise ...d6 and ...Be6",
            "Reroute the knight: ...Ne7-g6 to f4",
            "Answer d4 with ...exd4 and pressure on e4, or keep e5 firm",
        ],
    },
    Structure {
        name: "Berlin Structure",
        slug: "berlin-structure",
        description: "Black has doubled pawns on c6 and c7 and no d-pawn; White has an e-pawn on e4 or e5 and a healthy \
            four-against-three majority on the kingside. Black has the pair of bishops for it.",
        arises_from: "Berlin endgame, Exchange Ruy Lopez, and Four Knights and Rossolimo-like lines with an exchange on c6.",
        plans_white: &[
            "Trade pieces, best of all the bishops: the bare pawn ending is won",
            "Advance the kingside majority with f4, g4 and f5",
            "Keep e5 or e4 supported and take the d-file",
        ],
        plans_black: &[
            "Keep both bishops and give them open lines",
            "Blockade the majority on the light squares with ...h5, ...Be6 and a knight on f5 or e7",
            "Use the extra queenside pawn to hold White's pieces off, with ...c5 and ...b6 or ...a5-a4",
        ],
    },
];
