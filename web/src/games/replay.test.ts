import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Replay, START, pace } from './replay.svelte';

describe('the replay', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('goes from 600 ms down to 100 ms, 40 ms faster per game', () => {
    expect([0, 1, 2, 12, 13, 200].map(pace)).toEqual([600, 560, 520, 120, 100, 100]);
  });

  it('starts by itself after 800 ms, plays every game and begins again', () => {
    const replay = new Replay([2, 1]);
    const stop = replay.start();
    const at = () => [replay.game, replay.ply];
    vi.advanceTimersByTime(START - 1);
    expect(at()).toEqual([0, 0]);
    vi.advanceTimersByTime(1);
    expect(at()).toEqual([0, 1]);
    vi.advanceTimersByTime(600);
    expect(at()).toEqual([0, 2]);
    vi.advanceTimersByTime(600);
    expect(at()).toEqual([1, 0]);
    vi.advanceTimersByTime(560);
    expect(at()).toEqual([1, 1]);
    vi.advanceTimersByTime(560);
    expect(at()).toEqual([0, 0]);
    vi.advanceTimersByTime(600);
    expect(at()).toEqual([0, 1]);
    stop();
    vi.advanceTimersByTime(10_000);
    expect(at()).toEqual([0, 1]);
  });

  it('stands still while it is paused or cannot be seen, and goes on where it stood', () => {
    const replay = new Replay([10]);
    const stop = replay.start();
    vi.advanceTimersByTime(START);
    replay.hidden = true;
    vi.advanceTimersByTime(5000);
    expect(replay.ply).toBe(1);
    replay.hidden = false;
    replay.paused = true;
    vi.advanceTimersByTime(5000);
    expect(replay.ply).toBe(1);
    replay.paused = false;
    vi.advanceTimersByTime(600);
    expect(replay.ply).toBe(2);
    stop();
  });
});
