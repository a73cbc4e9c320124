import { afterEach, expect, it, vi } from 'vitest';
import { copy } from './copy';

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(document, 'execCommand');
});

it('copies by the clipboard', async () => {
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { clipboard: { writeText } });
  expect(await copy('8/8')).toBe(true);
  expect(writeText).toHaveBeenCalledWith('8/8');
});

it('copies what it selects where there is no clipboard, and leaves the focus where it was', async () => {
  vi.stubGlobal('navigator', {});
  const button = document.createElement('button');
  document.body.append(button);
  button.focus();
  let copied = '';
  document.execCommand = () => {
    const area = document.activeElement as HTMLTextAreaElement;
    copied = area.value.slice(area.selectionStart, area.selectionEnd);
    return true;
  };
  expect(await copy('8/8')).toBe(true);
  expect(copied).toBe('8/8');
  expect(document.activeElement).toBe(button);
  expect(document.querySelector('textarea')).toBeNull();
  button.remove();
});

it('says when nothing could be copied', async () => {
  vi.stubGlobal('navigator', {});
  expect(await copy('8/8')).toBe(false);
});
