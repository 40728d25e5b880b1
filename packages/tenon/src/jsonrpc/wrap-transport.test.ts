import { TenonError } from '@tenon/base';
import { fakeClock, withFaults } from '@tenon/testing';
import { expect, it } from 'vitest';
import { observeTransport } from './observe-transport.js';
import type { MessageReceiver, Transport } from './transport.js';
import { wrapTransport } from './wrap-transport.js';

/** A transport with every optional member, one of which changes after it was wrapped. */
class CompleteTransport implements Transport {
  readonly peer = 'complete';
  readonly firstOutput = Promise.resolve();
  receiver: MessageReceiver | undefined;
  #sessionId: string | undefined;

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  open(receiver: MessageReceiver): void {
    this.receiver = receiver;
    this.#sessionId = 's1';
  }

  send(): void {}
  close(): void {}
  closeStream(): boolean {
    return this.#sessionId !== undefined;
  }
}

it.each([
  ['wrapTransport', (transport: Transport) => wrapTransport(transport, { receive: () => ({}) })],
  ['observeTransport', (transport: Transport) => observeTransport(transport, () => {})],
  ['withFaults', (transport: Transport) => withFaults(transport, { clock: fakeClock() })],
])('%s keeps the members of the transport and of the receiver that it does not replace', async (_, wrap) => {
  const transport = new CompleteTransport();
  const wrapped = wrap(transport);
  const lost: unknown[] = [];
  await wrapped.open({
    onMessage() {},
    onParseError() {},
    onResponseLost() {},
    onClose() {},
    onSessionLost: error => lost.push(error),
  });
  expect(wrapped).toMatchObject({ peer: 'complete', sessionId: 's1' });
  expect(wrapped.firstOutput).toBe(transport.firstOutput);
  expect(wrapped.closeStream?.(1)).toBe(true);
  transport.receiver?.onSessionLost?.(TenonError.from('gone'));
  expect(lost).toHaveLength(1);
});
