import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createNotification, createSuccess, type Id } from '../jsonrpc/message.js';
import { createProgressGap, PROGRESS_GAP } from './progress-gap.js';

/** A gap before a stream that writes when the test says so. */
function createGap() {
  const clock = fakeClock();
  const sent: (Id | string | undefined)[] = [];
  const unwritten: (() => void)[] = [];
  const gap = createProgressGap((message, onWritten) => {
    if (Array.isArray(message)) sent.push(message.map(({ id }) => id).join());
    else if ('method' in message) sent.push(message.method.split('/')[1]);
    else if ('id' in message) sent.push(message.id ?? undefined);
    if (onWritten) unwritten.push(onWritten);
  }, clock);
  const advance = async (ms: number) => {
    clock.advance(ms);
    await new Promise(resolve => setImmediate(resolve));
  };
  return {
    ...{ clock, sent, gap, advance },
    write: () => unwritten.splice(0).forEach(call => void call()),
    report: (relatedTo: Id, name = 'progress') =>
      void gap.send(createNotification(`notifications/${name}`, {}), { relatedTo }),
    respond: (id: Id) => void gap.send(createSuccess(id, {})),
  };
}

describe('the gap after progress', () => {
  it('delays the response to the same request alone, and after progress alone', async () => {
    const { sent, write, report, respond, advance } = createGap();
    report(1);
    report(2, 'message');
    write();
    respond(1);
    respond(2);
    respond(3);
    expect(sent).toEqual(['progress', 'message', 2, 3]);
    await advance(PROGRESS_GAP - 1);
    expect(sent).toHaveLength(4);
    await advance(1);
    expect(sent).toEqual(['progress', 'message', 2, 3, 1]);
    report(1);
    write();
    await advance(PROGRESS_GAP);
    respond(1);
    expect(sent.at(-1)).toBe(1);
  });

  it('begins when the progress is written, not when it is sent', async () => {
    const { sent, write, report, respond, advance } = createGap();
    report(1);
    await advance(PROGRESS_GAP - 10);
    respond(1);
    await advance(PROGRESS_GAP - 10);
    write();
    await advance(PROGRESS_GAP - 1);
    expect(sent).toEqual(['progress']);
    await advance(1);
    expect(sent).toEqual(['progress', 1]);
  });

  it('delays a batch by the last progress of its requests', async () => {
    const { sent, write, report, gap, advance } = createGap();
    report(1);
    write();
    await advance(20);
    report('a');
    write();
    void gap.send([createSuccess(1, {}), createSuccess('a', {}), createSuccess(2, {})]);
    await advance(PROGRESS_GAP - 1);
    expect(sent).toEqual(['progress', 'progress']);
    await advance(1);
    expect(sent.at(-1)).toBe('1,a,2');
  });

  it('settles when the responses that wait are sent', async () => {
    const { sent, write, report, respond, gap, advance } = createGap();
    report(1);
    write();
    respond(1);
    const settled = gap.settle().then(() => sent.push('settled'));
    await advance(PROGRESS_GAP);
    await settled;
    // A result of its own would contain those of all earlier responses.
    expect(await gap.settle()).toBeUndefined();
    expect(sent).toEqual(['progress', 1, 'settled']);
  });

  it('sends the response after progress that cannot be written, and passes both errors on', async () => {
    const clock = fakeClock();
    const refused = new TenonError('connection/closed', 'the connection is closed');
    const gap = createProgressGap(() => Promise.reject(refused), clock);
    await expect(gap.send(createNotification('notifications/progress'), { relatedTo: 1 })).rejects.toBe(refused);
    const response = Promise.resolve(gap.send(createSuccess(1, {})));
    response.catch(() => {});
    clock.advance(PROGRESS_GAP);
    await expect(response).rejects.toBe(refused);
    await gap.settle();
    expect(clock.timers).toBe(0);
  });
});
