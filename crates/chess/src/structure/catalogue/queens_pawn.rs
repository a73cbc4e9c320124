//! Structures of the openings that begin with 1.d4.

use super::Structure;

pub(super) const STRUCTURES: &[Structure] = &[
    Structure {
        name: "Carlsbad",
        slug: "carlsbad",
        description: "White's c-pawn has gone for Black's e-pawn: d4 and e3 against c6 (or c7) and d5. White has the half-open \
            c-file and a minority on the queenside, Black the half-open e-file and the outpost on e4.",
        arises_from: "Exchange Variation of the Queen's Gambit Declined, Nimzo-Indian and Grünfeld lines with ...exd5; the \
            Caro-Kann Exchange gives it with colours reversed.",
        plans_white: &[
            "Minority attack: Rb1, b4-b5 and an exchange on c6, which leaves a backward pawn there or an isolated one on d5",
            "Prepare e4 with f3, Nge2 and the rooks in the centre",
            "Castle long and race with g4 and h4",
        ],
        plans_black: &[
            "Knight to e4, rook lift over e6, and a kingside attack with ...f5 or ...h5",
            "Hold up the minority with ...a5, ...b5 and a knight on c4",
            "Trade the light-squared bishops, after which e4 and c4 are easier to use",
        ],
    },
    Structure {
        name: "Slav Structure",
        slug: "slav-structure",
        description: "Black supports d5 with c6, or has given up d5 for the c-pawn and stands on c6 and e6 against d4. As firm \
            as a Queen's Gambit can be; the price is the time that ...c5 or ...e5 will cost later.",
        arises_from: "Slav, Semi-Slav and Meran, and Catalan lines with ...c6 and ...dxc4.",
        plans_white: &[
            "Carry out e4 and gain the whole centre",
            "Restrain ...c5 and ...b5, with a4 if need be",
            "Take on d5 for a small, lasting pull on the c-file",
        ],
        plans_black: &[
            "Develop the bishop to f5 or g4 before ...e6 where it is possible",
            "Take on c4 and expand with ...b5 and ...c5, as in the Meran",
            "Free the centre with ...e5 when the pieces stand behind it",
        ],
    },
    Structure {
        name: "Queen's Gambit Structure",
        slug: "queens-gambit-structure",
        description: "c4 and d4 against d5, and the tension is still there. What it becomes is open: an isolated pawn, hanging \
            pawns, Carlsbad, Slav. White has the easier development, Black a firm foothold.",
        arises_from: "Queen's Gambit Declined, Catalan, Tarrasch and Semi-Tarrasch before the centre is cleared.",
        plans_white: &[
            "Keep the tension and develop: Nc3, Bg5 or Bf4, e3, a rook on c1",
            "Choose the moment for cxd5 so that Black takes back on bad terms",
            "Press on the long diagonal with g3 and Bg2",
        ],
        plans_black: &[
            "Gain time by taking on c4 after the bishop from f1 has moved",
            "Free the game with ...c5, or with ...b6 and ...Bb7 first",
            "Trade a pair or two of minor pieces, ...Ne4 being the usual way",
        ],
    },
    Structure {
        name: "Queen's Gambit Accepted",
        slug: "queens-gambit-accepted",
        description: "Black's d-pawn has gone for White's c-pawn; d4 and an e-pawn stand against e6. White has the centre and \
            freedom, Black no weakness and a clear aim, ...c5.",
        arises_from: "Queen's Gambit Accepted, Open Catalan, and Nimzo-Indian and Semi-Slav lines with ...dxc4.",
        plans_white: &[
            "Advance e4 and then d5 or e5",
            "Accept an isolated pawn for activity after ...c5 and ...cxd4",
            "Keep the queenside under pressure with a4, Qe2 and Rd1",
        ],
        plans_black: &[
            "Strike with ...c5, then ...a6 and ...b5 with the bishop on b7",
            "Exchange on d4 at the right time and blockade d5",
            "Trade queens on the d-file where White has no lead in development",
        ],
    },
    Structure {
        name: "Nimzo-Indian Structure",
        slug: "nimzo-indian-structure",
        description: "White has doubled c-pawns or a c3-d4 block left by an exchange on c3, or Black restrains c4 and d4 with d6 \
            and e6 or with the bishop on b4. Two bishops and a broad centre face a sound structure with a target on c4.",
        arises_from: "Nimzo-Indian and Bogo-Indian; the Rossolimo and some Englishes give it to Black.",
        plans_white: &[
            "Open the position for the bishops, best with e4 and f4",
            "Use the central mass: f3 and e4, then play against the king",
            "Dissolve the doubled pawns with c5 or cxd5 in good time",
        ],
        plans_black: &[
            "Blockade: ...c5, ...d6 and ...e5 on dark squares, knights before bishops",
            "Attack c4 with ...b6, ...Ba6 and ...Na5",
            "Hold e4 with ...f5, ...Bb7 or ...Ne4",
        ],
    },
    Structure {
        name: "Queen's Indian Structure",
        slug: "queens-indian-structure",
        description: "Black answers c4 and d4 with b6 and e6 and keeps the d-pawn at home, governing e4 from b7 instead of \
            occupying the centre; after dxc5 the d-file is half open and the same restraint goes on.",
        arises_from: "Queen's Indian and Bogo-Indian; Larsen's Opening and the Réti with b3 show it reversed.",
        plans_white: &[
            "Fight for e4: Nc3, Qc2, and f3 where it can be had",
            "Gain space with d5 when Black cannot take with profit",
            "Oppose the bishop on b7 with one on g2",
        ],
        plans_black: &[
            "Keep e4 with ...Bb7, ...Ne4 or ...f5",
            "Break with ...c5 or ...d5 by choice, hanging pawns included",
            "Annoy c4 with ...Ba6",
        ],
    },
    Structure {
        name: "King's Indian Structure",
        slug: "kings-indian-structure",
        description: "White has the big centre with c4, d4 or d5 and e4, Black d6 and e5 or g6 behind it. When d5 closes the \
            middle White attacks on the queenside and Black on the kingside, each where the chain points.",
        arises_from: "King's Indian and Old Indian, Pirc lines with ...e5, and every Ruy Lopez or Philidor in which White \
            plays d5.",
        plans_white: &[
            "After d5: c5 with b4, the c-file, and a knight aimed at d6",
            "Keep the tension on d4 and use the d-file after dxe5 or ...exd4",
            "Hold up the attack with f3, h3 or an early g4, as in the Sämisch",
        ],
        plans_black: &[
            "After d5: ...f5, then ...f4 and ...g5-g4 against the king",
            "Slow the queenside with ...a5 and a knight on c5",
            "With the centre open press on e4 by ...exd4, ...Re8 and ...Nc5",
        ],
    },
    Structure {
        name: "Grünfeld Center",
        slug: "grunfeld-center",
        description: "White holds d4 with c3 or e4, or with both, and Black has traded the d-pawn for it. The centre is strong \
            and a target: Black's play against d4 must be as fast as White's play with it.",
        arises_from: "Grünfeld and Semi-Tarrasch; reversed in the English with an early ...d5 and an exchange on c3.",
        plans_white: &[
            "Push d5, or e5 and h4-h5, before Black has coordinated",
            "Keep the centre intact with Be3, Rc1 and Rd1",
            "Make a passed d-pawn, the usual outcome of the exchanges on d4",
        ],
        plans_black: &[
            "Press on d4 with ...c5, ...Nc6, ...Bg4 and the bishop on g7",
            "Trade into an ending with two pawns against one on the queenside",
            "Blockade the passed d-pawn and attack e4 with ...f5 or ...b6 and ...Bb7",
        ],
    },
    Structure {
        name: "Benoni Structure",
        slug: "benoni-structure",
        description: "White's pawn on d5 is met by c5 and d6. In the modern form White has exchanged the c-pawn for Black's \
            e-pawn: a central majority against a queenside majority, and open lines for both.",
        arises_from: "Modern Benoni, King's Indian with ...c5 and ...e6, Benko declined; with colours reversed the Réti and the \
            reversed Benoni.",
        plans_white: &[
            "Advance e4-e5, supported by f4 or by a knight on c4 and a bishop on f4",
            "Stop ...b5 with a4, and aim at d6 with Nd2-c4",
            "Play for the kingside with f4-f5 once e5 has been prevented",
        ],
        plans_black: &[
            "Carry out ...b5 with ...a6, ...Rb8 or ...Na6-c7",
            "Press on the e-file and the long diagonal, and make e4 hard to hold",
            "Play ...f5 or ...Ne5 with exchanges when space is short",
        ],
    },
    Structure {
        name: "Benko Structure",
        slug: "benko-structure",
        description: "Black has given a queenside pawn: c5 and d6 remain, the a- and b-files are open, and White's d5 and extra \
            a- and b-pawns face rooks and a bishop on g7. The pressure lasts into the endgame.",
        arises_from: "Benko Gambit, accepted in full or with the pawn on b5 kept, and Benoni lines with the same sacrifice.",
        plans_white: &[
            "Return to coordination first: complete development and guard b2 and a2",
            "Hold b5 and c4 with pieces, a knight on b5 being ideal",
            "Break with e5 and use the extra pawn in the centre",
        ],
        plans_black: &[
            "Rooks to the a- and b-files, queen to a5 or b6, bishop on g7",
            "Knight to c4 or d3 by way of d7 and e5; ...c4 to open d3",
            "Trade queens without fear, for the pressure grows in the ending; undermine d5 with ...e6",
        ],
    },
    Structure {
        name: "Dutch Structure",
        slug: "dutch-structure",
        description: "Black's pawn on f5 watches e4 while the d-pawn waits on d7 or d6. It gives attacking chances on the \
            kingside and loosens e6 and the diagonal to the king.",
        arises_from: "Leningrad and Classical Dutch; Bird's Opening with colours reversed.",
        plans_white: &[
            "Break with e4, after which the weak squares on the e-file show",
            "Fianchetto on g2 and push d5 to gain the square e6",
            "Expand on the queenside with b4 and c5",
        ],
        plans_black: &[
            "Prepare ...e5, with ...Qe8 and ...Nc6 or ...c6",
            "Attack with ...Qh5, ...f4 and ...g5",
            "Settle on e4 with a knight when White plays without f3",
        ],
    },
    Structure {
        name: "Stonewall",
        slug: "stonewall",
        description: "White's pawns on d4, e3 and f4 hold the dark squares against d5: e5 is a fixed outpost, e4 a fixed hole, and \
            the bishop on c1 bites on its own chain. Clear plans for both, and hard to shift.",
        arises_from: "Stonewall Attack and Bird for White; with colours reversed, the Dutch Stonewall, where Black has d5, e6 and \
            f5.",
        plans_white: &[
            "Knight to e5, then g4 or a rook lift by f3 to h3",
            "Aim the bishop on d3 and the queen at h7",
            "Improve the bad bishop by d2, e1 and h4, or trade it through b3 and a3",
        ],
        plans_black: &[
            "Trade White's good bishop with ...b6 and ...Ba6 or with ...Bf5",
            "Put a knight on e4, and drive off or exchange the one on e5",
            "Open the queenside with ...c5 and the c-file before the attack rolls",
        ],
    },
    Structure {
        name: "London Structure",
        slug: "london-structure",
        description: "White builds a pyramid of c3, d4 and e3 and, in the London, has the bishop outside it on f4 or g3. Sound on \
            every square, with e5 as the natural outpost; Black chooses how to meet it.",
        arises_from: "London System, Colle and Torre, against nearly anything.",
        plans_white: &[
            "Knight to e5 with f4 or a queen on f3, then play against h7",
            "Break with e4 once the pieces are out",
            "Keep the bishop with h3 when ...Nh5 threatens it",
        ],
        plans_black: &[
            "Press b2 and d4 with ...c5, ...Nc6 and ...Qb6",
            "Trade or chase the bishop: ...Bd6 or ...Nh5",
            "Develop the bishop to f5 or g4 before ...e6, or fianchetto on g7 and play ...e5",
        ],
    },
];
