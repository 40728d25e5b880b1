import { describe, expect, it } from 'vitest';
import type { ServerEntry } from '../../config/server-entry.js';
import { describeSource } from './server-source.js';

const entry = (folder: string, args: readonly string[], cwd: string): ServerEntry => ({
  name: 'notes',
  target: { command: 'node', args, cwd },
  origin: { file: `${folder}/mcp.json`, line: 2, scope: 'project' },
});

describe('describeSource', () => {
  it('returns the same in every copy of the folder of its configuration', async () => {
    const one = await describeSource(entry('/home/ann/work', ['/home/ann/work/server.js'], '/home/ann/work'));
    const other = await describeSource(entry('/builds/7', ['/builds/7/server.js'], '/builds/7'));
    expect(one).toEqual(other);
    expect(one).toMatchObject({ cwd: '<folder>', args: ['<folder>/server.js'] });
  });

  it('differs for a path outside, or relative to another folder', async () => {
    const one = await describeSource(entry('/home/ann/work', ['/home/ann/work/server.js'], '/home/ann/work'));
    const outside = await describeSource(entry('/home/ann/work', ['/home/ann/works/server.js'], '/home/ann/work'));
    const relative = await describeSource(entry('/home/ann/work', ['./server.js'], '/tmp'));
    for (const each of [outside, relative]) expect(each).not.toEqual(one);
  });
});
