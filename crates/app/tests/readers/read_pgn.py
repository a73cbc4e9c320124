"""usage: read_pgn.py FILE...

Every move of every game as python-chess reads it: position before, move, evaluation, and the comment without it."""
import json
import re
import sys

import chess.pgn


def said(node):
    score = node.eval()
    comment = re.sub(r"\[%[^\]]*\]", " ", node.comment)
    return [
        None if score is None else [score.white().score(), score.white().mate()],
        " ".join(comment.split()),
    ]


games = []
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            rows, todo = [], [game]
            while todo:
                node = todo.pop()
                board = node.board()
                for child in node.variations:
                    rows.append([board.epd(en_passant="legal"), child.move.uci(), child.san(), *said(child)])
                todo.extend(node.variations)
            games.append(
                {
                    "tags": dict(game.headers),
                    "errors": [str(error) for error in game.errors],
                    "start": said(game),
                    "moves": rows,
                }
            )
json.dump(games, sys.stdout)
