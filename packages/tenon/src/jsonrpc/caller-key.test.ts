import { getCallerKey } from '@tenon/base';
import { describe, expect, it } from 'vitest';

describe('getCallerKey', () => {
  it('identifies authenticated callers by their user, at any address', () => {
    expect(getCallerKey({ principal: 'ada' }, '192.0.2.1')).toBe(getCallerKey({ principal: 'ada' }, '192.0.2.2'));
    expect(getCallerKey({ principal: 'ada' }, undefined)).not.toBe(getCallerKey({ principal: 'bob' }, undefined));
  });

  it('never confuses a user with an address', () => {
    expect(getCallerKey({ principal: '192.0.2.1' }, undefined)).not.toBe(getCallerKey(undefined, '192.0.2.1'));
    expect(getCallerKey({ principal: 'unknown' }, undefined)).not.toBe(getCallerKey(undefined, undefined));
  });

  it('distinguishes IPv4 addresses, also when they are mapped into IPv6', () => {
    expect(getCallerKey(undefined, '::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(getCallerKey(undefined, '192.0.2.2')).toBe('192.0.2.2');
  });

  it.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::7', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('counts %s as a caller of the network %s', (address, network) => {
    expect(getCallerKey(undefined, address)).toBe(network);
  });
});
