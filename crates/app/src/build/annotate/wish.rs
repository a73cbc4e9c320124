//! How long to think about which node.

use tabiya_chess::SearchLimit;

/// How much an engine thinks about nodes of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// To a depth that goes by the kind of node.
    Depths(Depths),
    /// The same number of nodes about each: the one effort that compares across versions of an engine.
    Nodes(u64),
}

/// Half-moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depths {
    /// Where several moves lead on.
    pub branching: u8,
    /// The same where many games come by.
    pub popular: u8,
    /// How many games are many.
    pub popular_games: u64,
    /// Where the tree ends.
    pub terminal: u8,
}

impl Default for Depths {
    fn default() -> Depths {
        Depths {
            branching: 22,
            popular: 26,
            popular_games: 1_000,
            terminal: 18,
        }
    }
}

impl Default for Effort {
    fn default() -> Effort {
        Effort::Depths(Depths::default())
    }
}

/// The kinds of nodes that are evaluated. A node with a single continuation is not: its child says as much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Branching,
    Terminal,
}

impl Effort {
    /// For a node of a kind with so many games; `millis` ends a search that takes longer.
    pub fn limit(self, kind: Kind, games: u64, millis: Option<u32>) -> SearchLimit {
        let limit = match (self, kind) {
            (Effort::Nodes(nodes), _) => SearchLimit::nodes(nodes),
            (Effort::Depths(depths), Kind::Terminal) => SearchLimit::depth(depths.terminal),
            (Effort::Depths(depths), Kind::Branching) if games >= depths.popular_games => {
                SearchLimit::depth(depths.popular)
            }
            (Effort::Depths(depths), Kind::Branching) => SearchLimit::depth(depths.branching),
        };
        SearchLimit { millis, ..limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotation_uses_depth_26_for_high_frequency_nodes() {
        let effort = Effort::default();
        let depth = |kind, games| effort.limit(kind, games, None).depth;
        assert_eq!(depth(Kind::Branching, 2_000), Some(26));
        assert_eq!(depth(Kind::Branching, 1_000), Some(26));
        assert_eq!(depth(Kind::Branching, 999), Some(22));
        assert_eq!(depth(Kind::Terminal, 2_000), Some(18));
    }

    #[test]
    fn nodes_take_the_place_of_depths_and_time_ends_both() {
        let limit = Effort::Nodes(1_000_000).limit(Kind::Terminal, 5, Some(700));
        assert_eq!(limit.to_string(), "nodes 1000000 movetime 700");
    }
}
