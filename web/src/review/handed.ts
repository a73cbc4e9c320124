// A game on its way from another page to the review.

let waiting: string | null = null;

export function hand(pgn: string): void {
  waiting = pgn;
}

/** The game that was handed over, once. */
export function take(): string | null {
  const pgn = waiting;
  waiting = null;
  return pgn;
}
