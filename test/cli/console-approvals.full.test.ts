/** Approvals of callers at one gateway, answered in the console of another one with the same store. Each is a process of its own. */
import type { ApprovalsView, ConsoleEvent } from '@tenon/console/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientOf, listenFirst, serveIssuer } from '../auth/gateway-callers.js';
import { buildCommand, buildConsolePage, projectWith, type Serving, serving, shopEntry } from './command.js';

interface Console {
  readonly origin: string;
  readonly token: string;
  readonly readOnlyToken: string;
}

const getToken = (url: string) => new URL(url).hash.slice('#token='.length);

/** Reads the addresses that a gateway prints of its console. */
async function findConsole(gateway: Serving): Promise<Console> {
  const { url, readOnlyUrl } = await gateway.waitForEvent<{ readonly url: string; readonly readOnlyUrl: string }>(
    ({ event }) => event === 'console',
  );
  return { origin: new URL(url).origin, token: getToken(url), readOnlyToken: getToken(readOnlyUrl) };
}

/** Reads the events of a console until its approvals fit. */
async function waitForApprovals(
  { origin, token }: Console,
  fits: (view: ApprovalsView) => boolean,
): Promise<ApprovalsView> {
  const ending = new AbortController();
  const { body } = await fetch(`${origin}/api/events?after=0`, {
    headers: { 'x-tenon-token': token },
    signal: ending.signal,
  });
  let rest = '';
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event: ConsoleEvent = JSON.parse(line);
        if (event.type === 'approvals' && fits(event.approvals)) return event.approvals;
      }
    }
  } finally {
    ending.abort();
  }
  throw new Error('the events have ended');
}

const respond = ({ origin }: Console, token: string, id: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${origin}/api/approvals/${id}`, {
    method: 'POST',
    headers: { 'x-tenon-token': token, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('the approvals of two gateways with one store', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let issuer: Awaited<ReturnType<typeof serveIssuer>>;
  let gateway: Serving;
  let other: Serving;
  let audience: string;

  const principalOf = (user: string) => `${issuer.url}|${user}`;

  beforeAll(async () => {
    await buildCommand();
    await buildConsolePage();
    issuer = await serveIssuer();
    project = await projectWith({ shop: shopEntry() });
    await project.write('policy.json', { rules: [{ ask: 'shop/price' }, { allow: 'shop/*' }] });
    const free = await listenFirst();
    await free.close();
    audience = `${free.url}/mcp`;
    const shared = ['--trust', '--json', '--console', '--no-control', '--policy', 'policy.json', '--approve', 'store'];
    const start = (port: string) => {
      const own = ['--port', port, '--issuer', issuer.url, '--audience', audience, '--store', 'state.sqlite'];
      return serving(project.folder, ['gateway', ...shared, ...own]);
    };
    gateway = await start(new URL(audience).port);
    other = await start('0');
  });
  afterAll(async () => {
    await gateway?.end();
    await other?.end();
    await issuer?.close();
    await project?.remove();
  });

  it('are shown with their caller in the console of the other process, and are answered there [con.approvals]', async () => {
    const [ada, page, own] = [await clientOf(audience, 'ada'), await findConsole(other), await findConsole(gateway)];
    expect(other.pid).not.toBe(gateway.pid);
    for (const decision of ['allow', 'deny'] as const) {
      const call = ada.callTool('shop__price', { of: decision });
      const { pending } = await waitForApprovals(page, view => view.pending.length === 1);
      expect(pending[0]).toMatchObject({ server: 'shop', name: 'price', caller: { principal: principalOf('ada') } });
      expect((await respond(page, page.token, pending[0]?.id ?? '', { decision })).status).toBe(200);
      expect(await call).toMatchObject(
        decision === 'allow' ? { content: [{ text: 'allow costs 5' }] } : { isError: true },
      );
      await waitForApprovals(own, view => view.pending.length === 0);
    }
    await ada.close();
  });

  it('are answered neither by another caller, nor with another token, nor at the address of the callers', async () => {
    const [ada, bob] = [await clientOf(audience, 'ada'), await clientOf(audience, 'bob')];
    const [page, own] = [await findConsole(other), await findConsole(gateway)];
    const call = ada.callTool('shop__price', { of: 'tea' });
    const { pending } = await waitForApprovals(page, view => view.pending.length === 1);
    const id = pending[0]?.id ?? '';
    const allow = { decision: 'allow' };
    const statuses = {
      readOnly: (await respond(page, page.readOnlyToken, id, allow)).status,
      ofOtherConsole: (await respond(page, own.token, id, allow)).status,
      ofNobody: (await respond(page, '', id, allow)).status,
      otherOrigin: (await respond(page, page.token, id, allow, { origin: new URL(audience).origin })).status,
    };
    expect(statuses).toEqual({ readOnly: 403, ofOtherConsole: 401, ofNobody: 401, otherOrigin: 403 });
    const { origin } = new URL(audience);
    for (const path of ['/api/approvals', `/mcp/api/approvals`, `/console/api/approvals`])
      expect(
        (await respond({ ...page, origin: origin + path.replace('/api/approvals', '') }, page.token, id, allow)).ok,
      ).toBe(false);
    const answers = bob.call('approvals/answer', { id, decision: 'allow' });
    await expect(answers).rejects.toThrow();
    const { pending: left } = await waitForApprovals(page, () => true);
    expect(left.map(each => each.id)).toEqual([id]);
    await respond(page, page.token, id, { ...allow, remember: 'always' });
    expect(await call).toMatchObject({ content: [{ text: 'tea costs 3' }] });
    // The approval of a caller allows no call of another one.
    const second = bob.callTool('shop__price', { of: 'tea' });
    const { pending: asked, remembered } = await waitForApprovals(page, view => view.pending.length === 1);
    expect(asked[0]?.caller).toMatchObject({ principal: principalOf('bob') });
    expect(remembered.map(({ caller }) => caller.principal)).toEqual([principalOf('ada')]);
    await respond(page, page.token, asked[0]?.id ?? '', { decision: 'deny' });
    expect(await second).toMatchObject({ isError: true });
    await Promise.all([ada.close(), bob.close()]);
  });
});
