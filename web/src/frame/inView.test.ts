import { expect, it } from 'vitest';
import { keepInView } from './inView';

function box(top: number, bottom: number): HTMLElement {
  const element = document.createElement('div');
  element.getBoundingClientRect = () => ({ top, bottom }) as DOMRect;
  Object.defineProperty(element, 'clientHeight', { value: bottom - top });
  return element;
}

it.each([
  ['leaves alone what can be seen', 150, 180, 0, 0],
  ['brings up what is below', 290, 320, 0, 90],
  ['brings down what is above', 80, 110, 0, -120],
  ['brings out what lies under a head', 110, 140, 29, -90],
])('%s', (_, top, bottom, above, scrolled) => {
  const list = box(100, 300);
  keepInView(list, box(top, bottom), above);
  expect(list.scrollTop).toBe(scrolled);
});
