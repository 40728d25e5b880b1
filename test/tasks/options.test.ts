import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TASK_DEFAULTS } from '../../packages/tenon/src/extensions/tasks/options.js';
import { root } from '../docs/pages.js';

const page = readFileSync(join(root, 'docs/servers/tasks.md'), 'utf8');
const units: Record<string, number> = { hours: 3_600_000, days: 86_400_000, minutes: 60_000 };

describe('the page of tasks', () => {
  it('contains each limit with its default [tasks.resources.limits-documented]', () => {
    const options = page.slice(page.indexOf('## Options'));
    const rows = [...options.matchAll(/^\| `(\w+)` \|[^|]*\| ([\d.,]+) ?(\w*) \|$/gm)];
    const listed = rows.map(([, name, value = '', unit = '']) => [
      name,
      Number(value.replaceAll(',', '')) * (units[unit] ?? 1),
    ]);
    expect(Object.fromEntries(listed)).toEqual(TASK_DEFAULTS);
  });

  it('states who can use a task without authorization [tasks.security.limitation-documented]', () => {
    expect(page.replaceAll('\n', ' ')).toContain(
      'Without authorization, any caller with the ID can read and answer the task',
    );
  });
});
