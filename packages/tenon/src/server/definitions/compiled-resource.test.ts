import { beforeAll, expect, it, vi } from 'vitest';
import type { createServer as CreateServer } from '../server.js';

const about = { name: 'a', version: '1' };
const read = () => 'text';
let createServer: typeof CreateServer;

/** Other tests of the same process have loaded `resource`. */
beforeAll(async () => {
  vi.resetModules();
  ({ createServer } = await import('../server.js'));
});

/** No one calls `resource` before it is loaded here, as in a program that has no use for it. */
it('reads templates where `resource` is called, and throws there', async () => {
  const make = () => createServer({ ...about, resources: { 'a://{b}': { read } } });
  expect(make).toThrow(/URI template "a:\/\/\{b\}" needs.*Define the resource with resource\(\{ … \}\)/s);
  expect(createServer({ ...about, resources: { 'a://b': { read } } }).resources.listNames()).toEqual(['a://b']);
  const { resource } = await import('./resource.js');
  expect(make).toThrow();
  expect(createServer({ ...about, resources: { 'a://{b}': resource({ read }) } }).resources.size).toBe(1);
});
