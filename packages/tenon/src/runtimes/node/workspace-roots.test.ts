import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fakeClock } from '@tenon/testing';
import { connect, createServer, type Root, type TenonError } from 'tenon';
import { workspaceRoots } from 'tenon/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe('workspaceRoots', () => {
  let base = '';
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'tenon-roots-')));
    await mkdir(join(base, 'a'));
    await mkdir(join(base, 'b'));
  });
  afterEach(() => rm(base, { recursive: true, force: true, maxRetries: 10 }));

  const path = (name: string) => join(base, name);
  const uri = (name: string) => pathToFileURL(path(name)).href;

  it('lists folders as file URIs, with their names [roots.uri-file-scheme]', async () => {
    const roots = workspaceRoots([path('a'), { path: path('b'), name: 'Second' }]);
    expect(await roots.list()).toEqual([{ uri: uri('a') }, { uri: uri('b'), name: 'Second' }]);
  });

  it('lists the real folder of a link and of a path with ".." [roots.security.uris-validated]', async () => {
    await symlink(path('b'), path('link'));
    const roots = workspaceRoots([path('link'), join(base, 'a', '..', 'a')]);
    expect(await roots.list()).toEqual([{ uri: uri('b') }, { uri: uri('a') }]);
  });

  it('omits folders that are missing or are files, and reports each once [roots.client.accessibility-checked]', async () => {
    const errors: TenonError[] = [];
    await writeFile(path('file'), '');
    const roots = workspaceRoots([path('a'), path('missing'), path('file')], { onError: error => errors.push(error) });
    await roots.list();
    expect(await roots.list()).toEqual([{ uri: uri('a') }]);
    expect(errors.map(({ code, received }) => [code, received])).toEqual([
      ['roots/unavailable', 'ENOENT'],
      ['roots/unavailable', 'something that is no folder'],
    ]);
  });

  it('announces a folder that disappears and comes back [roots.security.accessibility-monitored] [roots.client.changes-monitored]', async () => {
    const clock = fakeClock();
    const roots = workspaceRoots([path('a'), path('b')], { clock, interval: 1000 });
    let changes = 0;
    const unsubscribe = roots.subscribe(() => {
      changes += 1;
    });
    await roots.list();
    const advance = async () => {
      const before = clock.timers;
      clock.advance(1000);
      await expect.poll(() => clock.timers).toBe(before);
    };
    await advance();
    expect(changes).toBe(0);
    await rm(path('b'), { recursive: true, maxRetries: 10 });
    await advance();
    expect(changes).toBe(1);
    expect(await roots.list()).toEqual([{ uri: uri('a') }]);
    await mkdir(path('b'));
    await advance();
    expect(changes).toBe(2);
    unsubscribe();
    expect(clock.timers).toBe(0);
  });

  it('announces a change also to a client that did not list the roots since', async () => {
    const clock = fakeClock();
    const roots = workspaceRoots([path('a'), path('b')], { clock, interval: 1000 });
    const notifications: string[] = [];
    roots.subscribe(() => notifications.push('first'));
    roots.subscribe(() => notifications.push('second'));
    await roots.list();
    await rm(path('b'), { recursive: true, maxRetries: 10 });
    await roots.list();
    clock.advance(1000);
    await expect.poll(() => notifications).toEqual(['first', 'second']);
  });

  it('notifies the server over a connection when the folders are replaced, until the client is closed [roots.list-changed.notify]', async () => {
    const seen: (readonly Root[])[] = [];
    const server = createServer({
      name: 'editor',
      version: '1.0.0',
      onRootsChanged: async change => void seen.push(await change.roots()),
    });
    const roots = workspaceRoots([path('a')]);
    const client = await connect(server, { protocolVersion: '2025-11-25', roots });
    expect(await roots.list()).toEqual([{ uri: uri('a') }]);
    roots.set([path('a'), path('b')]);
    await expect.poll(() => seen).toEqual([[{ uri: uri('a') }, { uri: uri('b') }]]);
    await client.close();
    roots.set([path('a')]);
    await roots.list();
    expect(seen).toHaveLength(1);
  });
});
