/** The audit log of a gateway in Chromium. Skipped, with the reason, without a browser. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPolicyGateway, type PolicyGateway } from '../../packages/cli/src/console/fixtures/policy-gateway.js';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { collectFaults, type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

describe.skipIf(!found)('the audit log of a gateway', () => {
  let folder: string;
  let file: string;
  let gateway: PolicyGateway;
  let shown: OpenedPage;
  beforeAll(async () => {
    if (!found) return;
    folder = await mkdtemp(join(tmpdir(), 'tenon-audit-page-'));
    file = join(folder, 'audit.jsonl');
    const rules = [
      { deny: 'notes/*', arguments: { title: 'secret*' }, because: 'titles are public' },
      { allow: 'notes/*' },
    ];
    await writeFile(join(folder, 'policy.json'), JSON.stringify({ rules }));
    gateway = await createPolicyGateway(join(folder, 'policy.json'), file);
    shown = await openPage(found, gateway.console);
    for (let count = 0; count < 60; count += 1) await gateway.host.callTool('notes__add', { title: 'shopping' });
    await gateway.host.callTool('notes__add', { title: 'secret' });
  });
  afterEach(() => {
    expect(shown.faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await shown?.close();
    await gateway?.host.close();
    if (folder) await rm(folder, { recursive: true, maxRetries: 10 });
  });

  it('searches, filters and pages the entries, at an address of its own, by keyboard [con.audit] [con.keys]', async () => {
    const { page, show } = shown;
    await show('/gateway/audit');
    await page.getByText('121 entries').waitFor();
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(100);
    const press = async (name: string) => {
      const button = page.getByRole('button', { name, exact: true });
      await button.focus();
      await page.keyboard.press('Enter');
    };
    await press('Older');
    await expect.poll(() => rows.count()).toBe(21);
    await press('Newest');
    await expect.poll(() => rows.count()).toBe(100);
    await page.getByRole('textbox', { name: 'Text in an entry' }).focus();
    await page.keyboard.insertText('titles are PUBLIC');
    await page.keyboard.press('Enter');
    await page.getByText('1 entry', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'denied by rule 1: titles are public' }).waitFor();
    await page.reload();
    await page.getByText('1 entry', { exact: true }).waitFor();
    await rows.getByRole('button').press('Enter');
    await page.getByText('"action": "denied"').waitFor();
    await show('/gateway/audit');
    await page.getByRole('combobox', { name: 'Action' }).selectOption('answered');
    await page.getByText('60 entries').waitFor();
  });

  it('verifies the log, and names a changed line, also if the page is read-only [con.audit]', async () => {
    const { browser, opened } = shown;
    const context = await browser.newContext();
    const page = await context.newPage();
    const faults = collectFaults(page, opened.origin);
    await page.goto(`${opened.origin}/gateway/audit#token=${opened.readOnlyToken}`);
    const verification = page.getByRole('region', { name: 'Verification' });
    await verification.getByRole('button', { name: 'Verify' }).click();
    await verification.getByText(/^\s*valid/).waitFor();
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('titles are public', 'titles are secret'));
    await verification.getByRole('button', { name: 'Verify' }).click();
    await verification.getByText('it was changed: its hash does not match its content').waitFor();
    await writeFile(file, text);
    expect(faults).toEqual([]);
    await context.close();
  });

  it('has no finding of axe at two sizes in both themes', async () => {
    const { page, show } = shown;
    const open = async () => {
      await show('/gateway/audit');
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.locator('.verification .state').waitFor();
      await page.locator('tbody button').first().click();
      await page.getByText('"action": "denied"').waitFor();
    };
    expect(await findAxeFindings(page, open)).toEqual([]);
  });
});
