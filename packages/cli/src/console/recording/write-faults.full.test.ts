/** Runs the written tests of calls with faults, over real connections. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultKind, FaultPlan, TestExport } from '@tenon/console/api';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';
import { progressServer } from '../fixtures/progress-server.js';

const PROGRAM = fileURLToPath(new URL('../fixtures/serve-progress.ts', import.meta.url));
const KINDS: readonly FaultKind[] = ['cut', 'delay', 'drop', 'duplicate', 'malformed', 'replace'];
const PLACES: readonly FaultPlan['on'][] = ['request', 'response', 'notifications'];

async function open(transport: 'stdio' | 'http', protocolVersion: string) {
  const served = transport === 'http' ? await serveHttp(progressServer, { port: 0 }) : undefined;
  const program = { command: process.execPath, args: ['--import', 'tsx', PROGRAM] };
  const target = served ? { url: served.url } : program;
  const page = await openTestConsole({
    targets: [{ name: 'fixture', target: { resolved: { target, label: 'fixture' } } }],
    connection: { protocolVersion },
  });
  const folder = await mkdtemp(join(tmpdir(), 'tenon-written-test-'));
  onTestFinished(async () => {
    await page.close();
    await served?.close();
    await rm(folder, { recursive: true, maxRetries: 10 });
  });
  await page.waitFor('server', event => event.server.counts !== null);
  /** Calls the tool with a fault, and returns the written test. */
  const write = async (plan: object, timeout?: number) => {
    await page.send('POST', 'servers/fixture/faults', { repeat: false, ms: 20, result: { content: [] }, ...plan });
    const params = { name: 'say', arguments: {} };
    const { id } = await page.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params, timeout });
    await page.waitFor('call', event => event.call.id === id && event.call.took !== null);
    await page.send('POST', 'servers/fixture/faults', { kind: null });
    return (await (await page.send('POST', 'tests', { calls: [id] })).json()) as TestExport;
  };
  /** Runs a written test with other imports only, and returns its title. */
  const run = async (text: string) => {
    const file = join(folder, `${crypto.randomUUID()}.ts`);
    const importedFrom = /import \{ expect, it(, onTestFinished)? \} from 'vitest';/;
    expect(text).toMatch(importedFrom);
    const registers = text.replace(
      importedFrom,
      "import { expect, onTestFinished } from 'vitest';\nexport const tests = [];\nconst it = (title, run) => tests.push({ title, run });",
    );
    await writeFile(file, registers);
    const { tests } = (await import(/* @vite-ignore */ file)) as {
      readonly tests: readonly { readonly title: string; run(): Promise<void> }[];
    };
    expect(tests).toHaveLength(1);
    for (const test of tests) await test.run();
    return tests[0]?.title;
  };
  return { write, run };
}

describe('the test of a call with a fault', () => {
  it.each([
    ['stdio', '2025-11-25'],
    ['stdio', '2026-07-28'],
    ['http', '2025-11-25'],
    ['http', '2026-07-28'],
  ] as const)('passes for each fault over %s on %s', { timeout: 120_000 }, async (transport, version) => {
    const { write, run } = await open(transport, version);
    const titles: (string | undefined)[] = [];
    for (const kind of KINDS) {
      for (const on of kind === 'replace' ? (['response'] as const) : PLACES) {
        const { text } = await write({ kind, on }, kind === 'drop' && on !== 'notifications' ? 300 : undefined);
        const failure = await run(text).then(
          title => void titles.push(title),
          (error: unknown) => error,
        );
        expect(failure, `${kind} of ${on}\n${text}`).toBeUndefined();
      }
    }
    const stream =
      transport === 'http' && version === '2025-11-25' ? 'returns "said"' : 'fails with call/outcome-unknown';
    expect(titles).toEqual([
      'say: fails with call/outcome-unknown if the connection breaks before the request',
      `say: ${stream} if the connection breaks before the response`,
      `say: ${stream} if the connection breaks before a notification`,
      'say: returns "said" if the request is late',
      'say: returns "said" if the response is late',
      'say: returns "said" if a notification is late',
      'say: fails with call/timeout if the request is lost',
      'say: fails with call/timeout if the response is lost',
      'say: returns "said" if a notification is lost',
      expect.stringMatching(/^say: .* if the request arrives twice$/),
      'say: returns "said" if the response arrives twice',
      'say: returns "said" if a notification arrives twice',
      'say: fails with peer/error if the request is malformed',
      'say: fails with peer/malformed if the response is malformed',
      'say: returns "said" if a notification is malformed',
      'say: returns the recorded result if the result is replaced',
    ]);
  });
});
