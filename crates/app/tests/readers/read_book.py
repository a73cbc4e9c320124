"""usage: read_book.py BOOK...

Every entry in the order of the file, and every move that python-chess finds when it walks from the initial position."""
import json
import sys

import chess.polyglot

books = []
for path in sys.argv[1:]:
    with chess.polyglot.open_reader(path) as book:
        entries = [[f"{entry.key:016x}", entry.raw_move, entry.weight, entry.learn] for entry in book]
        found, keys, todo = [], set(), [chess.Board()]
        while todo:
            board = todo.pop()
            key = chess.polyglot.zobrist_hash(board)
            if key in keys:
                continue
            keys.add(key)
            for entry in book.find_all(board):
                assert entry.move in board.legal_moves, (board.fen(), entry)
                found.append(
                    [f"{key:016x}", board.epd(en_passant="legal"), entry.move.uci(), entry.weight, board.is_castling(entry.move)]
                )
                after = board.copy(stack=False)
                after.push(entry.move)
                todo.append(after)
    books.append({"entries": entries, "found": found})
json.dump(books, sys.stdout)
