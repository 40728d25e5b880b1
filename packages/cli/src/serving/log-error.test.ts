import { TenonError } from 'tenon';
import { expect, it } from 'vitest';
import type { LogEvent, Screen } from '../screen.js';
import { logError } from './log-error.js';

function log(error: unknown): string {
  const events: LogEvent[] = [];
  const screen: Pick<Screen, 'logsJson' | 'printEvent'> = {
    logsJson: true,
    printEvent: event => void events.push(event),
  };
  logError(screen as Screen, error);
  return JSON.stringify(events);
}

it.each([
  "ENOENT: no such file or directory, open '/home/ada/app/secret-plan.txt'",
  'cannot load file:///srv/app/dist/index.js',
  'C:\\Users\\ada\\app.js is missing',
])('logs no path of a file from an error of a handler: %s', text => {
  for (const code of ['handler/threw', 'tool/threw', 'prompt/threw']) {
    const logged = log(TenonError.from(new Error(text), code, { method: 'tools/call' }));
    expect(logged).toContain(code);
    expect(logged).not.toMatch(/home|srv|Users|secret-plan/);
  }
});

it('logs the path of a file that an error of the command names', () => {
  expect(log(new TenonError('config/not-found', '/srv/mcp.json: not found'))).toContain('/srv/mcp.json');
});

it('logs the client, its protocol version and the method, without secrets', () => {
  const peer = 'app ghp_0123456789abcdefghijABCDEFGHIJ012345 (2025-11-25, 192.0.2.7)';
  const [event] = JSON.parse(log(new TenonError('tool/threw', 'broken', { peer, method: 'tools/call pay' })));
  expect(event).toMatchObject({ code: 'tool/threw', method: 'tools/call pay' });
  expect(event.peer).toMatch(/^app \S+ \(2025-11-25, 192\.0\.2\.7\)$/);
  expect(JSON.stringify(event)).not.toContain('0123456789abcdefghij');
});

it.each(['connection/closed', 'connection/unresponsive', 'call/outcome-unknown', 'http/silent-stream'])(
  'does not advise to run the command again after %s, because a running server connects again',
  code => {
    const [event] = JSON.parse(log(new TenonError(code, 'the event stream ended', { hint: 'call `connect` again' })));
    expect(event.message).toBe('the event stream ended. Do nothing: the connection is opened again when it is needed.');
  },
);

it('logs a response to no request as a warning, because it stops nothing', () => {
  const levels: unknown[] = [];
  const screen: Pick<Screen, 'logsJson' | 'note'> = { logsJson: false, note: (_, level) => void levels.push(level) };
  logError(screen as Screen, new TenonError('peer/unknown-response', 'received a response to the unknown request 5'));
  expect(levels).toEqual(['warning']);
});
