//! The Lichess explorer's answers as the description of this API has them. `app` writes them; here is only what they look like.

use utoipa::ToSchema;

macro_rules! described {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {$(
        #[derive(ToSchema)]
        $(#[$meta])*
        #[expect(dead_code, reason = "only described, never made")]
        pub(crate) struct $name { $($(#[$field_meta])* $field: $type,)* }
    )*};
}

described! {
    /// What was played in a position, as the Lichess opening explorer tells it.
    #[schema(rename_all = "camelCase")]
    ExplorerAnswer {
        /// The last name on the way.
        #[schema(required)]
        opening: Option<ExplorerOpening>,
        white: u64,
        draws: u64,
        black: u64,
        /// The most played first.
        moves: Vec<ExplorerMove>,
        /// By the strongest players.
        top_games: Vec<ExplorerGame>,
        /// The latest; `/masters` has none.
        recent_games: Option<Vec<ExplorerGame>>,
    }

    #[schema(rename_all = "camelCase")]
    ExplorerMove {
        /// Castling is the king taking its rook.
        #[schema(example = "e1h1")]
        uci: String,
        #[schema(example = "O-O")]
        san: String,
        average_rating: Option<u64>,
        white: u64,
        draws: u64,
        black: u64,
        /// Always `null`: single games are not kept.
        #[schema(required)]
        game: Option<ExplorerGame>,
        /// Of the position behind the move, if it has a name of its own.
        #[schema(required)]
        opening: Option<ExplorerOpening>,
    }

    ExplorerOpening {
        #[schema(example = "C50")]
        eco: String,
        #[schema(example = "Italian Game")]
        name: String,
    }

    ExplorerGame {
        /// The move it went on with.
        uci: String,
        /// Lichess's own of a game from there; else sixteen hexadecimal digits.
        id: String,
        /// `white`, `black`, or nobody.
        #[schema(required)]
        winner: Option<String>,
        white: ExplorerPlayer,
        black: ExplorerPlayer,
        #[schema(required)]
        year: Option<u16>,
        #[schema(required, example = "1998-05")]
        month: Option<String>,
    }

    ExplorerPlayer {
        name: String,
        #[schema(required)]
        rating: Option<u16>,
    }

    /// An opening as an app bundles it: every line of play a path of nested nodes.
    #[schema(rename_all = "camelCase")]
    AppOpening {
        /// The file's stem in a bundle.
        #[schema(example = "italian-game")]
        id: String,
        name: String,
        eco: String,
        /// `white` or `black`.
        color: String,
        /// `beginner`, `intermediate` or `advanced`.
        difficulty: String,
        description: String,
        /// Where the moves begin.
        root_fen: String,
        root_responses: Vec<String>,
        /// How often each is played; they sum to 1.
        root_weights: Vec<f64>,
        moves: Vec<AppNode>,
    }

    /// A position of an [`AppOpening`].
    AppNode {
        san: String,
        /// After the move, with the counters of this line.
        fen: String,
        /// What the position is called, where it has a name of its own.
        commentary: Option<String>,
        #[schema(rename = "engineResponses")]
        engine_responses: Vec<String>,
        /// They sum to 1 where there are responses.
        #[schema(rename = "responseWeights")]
        response_weights: Vec<f64>,
        stockfish_eval: Option<i32>,
        best_move: Option<String>,
        is_dubious: Option<bool>,
        is_busted: Option<bool>,
        game_count: Option<u64>,
        white_win_pct: Option<f64>,
        resulting_structure: Option<String>,
        #[schema(no_recursion)]
        children: Option<Vec<AppNode>>,
    }
}
