import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectWith, runTenon } from './command.js';

const program = fileURLToPath(new URL('./fixtures/deviating-server.mjs', import.meta.url));
const start = (capabilities: object) => ({ command: process.execPath, args: [program, JSON.stringify(capabilities)] });
const both = start({ tools: {}, resources: {} });
const none = start({});

describe('a command with a server that deviates from the protocol', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    project = await projectWith({
      none,
      assumed: { ...none, assumeCapabilities: ['tools'] },
      strict: { ...both, strict: true },
      wrong: { ...none, assumeCapabilities: ['tool'] },
      pinned: { ...both, protocolVersion: '2025-03-26' },
      future: { ...both, protocolVersion: '2030-01-01' },
    });
  });
  afterAll(() => project.remove());
  const run = (...args: string[]) => runTenon(project.folder, args);
  const runProgram = (command: string[], { command: program, args }: typeof both) =>
    run(...command, '--', program, ...args);

  it('lists tools and resources without templates, and reports the deviations once', async () => {
    const { code, out, err } = await runProgram(['list', '--json'], both);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      tools: [{ name: 'hi' }],
      resources: [{ uri: 'console://logs' }],
      resourceTemplates: [],
    });
    expect(err.match(/null counts as absent/g)).toHaveLength(1);
    expect(err.match(/does not have the method, which counts as an empty list/g)).toHaveLength(1);
  });

  it('uses no capability that is not declared, and names the option that does', async () => {
    const refused = await run('call', 'none', 'hi', '--trust');
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('pass --assume tools');
    expect((await run('call', 'none', 'hi', '--trust', '--assume', 'tools')).out).toBe('hello\n');
    expect((await run('list', 'none', '--trust', '--assume', 'tool')).code).toBe(2);
  });

  it('names the setting in lists of a server that declares nothing', async () => {
    const one = await run('list', 'none', '--trust');
    expect(one.err).toContain('declares neither tools, prompts nor resources: if it has tools, pass --assume tools');
    const { out } = await run('list', '--trust');
    expect(out).toMatch(
      /none {2,}connected.*\n +declares neither .* set "assumeCapabilities": \["tools"\] in its entry\n/,
    );
    expect(out.match(/declares neither/g)).toHaveLength(1);
    const listed = JSON.parse((await run('list', '--trust', '--json')).out);
    expect(listed.servers.slice(0, 2)).toMatchObject([{ declaresNothing: true }, { declaresNothing: false }]);
  });

  it('reads the capabilities to assume, and strict, from the configuration', async () => {
    expect((await run('call', 'assumed', 'hi', '--trust')).out).toBe('hello\n');
    expect((await run('call', 'strict', 'hi', '--trust')).err).toContain('expected no null');
    expect((await run('call', 'wrong', 'hi', '--trust')).err).toContain('tools, prompts, resources');
  });

  it('uses the protocol version of the configuration, unless the command names another', async () => {
    const versionOf = async (...args: string[]) =>
      (await run('list', 'pinned', '--trust', '--json', '--verbose', ...args)).err;
    expect(await versionOf()).toContain('2025-03-26');
    expect(await versionOf('--protocol-version', '2025-06-18')).toContain('2025-06-18');
    const { err } = await run('list', 'future', '--trust');
    expect(err).toContain('unknown protocol version');
  });

  it('reports both deviations with the doctor', async () => {
    const { out } = await runProgram(['doctor', '--json', '--only', 'connection'], none);
    const { findings } = JSON.parse(out);
    expect(findings).toContainEqual(
      expect.objectContaining({
        id: 'connection.undeclared-tools',
        severity: 'problem',
        seen: '1: hi',
        fix: expect.stringContaining('assumeCapabilities'),
      }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ id: 'connection.undeclared-resources' }));
    const deviating = JSON.parse((await runProgram(['doctor', '--json', '--only', 'connection'], both)).out);
    expect(deviating.findings).toContainEqual(
      expect.objectContaining({ id: 'connection.deviation', seen: expect.stringContaining('/outputSchema') }),
    );
  });
});
