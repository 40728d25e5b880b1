/** Traces in Chromium: of a live gateway, and of the recordings of two replicas. Skipped, with the reason, without a browser. */
import { connect } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTracedGateway, type TracedGateway } from '../../packages/cli/src/console/fixtures/traced-gateway.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

/** Writes messages as `tenon record` does. */
const writeRecording = (
  messages: readonly { readonly at: number; readonly dir: 'send' | 'recv'; readonly message: object }[],
) =>
  messages
    .map(({ at, dir, message }) =>
      JSON.stringify({
        jsonrpc: '2.0',
        ...message,
        _meta: { dir, server: 'booking', session: 1, ts: new Date(Date.UTC(2026, 10, 28) + at).toISOString() },
      }),
    )
    .join('\n');

const params = { name: 'book', arguments: {} };
const recordings = [
  {
    name: 'a.ndjson',
    text: writeRecording([
      { at: 5000, dir: 'send', message: { id: 1, method: 'tools/call', params } },
      {
        at: 5120,
        dir: 'recv',
        message: {
          id: 1,
          result: {
            resultType: 'input_required',
            requestState: 'seat-1',
            inputRequests: { seat: { method: 'elicitation/create', params: { message: 'By the window?' } } },
          },
        },
      },
    ]),
  },
  {
    name: 'b.ndjson',
    text: writeRecording([
      {
        at: 4000,
        dir: 'send',
        message: {
          id: 1,
          method: 'tools/call',
          params: { ...params, requestState: 'seat-1', inputResponses: { seat: { action: 'accept' } } },
        },
      },
      { at: 4300, dir: 'recv', message: { id: 1, result: { content: [], isError: true } } },
    ]),
  },
];

describe.skipIf(!found)('the trace of a call', () => {
  let gateway: TracedGateway;
  let shown: OpenedPage;
  beforeAll(async () => {
    if (!found) return;
    gateway = await createTracedGateway();
    shown = await openPage(found, { ...gateway.console, recordings });
    const client = await connect(gateway.host.toServer(), { elicit: async () => ({ action: 'accept', content: {} }) });
    await client.callTool('booking__book', {});
    await client.close();
  });
  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await shown?.close();
    await gateway?.host.close();
  });

  it('leads from a message of a caller to the bars of all hops, and back to the messages [con.traces]', async () => {
    const { page, show } = shown;
    await show('/wire?filter=name:booking__book');
    await page
      .getByRole('option', { name: /booking__book/ })
      .first()
      .click();
    await page.getByRole('link', { name: 'trace', exact: true }).click();
    const bars = page.getByRole('option');
    await bars.filter({ hasText: 'gateway → booking' }).first().waitFor();
    expect(await bars.filter({ hasText: 'gateway → booking' }).count()).toBe(2);
    await bars.filter({ hasText: 'answered: accept' }).waitFor();
    const list = page.getByRole('listbox', { name: 'Bars' });
    await list.press('ArrowDown');
    await list.press('ArrowDown');
    await expect.poll(() => new URL(page.url()).searchParams.get('bar')).toBe('1');
    await page.reload();
    await page.getByRole('option', { selected: true }).waitFor();
    const detail = page.getByRole('complementary', { name: 'Bar' });
    await detail
      .getByRole('link', { name: /^message \d+$/ })
      .first()
      .waitFor();
    await list.press('Enter');
    await page.getByRole('complementary', { name: 'Message' }).getByText('tools/call').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/wire');
  });

  it('joins a round that another replica took, and tells by how much its clock is moved [con.traces]', async () => {
    const { page, show } = shown;
    await show('/recordings/a.ndjson/trace/1');
    await page.getByText('The clock of b.ndjson is moved by +1.12 s').waitFor();
    const bars = page.getByRole('option');
    expect(await bars.count()).toBe(4);
    await bars.filter({ hasText: 'isError' }).last().click();
    const detail = page.getByRole('complementary', { name: 'Bar' });
    await detail.getByText('Here because: sends the requestState of the result.').waitFor();
    await detail.getByRole('link', { name: 'message 1 of b.ndjson' }).click();
    await page.getByRole('complementary', { name: 'Message' }).getByText('requestState').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/recordings/b.ndjson');
  });

  it('passes the checks of axe in both themes, wide and narrow', async () => {
    const { page, show } = shown;
    const findings = await findAxeFindings(page, async () => {
      await show('/recordings/a.ndjson/trace/1?bar=3');
      await page.getByRole('option', { selected: true }).waitFor();
    });
    expect(findings).toEqual([]);
  });
});
