// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
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

  it('returns the same for the volumes of a container in every copy of the folder', async () => {
    const mount = (folder: string, source: string) =>
      entry(folder, ['run', '--mount', `type=bind,source=${source}`], '/');
    const one = await describeSource(mount('/home/ann/work', '/home/ann/work/data,target=/data'));
    expect(one).toEqual(await describeSource(mount('/builds/7', '/builds/7/data,target=/data')));
    expect(one).not.toEqual(await describeSource(mount('/home/ann/work', '/home/ann/works,target=/data')));
    expect(await describeSource(mount('/w', '/w,target=/x'))).toMatchObject({
      args: ['run', '--mount', 'type=bind,source=<folder>,target=/x'],
    });
  });

  it('names variables and headers with values of the caller', async () => {
    const perCaller = { env: { WHO: '${caller:user}' }, headers: { 'X-User': '${caller:user}' } };
    const command = { name: 'a', target: { command: 'a', env: { MODE: 'dev' } }, perCaller };
    expect(await describeSource(command)).toMatchObject({ env: ['MODE', 'WHO'] });
    const url = { name: 'a', target: { url: 'https://example.com/mcp' }, perCaller };
    expect(await describeSource(url)).toMatchObject({ headers: ['x-user'] });
  });
});
