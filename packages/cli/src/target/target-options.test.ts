import { fakeClock } from '@tenon/testing';
import { Command } from 'commander';
import { connect, createServer, TenonError, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { getHint } from '../error-hints.js';
import { readTimeouts, refuseUnknownOptions, withTargetOptions } from './target-options.js';

const parse = (...args: string[]) =>
  readTimeouts(withTargetOptions(new Command('x')).parse(args, { from: 'user' }).opts());

describe('the timeouts of a command', () => {
  it('limits the time after the last progress with --timeout, and the whole time with --total-timeout', () => {
    expect(parse('--timeout', '1s')).toEqual({ idleTimeout: 1000 });
    expect(parse('--total-timeout', '1m')).toEqual({ totalTimeout: 60_000 });
    expect(parse('--timeout', '1s', '--total-timeout', '1 minute')).toEqual({
      idleTimeout: 1000,
      totalTimeout: 60_000,
    });
    expect(parse()).toEqual({});
  });

  it('uses those of the configuration unless an option sets one', () => {
    const configured = { startTimeout: 1, idleTimeout: 2, totalTimeout: 3 };
    expect(readTimeouts({}, configured)).toEqual({ idleTimeout: 2, totalTimeout: 3 });
    expect(readTimeouts({}, { idleTimeout: undefined, totalTimeout: 3 })).toEqual({ totalTimeout: 3 });
    expect(readTimeouts({ timeout: 4 }, configured)).toEqual({ idleTimeout: 4 });
    expect(readTimeouts({ totalTimeout: 5 }, configured)).toEqual({ totalTimeout: 5 });
  });

  it('does not end a call that reports progress more often than --timeout, unless the total time is over', async () => {
    const clock = fakeClock();
    const steps: ((value?: unknown) => void)[] = [];
    const slow = tool({
      run: async (_, { progress }) => {
        for (let step = 1; step <= 4; step++) {
          await new Promise(resolve => steps.push(resolve));
          progress(step, 4);
        }
        return 'done';
      },
    });
    const server = createServer({ name: 'slow', version: '1', tools: { slow } });
    const call = async (...args: string[]) => {
      const client = await connect(server, { clock, ...parse(...args) });
      let reported = 0;
      const result = client.callTool(
        'slow',
        {},
        {
          onProgress: () => {
            reported += 1;
          },
        },
      );
      result.catch(() => {});
      for (let step = 1; step <= 4; step++) {
        for (let turn = 0; turn < 500 && steps.length === 0; turn++)
          await new Promise(resolve => setImmediate(resolve));
        await clock.advance(800);
        steps.pop()?.();
        for (let turn = 0; turn < 50 && reported < step; turn++) await new Promise(resolve => setImmediate(resolve));
      }
      return result.finally(() => client.close());
    };
    expect(await call('--timeout', '1s')).toMatchObject({ content: [{ text: 'done' }] });
    const ended = await call('--timeout', '1s', '--total-timeout', '2s').catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 'call/timeout' });
    expect(getHint(TenonError.from(ended))).toContain('--total-timeout');
  });
});

it('refuses an unknown option before the arguments of a tool', () => {
  expect(() => refuseUnknownOptions('call', ['url', '--nope', 'x'], 2)).toThrow(
    "unknown option '--nope'. See `tenon call --help`",
  );
  expect(() => refuseUnknownOptions('call', ['url', 'tool', '--a'], 2)).not.toThrow();
});
