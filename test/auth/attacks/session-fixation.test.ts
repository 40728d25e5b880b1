import { expect, it } from 'vitest';
import { served } from '../served.js';

const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };

/** Somebody opens a session and has another use its id, to hear what is said in it, or has the victim's id and uses that. */
it('refuses a session id that another user opened, or that does not exist', async () => {
  const { open, within, bearer } = await served();
  const [ada, eve] = [await bearer(), await bearer({ sub: 'eve' })];
  const laid = await open(eve);
  expect((await within(laid, 'tools/call', { name: 'whoami', arguments: {} }, ada)).status).toBe(404);
  for (const id of [laid, 'chosen-by-eve']) {
    const opened = await within(id, 'initialize', params, ada);
    expect(opened.status).toBe(200);
    expect([null, laid, 'chosen-by-eve']).not.toContain(opened.headers.get('mcp-session-id'));
  }
  const own = await open(ada);
  expect(own).not.toBe(laid);
  expect((await within(own, 'tools/call', { name: 'whoami', arguments: {} }, eve)).status).toBe(404);
});

it('refuses a session id without authorization', async () => {
  const { open, within, bearer } = await served();
  const session = await open(await bearer());
  expect((await within(session, 'tools/call', { name: 'whoami', arguments: {} }, {})).status).toBe(401);
});
