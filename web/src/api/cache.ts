// Answers that were asked for once. A promise is kept, not its value: who asks while another waits waits with them.

export class Cache<T> {
  #kept = new Map<string, { asked: Promise<T>; value?: T }>();

  /** What is not kept is told to all who wait for it, and asked for again. */
  constructor(
    private readonly size: number,
    private readonly keeps: (value: T) => boolean = () => true,
  ) {}

  /** The value, where it has arrived: shown at once, without a moment of nothing. */
  peek(key: string): T | undefined {
    return this.#kept.get(key)?.value;
  }

  get(key: string, ask: () => Promise<T>): Promise<T> {
    const found = this.#kept.get(key);
    if (found) {
      // The youngest stand last, and the oldest are let go of.
      this.#kept.delete(key);
      this.#kept.set(key, found);
      return found.asked;
    }
    const entry: { asked: Promise<T>; value?: T } = { asked: ask() };
    this.#kept.set(key, entry);
    entry.asked.then(
      (value) => {
        if (this.keeps(value)) entry.value = value;
        else this.#kept.delete(key);
      },
      // What failed may be asked for again.
      () => this.#kept.delete(key),
    );
    for (const old of this.#kept.keys()) {
      if (this.#kept.size <= this.size) break;
      this.#kept.delete(old);
    }
    return entry.asked;
  }
}
