/** Resources, prompts, subscriptions and the doctor in the page of the console, with the example `notes`. */
import { createServer, tasks, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { importNotes } from '../support/import-notes.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

/** Ends the task of the tool `job`. */
let endJob = () => {};
const worker = createServer({
  name: 'worker',
  version: '1.0.0',
  extensions: [tasks()],
  tools: {
    job: tool({
      task: 'required',
      input: { type: 'object' },
      run: () =>
        new Promise<string>(resolve => {
          endJob = () => resolve('finished');
        }),
    }),
    endless: tool({
      task: 'required',
      input: { type: 'object' },
      run: (_, { signal }) =>
        new Promise<string>(resolve => signal.addEventListener('abort', () => resolve('stopped'))),
    }),
  },
});

describe.skipIf(!found)('the parts of a server in the page', () => {
  let console: OpenedPage;

  beforeAll(async () => {
    const target = { resolved: { target: await importNotes(), label: 'notes' } };
    const other = { resolved: { target: worker, label: 'worker' } };
    const targets = [
      { name: 'notes', target },
      { name: 'worker', target: other },
    ];
    if (found) console = await openPage(found, { targets });
  });
  afterEach(async () => {
    expect(console.faults).toEqual([]);
    expect(await console.page.locator('*').count()).toBeLessThan(1500);
  });
  afterAll(() => console?.close());

  it('reads a resource by a template with completion, by the keyboard only [con.keys] [con.url]', async () => {
    const { page, opened } = console;
    await opened.waitFor('server', event => event.server.name === 'notes' && event.server.counts !== null);
    await page.goto(`${opened.origin}/s/notes/resources`);
    await page.getByRole('link', { name: /template$/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: /^title/ }).focus();
    await page.keyboard.type('Dov');
    await page.getByRole('button', { name: 'Dovetail', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('textbox', { name: /^title/ }).inputValue()).toBe('Dovetail');
    await page.getByRole('textbox', { name: /^title/ }).press('Enter');
    await page.getByText('→ resources/read note://Dovetail').waitFor();
    await page.locator('.result pre').waitFor();
    await page.reload();
    await page.locator('.result pre').waitFor();
    expect(page.url()).toBe(`${opened.origin}/s/notes/resources?uri=${encodeURIComponent('note://Dovetail')}`);
  });

  it('gets a prompt, and shows its messages by role', async () => {
    const { page, opened } = console;
    await page.goto(`${opened.origin}/s/notes/prompts`);
    await page.getByRole('link', { name: /^review/ }).click();
    await page.getByRole('textbox', { name: /^tone/ }).fill('blu');
    await page.getByRole('button', { name: 'blunt', exact: true }).click();
    await page.getByRole('textbox', { name: /^tag/ }).fill('none');
    await page.getByRole('button', { name: 'Get', exact: true }).click();
    await page.getByText('Review these notes. Be blunt.').first().waitFor();
    await page.getByRole('heading', { name: 'user' }).waitFor();
  });

  it('counts down the time that is left for an input request, in the inbox and within the call [con.ask]', async () => {
    const { opened, context } = console;
    const page = await context.newPage();
    await page.clock.install();
    const params = { name: 'write', arguments: { title: 'Dovetail', body: 'tails first' } };
    const { id } = await opened.call('POST', 'calls', { server: 'notes', method: 'tools/call', params });
    const { request } = await opened.waitFor('input-request', event => event.request.call === id);
    for (const path of ['/input-requests', `/call/${id}`]) {
      await page.goto(`${opened.origin}${path}#token=${opened.token}`);
      const left = page.locator('.time-left');
      await left.waitFor();
      await page.clock.setFixedTime((request.expiresAt ?? 0) - 61_000);
      await page.clock.runFor(1000);
      await expect.poll(() => left.textContent()).toBe('1 min 1 s');
      await page.clock.setFixedTime((request.expiresAt ?? 0) - 5000);
      await page.clock.runFor(1000);
      await expect.poll(() => left.textContent()).toBe('5 s');
    }
    await page.close();
    await opened.call('POST', `input-requests/${request.id}`, { action: 'decline' });
  });

  it('shows a subscription with its changes as they come [con.subs]', async () => {
    const { page, opened } = console;
    await page.goto(`${opened.origin}/s/notes/subscriptions`);
    await page.getByLabel('URI of a resource').fill('note://Glue');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('active').waitFor();
    await expect.poll(() => opened.rows().some(row => /acknowledged/.test(row.method))).toBe(true);
    const params = { name: 'write', arguments: { title: 'Glue', body: 'steam' } };
    await opened.call('POST', 'calls', { server: 'notes', method: 'tools/call', params });
    await page.getByText(/^[1-9]\d* changes? since/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('ended').waitFor();
  });

  it('shows the states of a task over time, also after a reload, and cancels another by the keyboard [con.tasks]', async () => {
    const { page, opened } = console;
    await opened.waitFor('server', event => event.server.name === 'worker' && event.server.counts !== null);
    const start = (name: string) =>
      opened.call('POST', 'calls', { server: 'worker', method: 'tools/call', params: { name, arguments: {} } });
    const job = await start('job');
    await opened.waitFor('call', event => event.call.id === job.id && event.call.task !== null);
    await page.goto(`${opened.origin}/s/worker/tasks`);
    const shown = page.locator('.task', { hasText: 'job' });
    await shown.locator('.states').getByText('working').waitFor();
    await page.reload();
    await shown.locator('.states').getByText('working').waitFor();
    endJob();
    await shown.locator('.states').getByText('completed').waitFor();
    await shown.getByRole('link', { name: `result, call ${job.id}` }).waitFor();
    await start('endless');
    const endless = page.locator('.task', { hasText: 'endless' });
    await endless.getByRole('button', { name: 'Cancel task' }).press('Enter');
    await endless.locator('.states').getByText('cancelled').waitFor();
  });

  it('shows the declared capabilities and the whole report of the doctor [con.doctor]', async () => {
    const { page, opened } = console;
    await page.goto(`${opened.origin}/s/notes`);
    await page.getByText('subscribe: true').waitFor();
    await page.getByRole('button', { name: 'Examine (doctor)' }).click();
    await page.getByRole('button', { name: /^all \d+ findings$/ }).click();
    const report = JSON.parse(await (await opened.send('GET', 'servers/notes/doctor')).text()) as {
      readonly findings: readonly object[];
    };
    expect(await page.locator('.finding .state').count()).toBe(report.findings.length);
  });
});
