import { expect, it } from 'vitest';
import { createStubExchange } from '../fixtures/stub-exchange.js';
import { ExchangeWithHeaders } from './cors.js';

it('adds headers to every response and changes nothing else', () => {
  const waitUntil = () => {};
  const stub = Object.assign(createStubExchange('POST', { accept: 'text/plain' }, 'body'), {
    ephemeral: true,
    waitUntil,
    query: 'a=1',
    mount: '/api',
    remote: '203.0.113.1',
    auth: { principal: 'ada' },
    raw: {},
  });
  const exchange = new ExchangeWithHeaders(stub, { vary: 'origin' });
  const { method, path, query, mount, remote, auth, raw, ephemeral, clientClosed } = stub;
  expect(exchange).toMatchObject({ method, path, query, mount, remote, auth, raw, ephemeral, clientClosed, waitUntil });
  expect(exchange.header('accept')).toBe('text/plain');
  let text: unknown;
  exchange.body(100, body => {
    text = body;
  });
  expect(text).toEqual({ text: 'body' });
  exchange.reply(200, '{}', { 'x-own': '1' });
  expect([stub.status, stub.answer, stub.headers]).toEqual([200, '{}', { 'x-own': '1', vary: 'origin' }]);
  exchange.stream(201, {});
  expect([stub.status, stub.headers]).toEqual([201, { vary: 'origin' }]);
});
