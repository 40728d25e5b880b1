import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { RECORD_KINDS } from '../../packages/base/src/stores/record-kinds.js';

it('lists each kind of stored records with its format on the page about storage', async () => {
  const page = await readFile(new URL('../../docs/concepts/storage.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]*`) \| (\d+) \|/gm)];
  const listed = rows.flatMap(([, kinds = '', format]) =>
    [...kinds.matchAll(/`([^`]+)`/g)].map(([, kind = '']) => [kind, { format: Number(format) }] as const),
  );
  const formats = Object.entries(RECORD_KINDS).map(([kind, { format }]) => [kind, { format }] as const);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(formats));
});
