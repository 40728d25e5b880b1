import { expect, it } from 'vitest';
import { selectServers } from './select-servers.js';

const known = ['notes', 'search'];

it('replaces the name of a virtual server by its items', () => {
  const virtual = { docs: ['notes/read_*', 'search'] };
  expect(selectServers(known, { servers: ['docs'], virtual })).toEqual({
    servers: ['notes/read_*', 'search'],
    virtual,
  });
  expect(selectServers(known, { servers: ['notes', 'search/find_*'] }).servers).toEqual(['notes', 'search/find_*']);
  expect(selectServers(known, {})).toEqual({ virtual: {} });
});

it('keeps a server whose name a virtual server has as well', () => {
  expect(selectServers(known, { servers: ['notes'], virtual: { notes: ['search'] } }).servers).toEqual(['notes']);
});

it('refuses unknown servers and paths of the gateway itself', () => {
  expect(() => selectServers(known, { servers: ['note/read'] })).toThrow('server "note" not found');
  expect(() => selectServers(known, { virtual: { docs: ['news'] } })).toThrow('server "news" not found');
  expect(() => selectServers(known, { virtual: { metrics: ['notes'] } })).toThrow('/metrics is reserved');
});
