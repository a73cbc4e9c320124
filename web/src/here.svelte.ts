// The page in front of the reader, for those parts of the frame that speak about it: the window is called after it, the
// search box plays moves on its board, and a screen reader is told what happened.

class Here {
  /** What the page shows, where that has a name. */
  about = $state('');
  /** The position on the board, where a page has one that takes moves. */
  fen = $state<string | null>(null);
  play: (uci: string) => void = () => {};
  /** What was said last to a screen reader. */
  said = $state('');

  /** Puts the reader into the search box. */
  search: () => void = () => {};

  say(words: string): void {
    this.said = words;
  }

  /** Gives what the page shows a name until the returned function is called. */
  call(name: string): () => void {
    this.about = name;
    return () => {
      // The next page may have named itself already.
      if (this.about === name) this.about = '';
    };
  }

  /** Lends the board to the frame until the returned function is called. */
  lend(fen: string, play: (uci: string) => void): () => void {
    this.fen = fen;
    this.play = play;
    return () => {
      this.fen = null;
      this.play = () => {};
    };
  }
}

export const here = new Here();
