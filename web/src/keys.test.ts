import { expect, it, vi } from 'vitest';
import { bind, bound, press } from './keys.svelte';

function pressed(key: string, target: HTMLElement = document.body, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, cancelable: true, ...more });
  Object.defineProperty(event, 'target', { value: target });
  press(event);
  return event;
}

it('gives the youngest group the first say, and the older one its own again', () => {
  const old = vi.fn();
  const young = vi.fn();
  const stopOld = bind('Frame', [{ key: 'f', does: 'flips', run: old }]);
  const stopYoung = bind('Page', [{ key: 'f', does: 'flips', run: young }]);
  expect(bound().map((group) => group.title)).toEqual(['Frame', 'Page']);
  pressed('f');
  expect([old, young].map((spy) => spy.mock.calls.length)).toEqual([0, 1]);
  stopYoung();
  pressed('f');
  expect([old, young].map((spy) => spy.mock.calls.length)).toEqual([1, 1]);
  stopOld();
  expect(bound()).toEqual([]);
});

it('leaves Enter to what has the focus', () => {
  const run = vi.fn();
  const stop = bind('Page', [{ key: 'Enter', does: 'goes on', run }]);
  const button = document.createElement('button');
  const icon = document.createElement('i');
  button.append(icon);
  expect([button, icon, document.createElement('a')].map((target) => pressed('Enter', target).defaultPrevented)).toEqual([false, false, false]);
  expect(pressed('Enter').defaultPrevented).toBe(true);
  expect(run).toHaveBeenCalledOnce();
  stop();
});

it('leaves letters to those who write, and chords to the browser', () => {
  const run = vi.fn();
  const stop = bind('Page', [{ key: '1-9', does: 'plays', run }]);
  pressed('3', document.createElement('input'));
  pressed('3', document.body, { ctrlKey: true });
  expect(pressed('0').defaultPrevented).toBe(false);
  expect(run).not.toHaveBeenCalled();
  expect(pressed('3').defaultPrevented).toBe(true);
  expect(run).toHaveBeenCalledOnce();
  stop();
});
