import { expect, it } from 'vitest';
import { becomes } from './names';

const name = (whole: string) => {
  const [opening_name = '', variation_name = null] = whole.split(': ');
  return { opening_id: whole, slug: '', eco_code: 'C50', name: whole, opening_name, variation_name };
};

it.each([
  ['Italian Game: Giuoco Piano', 'Italian Game: Giuoco Piano', ''],
  ['Italian Game: Classical Variation', 'Italian Game: Giuoco Piano', 'Classical Variation'],
  ['Italian Game: Two Knights, Knight Attack', 'Italian Game: Two Knights', 'Knight Attack'],
  ["Petrov's Defense", 'Italian Game', 'Petrov’s Defense'],
  ['Italian Game', 'Italian Game: Giuoco Piano', 'Italian Game'],
])('%s behind %s becomes “%s”', (to, from, text) => expect(becomes(name(to), name(from))).toBe(text));

it('says the whole name at the start and nothing of what has none', () => {
  expect(becomes(name('Italian Game: Giuoco Piano'), null)).toBe('Italian Game: Giuoco Piano');
  expect(becomes(null, name('Italian Game'))).toBe('');
});
