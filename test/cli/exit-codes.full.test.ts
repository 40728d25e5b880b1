import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../packages/cli/src/exit-codes.js';
import { takePart } from '../support/extent.js';
import { buildCommand, projectWith, shopEntry, startTenon, tenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

let project: Awaited<ReturnType<typeof projectWith>>;
let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
let locked: Server;
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  kitchen = await serveKitchen();
  locked = createServer((_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  await once(locked.listen(0, '127.0.0.1'), 'listening');
  await project.write('changed.d.ts', 'export type Other = 1;\n');
});
afterAll(async () => {
  locked.closeAllConnections();
  await new Promise(resolve => locked.close(resolve));
  await Promise.all([project.remove(), kitchen.close()]);
});

/** A line for each exit code but that of Ctrl-C, and the code of the error on standard error. */
const lines: readonly (readonly [code: number, line: string, error: string])[] = [
  [0, 'call KITCHEN echo message=hi', ''],
  [1, 'read KITCHEN note://None', 'peer/error'],
  [2, 'call KITCHEN ecko', 'cli/usage'],
  [3, 'list LOCKED', 'auth/needs-user'],
  [4, 'list http://127.0.0.1:9/mcp', 'http/unreachable'],
  [5, 'call KITCHEN fail', 'tool/failed'],
  [6, 'list shop', 'config/not-approved'],
  // A check reports its result on standard output, so it is no error.
  [7, 'types KITCHEN --out changed.d.ts --check', ''],
  [7, 'lock --check --trust', ''],
  [8, 'call KITCHEN slow --timeout 300ms', 'call/timeout'],
  [9, 'call KITCHEN order item=apples', 'cli/input-required'],
];

const complete = (line: string) => {
  const { port } = locked.address() as AddressInfo;
  return line.replace('KITCHEN', kitchen.url).replace('LOCKED', `http://127.0.0.1:${port}/mcp`).split(' ');
};

describe('the exit code of the process', () => {
  it.each(takePart(lines, 0, 2))('equals %i: tenon %s [cli.exit]', async (code, line, error) => {
    const ended = await tenon(project.folder, [...complete(line), '--json']);
    expect(ended.code, ended.err).toBe(code);
    const last = ended.err.trimEnd().split('\n').at(-1) ?? '';
    if (error === '') expect(last).not.toContain('"code"');
    else expect(JSON.parse(last)).toMatchObject({ code: error, cause: expect.any(String), exit: code });
  });

  it('equals 130 after Ctrl-C [cli.exit]', async () => {
    const begun = once(kitchen.events, 'slow');
    const child = startTenon(project.folder, ['call', kitchen.url, 'slow', '--json']);
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', text => (err += text));
    await begun;
    child.kill('SIGINT');
    expect([...(await once(child, 'close')), err]).toEqual([130, null, '']);
  });

  it('occurs in the tables above [cli.exit]', () => {
    const codes = new Set([...lines.map(([code]) => code), exitCodes.interrupted]);
    expect([...codes].sort((a, b) => a - b)).toEqual(Object.values(exitCodes));
  });
});
