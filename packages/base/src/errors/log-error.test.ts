import { describe, expect, it } from 'vitest';
import { TenonError } from './error.js';
import { createErrorReporter } from './log-error.js';

describe('createErrorReporter', () => {
  const error = new TenonError('internal/unexpected', 'broken');

  it('calls `onError`, and nothing when there is none', () => {
    const reported: TenonError[] = [];
    createErrorReporter(each => reported.push(each))(error);
    createErrorReporter(undefined)(error);
    expect(reported).toEqual([error]);
  });

  it('ignores an exception of `onError`, and a promise that rejects', async () => {
    const fail = (): void => {
      throw new Error('no logs');
    };
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', note);
    createErrorReporter(fail)(error);
    createErrorReporter(async () => fail())(error);
    await new Promise(resolve => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });
});
