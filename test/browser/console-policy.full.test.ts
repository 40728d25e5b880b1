/** The policy of a gateway in Chromium: explained, tried and saved. Skipped, with the reason, without a browser. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DecisionsView } from '@tenon/console/api';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPolicyGateway, type PolicyGateway } from '../../packages/cli/src/console/fixtures/policy-gateway.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { collectFaults, type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const RULES = `{
  "rules": [
    { "deny": "notes/*", "arguments": { "title": "secret*" }, "because": "titles are public" },
    { "allow": "notes/*" }
  ]
}
`;

describe.skipIf(!found)('the policy of a gateway', () => {
  let folder: string;
  let file: string;
  let gateway: PolicyGateway;
  let shown: OpenedPage;
  beforeAll(async () => {
    if (!found) return;
    folder = await mkdtemp(join(tmpdir(), 'tenon-policy-page-'));
    file = join(folder, 'policy.json');
    await writeFile(file, RULES);
    gateway = await createPolicyGateway(file);
    shown = await openPage(found, gateway.console);
    for (const title of ['secret plan', 'shopping', 'secretary']) await gateway.host.callTool('notes__add', { title });
  });
  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await shown?.close();
    await gateway?.host.close();
    if (folder) await rm(folder, { recursive: true, maxRetries: 10 });
  });

  const tabTo = async (locator: Locator) => {
    await locator.waitFor();
    for (let count = 0; count < 80; count += 1) {
      if ((await locator.and(shown.page.locator(':focus')).count()) > 0) return;
      await shown.page.keyboard.press('Tab');
    }
    throw new Error(`80 times Tab do not lead to ${String(locator)}`);
  };

  it('explains a denied call, and repairs its rule with no other decision changed, by keyboard [con.policy] [con.keys]', async () => {
    const { page, show } = shown;
    await show('/gateway');
    await tabTo(page.getByRole('link', { name: 'policy' }));
    await page.keyboard.press('Enter');
    const decisions = page.getByRole('region', { name: 'Decisions' });
    const denied = decisions.getByRole('button', { name: 'notes/add' }).first();
    await tabTo(denied);
    await page.keyboard.press('Enter');
    await decisions.getByText('→ denied by rule 1: titles are public').waitFor();
    await tabTo(decisions.getByRole('button', { name: 'show rule 1 in the file' }));
    await page.keyboard.press('Enter');
    const rules = page.getByRole('textbox', { name: 'Rules of the policy' });
    await rules.and(page.locator(':focus')).waitFor();
    const selected: unknown = await page.evaluate(
      'document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)',
    );
    expect(selected).toContain('"deny": "notes/*"');
    await page.keyboard.insertText(
      '{ "deny": "notes/*", "arguments": { "title": { "in": ["secret", "secret plan"] } }, "because": "titles are public" }',
    );
    await tabTo(page.getByRole('button', { name: 'Try' }));
    await page.keyboard.press('Enter');
    await page.getByText('1 decision changes, of 3 calls: allow 1 → 2, deny 2 → 1').waitFor();
    expect(await readFile(file, 'utf8')).toBe(RULES);
    await tabTo(page.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog', { name: 'Save the policy?' });
    await question.getByText('apply to the next calls').waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    expect(await readFile(file, 'utf8')).toBe(RULES);
    await tabTo(page.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    await question.waitFor();
    // The gateway responds when the policy is in effect.
    const saved = page.waitForResponse(
      response => response.request().method() === 'POST' && response.url().endsWith('/api/policy'),
    );
    await page.keyboard.press('Enter');
    expect((await saved).status()).toBe(200);
    expect(await readFile(file, 'utf8')).toContain('"secret plan"');
    await question.waitFor({ state: 'detached' });
    expect(await gateway.host.callTool('notes__add', { title: 'secretary' })).not.toMatchObject({ isError: true });
    expect(await gateway.host.callTool('notes__add', { title: 'secret plan' })).toMatchObject({ isError: true });
  });

  it('shows the decision and its rule at a denied call, and on the wire [con.policy]', async () => {
    const { page, show, opened } = shown;
    const params = { name: 'notes__add', arguments: { title: 'secret' } };
    const { id } = await opened.call('POST', 'calls', { server: 'notes', method: 'tools/call', params });
    const { rows } = await opened.waitFor('wire', event => event.rows.some(row => row.call === id));
    await opened.waitFor('call', ({ call }) => call.id === id && call.took !== null);
    const seq = rows.find(row => row.call === id)?.seq;
    for (const path of [`/call/${id}`, `/wire?at=${seq}`]) {
      await show(path);
      const decision = page.locator('details.decision');
      await decision.getByText('denied by rule 1: titles are public').first().waitFor();
      await decision.getByText(/^1\. deny .*: fits$/).waitFor();
    }
    await page.getByRole('link', { name: 'change the policy' }).click();
    await page.getByRole('button', { name: 'show rule 1 in the file' }).waitFor();
  });

  it('names the place of an invalid rule, and a change of the file by another program', async () => {
    const { page, show } = shown;
    await show('/gateway/policy');
    const rules = page.getByRole('textbox', { name: 'Rules of the policy' });
    await rules.fill('{ "rules": [{ "deny": "notes" }] }');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('changed policy:1:').waitFor();
    await rules.fill('{ "rules": [] }');
    await page.getByRole('button', { name: 'Save' }).click();
    await writeFile(file, `${RULES}\n`);
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('the file has changed since it was read').waitFor();
    expect(await readFile(file, 'utf8')).toBe(`${RULES}\n`);
    // The browser reports each refused request.
    shown.faults.splice(0);
  });

  it('has no controls that change the policy if the page is read-only', async () => {
    const { browser, opened } = shown;
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = collectFaults(page, opened.origin);
    await page.goto(`${opened.origin}/gateway/policy#token=${opened.readOnlyToken}`);
    await page.getByRole('region', { name: 'Rules' }).waitFor();
    expect(await page.getByRole('button', { name: /Try|Save/ }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Rules of the policy' }).isEditable()).toBe(false);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('has no finding of axe at two sizes in both themes', async () => {
    const { page, show } = shown;
    await show('/gateway/policy');
    const { decisions } = (await (await shown.opened.send('GET', 'policy/decisions')).json()) as DecisionsView;
    const id = decisions[0]?.id;
    const open = async () => {
      await show(`/gateway/policy?decision=${id}`);
      await page.getByText(/^→ /).waitFor();
      await page.getByRole('textbox', { name: 'Rules of the policy' }).fill('{ "rules": [] }');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alertdialog').waitFor();
    };
    expect(await findAxeFindings(page, open)).toEqual([]);
  });
});
