import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { Peer } from '../jsonrpc/peer.js';
import { createTransportPair } from '../transports/memory.js';
import { createPeer } from './create-peer.js';

it('adds nothing to requests without telemetry [otel.overhead]', () => {
  const handler = {
    onRequest: () => ({}),
    onNotification() {},
    onError() {},
    onClose() {},
    getBatchMode: () => false as const,
    getUnreadableId: () => null,
  };
  const peer = createPeer(createTransportPair().server, handler, fakeClock(), () => {
    throw new Error('a connection is described for telemetry only');
  });
  expect(Object.getPrototypeOf(peer)).toBe(Peer.prototype);
});
