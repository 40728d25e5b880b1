import { readFileSync } from 'node:fs';
import { version } from 'tenon';
import { expect, it } from 'vitest';

it('states the version under which it is published', () => {
  const manifest = new URL('../../packages/tenon/package.json', import.meta.url);
  expect(version).toBe(JSON.parse(readFileSync(manifest, 'utf8')).version);
});
