/** Faults that a user plans in the page of the console. Skipped, with the reason, without a browser. */
import { fileURLToPath } from 'node:url';
import { serveHttp } from 'tenon/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { progressServer } from '../../packages/cli/src/console/fixtures/progress-server.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { importNotes } from '../support/import-notes.js';
import { findAxeFindings } from './axe.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const PROGRAM = fileURLToPath(new URL('../../packages/cli/src/console/fixtures/serve-progress.ts', import.meta.url));
const program = { command: process.execPath, args: ['--import', 'tsx', PROGRAM] };

describe.skipIf(!found)('the faults of a server in the page', { timeout: 120_000 }, () => {
  let shown: OpenedPage;
  let served: Awaited<ReturnType<typeof serveHttp>>;

  beforeAll(async () => {
    if (!found) return;
    served = await serveHttp(await importNotes(), { port: 0 });
    shown = await openPage(found, {
      targets: [
        { name: 'ours', target: { resolved: { target: progressServer, label: 'ours' } } },
        { name: 'remote', target: { resolved: { target: { url: served.url }, label: 'remote' } } },
        { name: 'program', target: { resolved: { target: program, label: 'program' } } },
      ],
      connection: { protocolVersion: '2025-11-25' },
    });
  }, 120_000);

  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await shown?.close();
    await served?.close();
  });

  /** Plans a fault in the form of the tool, by keyboard, and calls. Returns the id and the state of the call. */
  const breakCall = async (server: string, kind: string, place: string) => {
    const { page, opened } = shown;
    await opened.waitFor('server', event => event.server.name === server && event.server.counts !== null);
    await shown.show(`/s/${server}/tools/say`);
    await page.getByRole('button', { name: 'Break', exact: true }).press('Enter');
    await page.getByRole('combobox', { name: /^fault/ }).selectOption(kind);
    await page.getByRole('combobox', { name: /^of/ }).selectOption(place);
    const seconds = page.getByRole('textbox', { name: 'seconds' });
    if (kind === 'delay') await seconds.fill('0.05');
    if (kind === 'delay') await seconds.press('Enter');
    else await page.getByRole('button', { name: 'Break the next call' }).press('Enter');
    await page.getByText('planned:').waitFor();
    const before = opened.events.flatMap(event => (event.type === 'call' ? event.call.id : [])).at(-1) ?? 0;
    await page.getByRole('button', { name: 'Call', exact: true }).press('Enter');
    const { call } = await opened.waitFor('call', each => each.call.id > before && each.call.took !== null);
    await expect.poll(() => page.getByText('planned:').count()).toBe(0);
    return call;
  };

  it.each([
    ['malformed', 'response', 'failed', 'result'],
    ['delay', 'response', 'done', 'result'],
    ['duplicate', 'response', 'done', 'result'],
    ['drop', 'notifications', 'done', 'notification'],
    ['duplicate', 'notifications', 'done', 'notification'],
  ])('marks %s of the %s of a call, which is %s', async (kind, place, state, row) => {
    const { page, opened } = shown;
    const call = await breakCall('ours', kind, place);
    expect(call.state).toBe(state);
    const isMarked = (each: {
      readonly call?: number | undefined;
      readonly fault?: string | undefined;
      readonly kind: string;
    }) => each.call === call.id && each.fault === kind && each.kind === row;
    await expect.poll(() => opened.rows().filter(isMarked).length).toBe(1);
    await shown.show(`/wire?filter=call:${call.id}`);
    await expect.poll(() => page.locator('.message .kind', { hasText: kind }).count()).toBe(1);
    await shown.show(`/call/${call.id}`);
    await expect.poll(() => page.locator('.rung .label b', { hasText: kind }).count()).toBe(1);
  });

  it('cuts a process before its response, and starts it again with the next call', async () => {
    const { page, opened } = shown;
    expect((await breakCall('program', 'cut', 'response')).state).toBe('failed');
    await page.getByText('call/outcome-unknown').first().waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).press('Enter');
    await opened.waitFor('call', ({ call }) => call.server === 'program' && call.state === 'done');
  });

  it('breaks the stream of a subscription by a button, and shows the change after the stream is resumed [con.subs]', async () => {
    const { page, opened } = shown;
    await opened.waitFor('server', event => event.server.name === 'remote' && event.server.counts !== null);
    await shown.show('/s/remote/subscriptions');
    await page.getByLabel('URI of a resource').fill('note://Glue');
    await page.getByRole('button', { name: 'Subscribe' }).press('Enter');
    await page.getByText('active').waitFor();
    const isSubscribed = () => opened.rows().some(row => row.method === 'resources/subscribe' && row.kind === 'result');
    await expect.poll(isSubscribed).toBe(true);
    await page.getByRole('button', { name: 'Break the stream' }).press('Enter');
    await page.getByText('The stream breaks before the next change').waitFor();
    const write = (body: string) =>
      opened.call('POST', 'calls', {
        server: 'remote',
        method: 'tools/call',
        params: { name: 'write', arguments: { title: 'Glue', body } },
      });
    await write('hide glue');
    await page.getByText('The stream breaks before the next change').waitFor({ state: 'detached' });
    await page.getByText(/^[1-9]\d* changes? since/).waitFor();
    await page.getByText('active').waitFor();
    const sent = opened
      .rows()
      .filter(row => row.server === 'remote' && row.method === 'notifications/resources/updated');
    expect(sent.map(({ fault }) => fault)).toEqual(['cut', undefined]);
  });

  it('are written into the test of the call', async () => {
    const { page } = shown;
    const call = await breakCall('ours', 'malformed', 'response');
    await shown.show(`/call/${call.id}`);
    await page.getByRole('button', { name: /^Copy as/ }).press('Enter');
    await page.getByRole('tab', { name: 'Vitest test' }).press('Enter');
    await page.getByText("if the response is malformed'").waitFor();
    await page.getByText('? malformed : undefined').waitFor();
  });

  it('are planned in a form without a finding of axe, also in dark and at 390 pixels', async () => {
    const { page } = shown;
    const findings = await findAxeFindings(page, async () => {
      await shown.show('/s/ours/tools/say');
      await page.getByRole('button', { name: 'Break', exact: true }).press('Enter');
      await page.getByRole('combobox', { name: /^fault/ }).selectOption('delay');
      await page.getByRole('textbox', { name: 'seconds' }).waitFor();
    });
    expect(findings).toEqual([]);
  });
});
