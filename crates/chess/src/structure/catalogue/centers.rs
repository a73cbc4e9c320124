//! Structures that many openings share, named after the pawns themselves.

use super::Structure;

pub(super) const STRUCTURES: &[Structure] = &[
    Structure {
        name: "Isolated Queen's Pawn",
        slug: "isolated-queens-pawn",
        description: "White's d-pawn stands on d4 with no neighbour on the c- or e-file, and Black has no d-pawn. The pawn \
            gives space, open files and outposts on e5 and c5; the square in front of it is Black's, and every exchange \
            brings the endgame nearer in which the pawn is a target.",
        arises_from: "Queen's Gambit Accepted, Panov Attack, Alapin Sicilian and Nimzo-Indian for White; the Tarrasch \
            Defence and the French Tarrasch with ...exd5 give Black the pawn.",
        plans_white: &[
            "Keep pieces on and attack the king: Bd3 and Qe2 or Qd3, a rook to e1 or d1, a knight to e5",
            "Break with d4-d5 while Black's pieces are badly placed to take it",
            "Lift a rook over the third rank, Re3 to g3 or h3",
        ],
        plans_black: &[
            "Blockade d5 with a knight before doing anything else",
            "Trade minor pieces, above all the knight bound for e5 and the bishop that attacks h7",
            "Then double on the d-file, and strike with ...e5 when the pawn is pinned down",
        ],
    },
    Structure {
        name: "Hanging Pawns",
        slug: "hanging-pawns",
        description: "White has pawns on c4 (or c3) and d4 with no neighbours on the b- and e-files. Side by side they \
            control the centre and threaten to advance; once one of them has to move, squares and a pawn fall to Black.",
        arises_from: "Alapin and Panov lines after an exchange on c3; with colours reversed the Queen's Gambit with ...b6 \
            and ...c5, and the Scotch.",
        plans_white: &[
            "Hold both on the fourth rank and bring the rooks behind them",
            "Prepare d4-d5, which opens lines for the bishops while Black is uncoordinated",
            "Use the space for a kingside attack; avoid exchanges that leave the pawns to be nursed",
        ],
        plans_black: &[
            "Press on both from the c- and d-files until one has to advance",
            "Strike with ...b5 or ...e5 to split them",
            "Trade pieces, then settle on the square in front of the one that is left behind",
        ],
    },
    Structure {
        name: "Hedgehog",
        slug: "hedgehog",
        description: "Black keeps pawns on a6, b6, d6 and e6 behind an open c-file and leaves the fourth and fifth ranks to \
            White, whose d-pawn is gone. Behind the spines everything is protected and ready to spring with ...b5 or ...d5.",
        arises_from: "Symmetrical English with an early d4, the Kan and Taimanov Sicilians with c4, and Queen's Indian \
            lines with ...c5.",
        plans_white: &[
            "Keep the space: guard c4 and e4, and be ready for both breaks at every move",
            "Expand slowly on the queenside with a4-a5 or b4, or on the kingside with f4 and g4",
            "Aim at d6 with rooks on the d-file and a bishop on the h2-b8 or a3-f8 diagonal",
        ],
        plans_black: &[
            "Wait actively: queen on c7 or b8, rooks on c8 and d8 or e8, bishops on b7 and e7 or f8",
            "Break with ...d5 or ...b5 the moment White is not ready",
            "Swing the bishop by d8 to c7 and the queen to a8; sometimes ...Kh8, ...Rg8 and ...g5",
        ],
    },
    Structure {
        name: "Maroczy Bind",
        slug: "maroczy-bind",
        description: "White's pawns on c4 and e4 clamp d5 after the d-pawn has gone, as a rule for Black's c-pawn. Black is \
            solid and has one square too few; freeing breaks cost a pawn unless they are prepared.",
        arises_from: "Accelerated Dragon, Kan and Taimanov with 5.c4, and the Moscow Sicilian; reversed in the English with \
            ...c5 and ...e5.",
        plans_white: &[
            "Keep d5 under lock and avoid exchanges that give Black air",
            "Plant a knight on d5 and take back with the e-pawn, or the c-pawn, to press on the file that opens",
            "Gain space with f4-f5 or on the queenside with b4 and c5",
        ],
        plans_black: &[
            "Trade a pair or two of minor pieces, first of all a knight on d4",
            "Work on the dark squares: ...Nd7-c5, ...a5, and the bishop on g7",
            "Break with ...b5, or with ...f5 against e4; ...d5 once it can be carried out",
        ],
    },
    Structure {
        name: "Closed Center",
        slug: "closed-center",
        description: "The central pawns are locked on every file that matters, c5-d6-e5 against c4-d5-e4 or c5-d4 against \
            c6-d5. Nothing can be opened in the middle, so both play on the wings, where their chains point.",
        arises_from: "Czech Benoni, King's Indian with ...c5 and ...e5, closed Ruy Lopez with d5 and ...c5, and Slav lines \
            in which White plays c5.",
        plans_white: &[
            "Play on the side to which the chain points: b4 and the b-file against c5, d6 and e5",
            "Take the kingside instead with g4 or f4 where Black has castled there with few pieces",
            "Manoeuvre without haste; knights and the right bishop count for more than tempi",
        ],
        plans_black: &[
            "Break with ...f5, or with ...b5 where it can be supported",
            "Trade the bad bishop behind the chain, often through g5 or h6",
            "Keep the position shut where White is better placed; tempo counts for little",
        ],
    },
    Structure {
        name: "Classical Center",
        slug: "classical-center",
        description: "White holds d4 and e4 (or e5) together, and Black has not yet met them with a pawn on the fourth or \
            fifth rank. White has space and the choice of when to advance; Black counts on hitting the pair with pieces and \
            pawns.",
        arises_from: "Pirc, Modern and Alekhine Defences, the Alapin Sicilian, and gambits in which Black gives up the \
            centre.",
        plans_white: &[
            "Complete development behind the pair before pushing either pawn",
            "Advance e5 to drive off the defending knight, or f4 to widen the front",
            "Castle and bring the rooks to d1 and e1, where every opening of the centre helps",
        ],
        plans_black: &[
            "Strike early with ...c5 or ...e5, so that the pair has to commit itself",
            "Press on d4 with a bishop on g7 and a knight on c6 or a bishop on g4",
            "After e5 undermine it with ...f6 or ...dxe5 and settle on d5",
        ],
    },
    Structure {
        name: "Symmetrical Exchange",
        slug: "symmetrical-exchange",
        description: "A pair of central pawns has been exchanged and what is left mirrors itself: d4 against d5 with an open \
            e- or c-file, or e4 against e5 without d-pawns. The one open file is the whole battlefield and tends to empty \
            the board.",
        arises_from: "Exchange variations of French, Slav, King's Indian and Petroff, and Queen's Gambit lines in which both \
            c-pawns go.",
        plans_white: &[
            "Use the extra tempo to be first on the open file",
            "Unbalance: castle on the other side, or play c4 and accept an isolated pawn",
            "Settle a knight on e5 or c5 and provoke a weakness",
        ],
        plans_black: &[
            "Keep the symmetry until the extra tempo has faded, then contest the open file",
            "Trade heavy pieces where a draw suffices",
            "Break the symmetry with the bishop, ...Bg4 or ...Bf5, or with opposite castling to play for more",
        ],
    },
    Structure {
        name: "Queenside Majority",
        slug: "queenside-majority",
        description: "White has a c-pawn and no d- or e-pawn, Black an e-pawn and no c- or d-pawn: three against two on the \
            queenside, three against four on the other wing. In the endgame White's majority makes a passed pawn far from \
            the kings; before it, Black's extra central pawn counts.",
        arises_from: "French Tarrasch with ...Qxd5, Alapin and Panov lines after exchanges in the centre, and Semi-Slav and \
            Grünfeld lines with c5.",
        plans_white: &[
            "Advance the majority with b4 and c4-c5, supported by the pieces",
            "Trade queens and rooks: the passed pawn is worth most when little is left",
            "Occupy the d-file and keep the king near the centre",
        ],
        plans_black: &[
            "Use the central majority first: ...e5, and often ...f5 and ...e4",
            "Blockade the queenside pawns on light or dark squares before they move in pairs",
            "Keep queens on and play against the king",
        ],
    },
    Structure {
        name: "Advanced d-Pawn",
        slug: "advanced-d-pawn",
        description: "White's d-pawn has crossed the middle to d5 or d6, Black's is gone, and no pawn on c6 or e6 challenges \
            it. It takes squares from Black's pieces and may become a passed pawn, or a straggler that has to be fed.",
        arises_from: "Grünfeld and Queen's Gambit Accepted with d5, Benoni exchanges; the Albin Counter-Gambit gives Black \
            such a pawn on d4.",
        plans_white: &[
            "Support it with rooks on the d- and e-files and with pieces on e4 or c4",
            "Use the space it takes to play on a wing while Black is cut in two",
            "Push on when the blockader can be driven off",
        ],
        plans_black: &[
            "Block it on d6, best with a knight",
            "Challenge the pawn with ...e6 or ...c6 before it is supported",
            "Surround it: rook on d8, bishops on the diagonals, queen to b6 or a5",
        ],
    },
    Structure {
        name: "Open Center",
        slug: "open-center",
        description: "Neither side has a d-pawn and nothing more special is left of the centre. Files and diagonals are open, \
            so development, the kings' safety and the d-file decide; pawn play moves to the wings.",
        arises_from: "Queen's Gambit Accepted with dxc5, Scandinavian, Scotch and Four Knights lines, and any opening in which \
            the queens come off on d1 or d8.",
        plans_white: &[
            "Take the d-file first and double on it",
            "Use a lead in development at once; it fades in a few moves",
            "Advance the majority that the exchanges have left, with the king near it in the endgame",
        ],
        plans_black: &[
            "Finish development and contest the d-file before anything else",
            "Trade the one active piece that White has won with the tempo",
            "Give the bishops targets; fixed pawns on one colour are the usual ones",
        ],
    },
    Structure {
        name: "Botvinnik Structure",
        slug: "botvinnik-structure",
        description: "White's pawns on c4, d3 and e4 form a triangle, mostly with g3 and a bishop behind it. They hold d5 \
            beyond dispute and give up d4, which Black's pawn on e5 or c5 makes a home for a knight.",
        arises_from: "English Opening in Botvinnik's set-up; with colours reversed the Closed Sicilian and the Closed English \
            met in the same way.",
        plans_white: &[
            "Castle and play f4, with f5 or the f-file in mind",
            "Expand on the queenside with Rb1 and b4",
            "Occupy d5 with a knight, and challenge Black's on d4 with Be3 and Nge2",
        ],
        plans_black: &[
            "Settle a knight on d4 and support it with a pawn",
            "Break with ...f5 against e4, or with ...b5 after ...a6 and ...Rb8",
            "Trade the bishop on g2, after which the light squares near the king are soft",
        ],
    },
    Structure {
        name: "English Structure",
        slug: "english-structure",
        description: "White fights for d5 with the c-pawn and keeps the d- and e-pawns back, as in a Sicilian with colours \
            reversed and a tempo more. Black has c5, d5 or e5. Nothing is fixed yet; whoever plays d4 or ...d5 in good order \
            decides what comes of it.",
        arises_from: "English Opening in its symmetrical and reversed Sicilian lines, and the Réti.",
        plans_white: &[
            "Bishop on g2, pressure on the long diagonal, and b4-b5 with the rook on b1",
            "Play d4 when it opens the centre in White's favour",
            "Use the c-file after cxd5: a rook there, a knight on c5 or a4",
        ],
        plans_black: &[
            "With ...e5 play as White does in an open Sicilian: ...d5, ...Be6, ...f6, or ...f5 and a kingside attack",
            "With ...c5 keep the symmetry and strike first with ...d5 or ...b5",
            "Answer b4 with ...a5 or ...e4 before it gains more room",
        ],
    },
];
