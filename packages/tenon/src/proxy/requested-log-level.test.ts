import { describe, expect, it } from 'vitest';
import type { LoggingLevel } from '../protocol/content.js';
import { RequestedLogLevel } from './requested-log-level.js';

function setUp() {
  const sent: { level: LoggingLevel; resolve: () => void; reject: (error: Error) => void }[] = [];
  const errors: unknown[] = [];
  const level = new RequestedLogLevel(
    each => new Promise<void>((resolve, reject) => sent.push({ level: each, resolve, reject })),
    error => void errors.push(error),
  );
  return { level, sent, errors };
}

describe('RequestedLogLevel', () => {
  it('sends the level once, and delays calls that need it until the server has it', async () => {
    const { level, sent } = setUp();
    const first = level.request('debug');
    const second = level.request('error');
    let isKnown = false;
    void Promise.resolve(second).then(() => {
      isKnown = true;
    });
    await new Promise(setImmediate);
    expect([sent.map(each => each.level), isKnown]).toEqual([['debug'], false]);
    sent[0]?.resolve();
    await Promise.all([first, second]);
    expect(level.request('info')).toBeUndefined();
  });

  it('sends the level again when a more verbose one is requested', async () => {
    const { level, sent } = setUp();
    void level.set('error');
    void level.request('info');
    expect(sent.map(each => each.level)).toEqual(['error', 'info']);
  });

  it('fails no call when the server refuses the level, and reports it once', async () => {
    const { level, sent, errors } = setUp();
    const first = level.request('info');
    const second = level.request('error');
    sent[0]?.reject(new Error('refused'));
    await expect(first).resolves.toBeUndefined();
    await expect(second).resolves.toBeUndefined();
    expect(errors).toEqual([new Error('refused')]);
    expect(level.request('info')).toBeUndefined();
  });
});
