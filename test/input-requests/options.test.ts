import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_INPUT_REQUEST_OPTIONS } from '../../packages/tenon/src/execution/options.js';
import { root } from '../docs/pages.js';

describe('the table of input request options', () => {
  it('contains each with its default', () => {
    const page = readFileSync(join(root, 'docs/servers/elicitation.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \|[^|]*\| ([\d,]+) \|$/gm)];
    const listed = Object.fromEntries(rows.map(([, name, value = '']) => [name, Number(value.replaceAll(',', ''))]));
    expect(listed).toEqual(DEFAULT_INPUT_REQUEST_OPTIONS);
  });
});
