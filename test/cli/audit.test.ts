import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon, serving, shopEntry } from './command.js';

describe('tenon audit verify', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  const env = { AUDIT_KEY: 'a-key-of-more-than-16-bytes' };
  const verify = (...args: string[]) => runTenon(project.folder, ['audit', 'verify', 'audit.jsonl', ...args], env);

  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({ shop: shopEntry() });
    const args = [
      'gateway',
      '--trust',
      '--port',
      '0',
      '--json',
      '--audit',
      'audit.jsonl',
      '--audit-key-env',
      'AUDIT_KEY',
    ];
    const gateway = await serving(project.folder, args, env);
    const client = await connect(gateway.url);
    for (const of of ['tea', 'salt']) await client.callTool('shop__price', { of });
    await client.close();
    await gateway.end();
  });
  afterAll(() => project.remove());

  it('finds the log of a gateway valid, and prints its head [cli.explain]', async () => {
    const verifyArgs = ['audit', 'verify', 'audit.jsonl', '--key-env', 'AUDIT_KEY'];
    const { code, out } = await runTenon(project.folder, verifyArgs, env);
    expect(code).toBe(0);
    expect(out).toMatch(/^audit\.jsonl: valid, 5 lines\n {2}head 4:[\w-]{43}\n/);
    const [, head = ''] = /head (\S+)/.exec(out) ?? [];
    const stored = JSON.parse((await verify('--through', head, '--json')).out);
    expect(stored).toMatchObject({ file: 'audit.jsonl', ok: true, lines: 5 });
    expect((await verify('--through', `4:${'A'.repeat(43)}`)).code).toBe(1);
    expect((await verify('--through', 'head')).code).toBe(2);
  });

  it('finds one flipped byte, and names its place', async () => {
    const path = project.path('audit.jsonl');
    const bytes = await readFile(path);
    const second = bytes.indexOf(10, bytes.indexOf(10) + 1) + 30;
    const flipped = Buffer.from(bytes);
    flipped[second] = (flipped[second] ?? 0) ^ 1;
    await writeFile(path, flipped);
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(`audit.jsonl: invalid at ${path}:3:`);
    await writeFile(path, bytes);
    expect((await verify()).code).toBe(0);
  });

  it('exports entries as JSON lines without the chain, and as CSV that a spreadsheet does not run', async () => {
    await writeFile(
      project.path('made.jsonl'),
      [
        {
          seq: 1,
          prev: 'a',
          time: '2026-11-26T08:00:00Z',
          action: 'denied',
          principal: '=1+1',
          reason: 'a "b", c',
          hash: 'x',
        },
        {
          seq: 2,
          prev: 'b',
          time: '2026-11-27T08:00:00Z',
          action: 'answered',
          name: 'price',
          ms: 3,
          argumentsHash: 'h',
        },
      ]
        .map(entry => JSON.stringify(entry))
        .join('\n'),
    );
    const lines = await runTenon(project.folder, ['audit', 'export', 'made.jsonl', '--until', '2026-11-27']);
    expect(JSON.parse(lines.out)).toEqual({
      ...{ seq: 1, time: '2026-11-26T08:00:00Z', action: 'denied', principal: '=1+1', reason: 'a "b", c' },
    });
    const csv = ['audit', 'export', 'made.jsonl', '--format', 'csv', '--output', 'made.csv', '--json'];
    expect(JSON.parse((await runTenon(project.folder, csv)).out)).toEqual({ file: 'made.csv', entries: 2 });
    expect(await readFile(project.path('made.csv'), 'utf8')).toBe(
      [
        'time,replica,seq,action,principal,server,kind,name,call,rule,reason,outcome,ms,details',
        `2026-11-26T08:00:00Z,,1,denied,'=1+1,,,,,,"a ""b"", c",,,`,
        '2026-11-27T08:00:00Z,,2,answered,,,,price,,,,,3,"{""argumentsHash"":""h""}"',
        '',
      ].join('\n'),
    );
    const again = await runTenon(project.folder, csv);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('a file that does not exist yet') });
    const elsewhere = ['audit', 'export', 'made.jsonl', '--output', 'none/made.jsonl'];
    expect(await runTenon(project.folder, elsewhere)).toMatchObject({
      code: 2,
      err: 'tenon: cannot write none/made.jsonl: ENOENT. Check the path and its permissions.\n',
    });
  });

  it('shows entries by decision, time and tool without verifying them', async () => {
    const show = (...args: string[]) => runTenon(project.folder, ['audit', 'show', 'audit.jsonl', ...args]);
    const { code, out, err } = await show();
    const lines = out.trimEnd().split('\n');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('audit.jsonl: not verified') });
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}- {2}shop\/price {2}called$/);
    expect(lines[1]).toMatch(/ {2}shop\/price {2}answered {2}ok {2}\d+ ms$/);
    const entries = (await show('--json')).out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(entries.map(({ action }) => action)).toEqual(['called', 'answered', 'called', 'answered']);
    expect((await show('--tool', 'shop/price', '--since', '1h')).out).toBe(out);
    expect((await show('--tool', 'price', '--since', '2020-01-01')).out).toBe(out);
    for (const none of [['--denied'], ['--tool', 'other'], ['--since', '2999-01-01']])
      expect((await show(...none)).out).toBe('');
    const time = 'Expected a date such as 2026-11-26, or a time such as 2h';
    expect(await show('--since', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining(time) });
    expect((await show('--action', 'called,answered')).out).toBe(out);
    const unknown = await show('--action', 'called,deny');
    expect(unknown).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('one or several of asked, allowed'),
    });
    expect((await runTenon(project.folder, ['audit', 'show', 'none.jsonl'])).code).toBe(1);
    await writeFile(
      project.path('torn.jsonl'),
      `{"seq":1,"time":"t","action":"denied","principal":"a\\u001b[1m"}\n{"se`,
    );
    const torn = await runTenon(project.folder, ['audit', 'show', 'torn.jsonl', '--denied']);
    expect(torn).toMatchObject({ code: 0, err: expect.stringContaining('1 line is no entry') });
    expect(torn.out).not.toContain('\u001b');
  });

  it('reports a missing log, and an invalid key', async () => {
    expect((await runTenon(project.folder, ['audit', 'verify', 'other.jsonl'])).code).toBe(1);
    expect((await verify('--key-env', 'NOT_SET')).code).toBe(2);
  });
});
