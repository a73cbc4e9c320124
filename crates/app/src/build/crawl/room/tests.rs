use super::*;

/// Numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % limit
    }
}

const POSITIONS: u64 = 60;

fn id(number: u64) -> PositionId {
    PositionId::from_i64(number as i64)
}

/// Everything that an explorer would say: of each position a few moves, to anywhere.
fn tree(dice: &mut Dice) -> Answers {
    let mut answer = || Answer {
        depth: 0,
        moves: (0..dice.below(5))
            .map(|at| {
                let known = KnownMove {
                    uci: format!("a1a{at}"),
                    games: 1 + dice.below(30),
                };
                (known, id(dice.below(POSITIONS)))
            })
            .collect(),
        is_new: true,
        is_flagged: false,
    };
    (0..POSITIONS).map(|number| (id(number), answer())).collect()
}

fn room(dice: &mut Dice) -> Room {
    let seeds: HashSet<PositionId> = (0..1 + dice.below(4)).map(id).collect();
    let mut named = seeds.clone();
    named.extend((0..dice.below(3)).map(|number| id(POSITIONS - 1 - number)));
    // Lines that meet, and moves that nobody has played.
    let lines: HashMap<PositionId, Vec<PositionId>> = (0..dice.below(6))
        .map(|_| (id(dice.below(POSITIONS)), vec![id(dice.below(POSITIONS))]))
        .collect();
    named.extend(
        lines
            .iter()
            .flat_map(|(parent, children)| children.iter().chain([parent])),
    );
    Room {
        most: named.len() + dice.below(25) as usize,
        depth: 1 + dice.below(6) as u16,
        seeds,
        named,
        lines,
    }
}

/// Who would be asked next: the positions of the smallest depth that nobody has answered for.
fn waiting(room: &Room, answers: &Answers, min_games: u64) -> Vec<PositionId> {
    let mut reached = room.seeds.clone();
    let mut level: Vec<PositionId> = room.seeds.iter().copied().collect();
    for _ in 0..room.depth {
        let mut open: Vec<PositionId> = level.iter().copied().filter(|id| !answers.contains_key(id)).collect();
        if !open.is_empty() {
            open.sort_unstable();
            return open;
        }
        let moves = level.iter().flat_map(|id| &answers[id].moves);
        let named = level.iter().filter_map(|id| room.lines.get(id)).flatten();
        let next: Vec<PositionId> = moves
            .filter(|(known, _)| known.games >= min_games)
            .map(|(_, child)| child)
            .chain(named)
            .copied()
            .collect();
        level = next.into_iter().filter(|child| reached.insert(*child)).collect();
    }
    Vec::new()
}

/// Raises the threshold as far as it has to be, and forgets what is below.
fn cut(room: &Room, answers: &mut Answers, min_games: u64) -> u64 {
    let raised = room.lowest(answers, min_games);
    let reach = room.reach(answers, raised);
    let mut all = std::mem::take(answers);
    for (id, depth) in reach.answered {
        let mut answer = all.remove(&id).expect("everyone once");
        answer.depth = depth;
        room.cut(id, &mut answer, raised);
        answers.insert(id, answer);
    }
    raised
}

/// However often and wherever a crawl is cut, it ends with the lowest threshold under which the whole tree fits, and with its answers.
#[test]
fn when_it_is_cut_does_not_matter() {
    let mut raised = 0;
    for seed in 0..300 {
        let dice = &mut Dice(seed);
        let (whole, room) = (tree(dice), room(dice));
        let fits = |min_games: &u64| room.reach(&whole, *min_games).met.len() <= room.most;
        let lowest = (1..).find(fits).expect("names fit");
        assert_eq!(room.lowest(&whole, 1), lowest, "{seed}");
        raised += u32::from(lowest > 1);

        let (mut answers, mut min_games) = (Answers::new(), 1);
        loop {
            let open = waiting(&room, &answers, min_games);
            if open.is_empty() {
                break;
            }
            let asked = open[dice.below(open.len() as u64) as usize];
            let mut answer = whole[&asked].clone();
            room.cut(asked, &mut answer, min_games);
            answers.insert(asked, answer);
            let reach = room.reach(&answers, min_games);
            if reach.met.len() > room.overfull() || dice.below(9) == 0 {
                min_games = cut(&room, &mut answers, min_games);
                assert!(min_games <= lowest, "{seed}");
            }
        }
        assert_eq!(cut(&room, &mut answers, min_games), lowest, "{seed}");
        let mut expected = room.reach(&whole, lowest).answered;
        let mut found: Vec<(PositionId, u16)> = answers.iter().map(|(id, answer)| (*id, answer.depth)).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{seed}");
    }
    assert!(raised > 100, "{raised}");
}

#[test]
fn nothing_is_raised_that_fits() {
    let dice = &mut Dice(7);
    let whole = tree(dice);
    let room = Room {
        most: POSITIONS as usize,
        ..room(dice)
    };
    assert_eq!(room.lowest(&whole, 3), 3);
    assert_eq!(room.lowest(&Answers::new(), 3), 3);
}
