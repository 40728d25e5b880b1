import { expect, it } from 'vitest';
import { parseHostHeader } from './host-header.js';
import { isLoopbackHost, parseIpAddress } from './loopback.js';

it.each([
  ['LOCALHOST:3000', 'localhost'],
  ['127.0.0.1', '127.0.0.1'],
  ['[::1]:80', '[::1]'],
  ['example.com.', 'example.com.'],
  ['example.com:', 'example.com'],
])('returns the host of %s', (text, host) => expect(parseHostHeader(text)).toBe(host));

it.each([
  ...[
    '::1]',
    '[::1',
    '[[::1]]',
    '[::1]]',
    '::1',
    '[::1]x',
    '[::1]:x',
    '[]',
    '',
    ':80',
    'a:b',
    'a:1:2',
    'localhost:99999',
  ],
  ...[
    'a@localhost',
    'localhost/',
    'localhost?x',
    'localhost#x',
    'localhost x',
    'localhost,evil.example',
    '[::1%25lo]',
    'a\\b',
  ],
])('refuses %j', text => expect(parseHostHeader(text)).toBeUndefined());

it.each(['::1]', '[::1', '[127.0.0.1', '127.0.0.1]', '[[::1]]'])('rejects %s as an address', text => {
  expect(parseIpAddress(text)).toBeUndefined();
  expect(isLoopbackHost(text)).toBe(false);
});
