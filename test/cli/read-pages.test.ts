import { readFile } from 'node:fs/promises';
import { createHost, type Host } from '@tenon/host';
import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectWith, runTenon } from './command.js';

const LINES = Array.from({ length: 30_000 }, (_, index) => ({ line: index, text: '😀 ä' }));
const JSON_TEXT = JSON.stringify(LINES);
const BYTES = Buffer.from(Array.from({ length: 200_001 }, (_, index) => index % 251));

describe('tenon read of a result that was too large', () => {
  let host: Host;
  let server: HttpServer;
  let project: Awaited<ReturnType<typeof projectWith>>;
  beforeAll(async () => {
    const service = createServer({
      name: 'large',
      version: '1.0.0',
      tools: {
        text: tool({ run: () => ({ content: [{ type: 'text', text: JSON_TEXT }] }) }),
        image: tool({
          run: () => ({ content: [{ type: 'image', data: BYTES.toString('base64'), mimeType: 'image/png' }] }),
        }),
      },
    });
    host = await createHost({ servers: { large: { service } }, output: { maxTotal: 2000, maxBinary: 2000 } });
    server = await serveHttp(host.toServer(), { port: 0 });
    project = await projectWith({});
  });
  afterAll(async () => {
    await server.close();
    await host.close();
    await project.remove();
  });
  const run = (...args: string[]) => runTenon(project.folder, args);
  const findUri = async (name: string): Promise<string> => {
    const { out } = await run('call', server.url, name, '--json');
    return JSON.parse(out).content.find(({ type }: { type: string }) => type === 'resource_link').uri;
  };

  it('prints all pages of a text [cli.read]', async () => {
    const uri = await findUri('large__text');
    const { code, out } = await run('read', server.url, uri);
    expect([code, out.length]).toEqual([0, JSON_TEXT.length + 1]);
    expect(out).toBe(`${JSON_TEXT}\n`);
    expect(JSON.parse((await run('read', server.url, uri, '--json')).out)).toMatchObject({
      contents: [{ uri, text: JSON_TEXT, _meta: { 'dev.tenon/total': JSON_TEXT.length } }],
    });
  });

  it('prints the range of the URI, of several pages [cli.read]', async () => {
    const uri = await findUri('large__text');
    expect((await run('read', server.url, `${uri}?from=10&to=70010`)).out).toBe(`${JSON_TEXT.slice(10, 70_010)}\n`);
    expect((await run('read', server.url, `${uri}?from=70000`)).out).toBe(`${JSON_TEXT.slice(70_000)}\n`);
  });

  it('prints one page of a text [cli.read]', async () => {
    const uri = await findUri('large__text');
    expect((await run('read', server.url, `${uri}?page=2`)).out).toBe(`${JSON_TEXT.slice(60_000, 120_000)}\n`);
    expect((await run('read', server.url, `${uri}?page=900`)).code).not.toBe(0);
  });

  it('joins the pages of binary content [cli.read]', async () => {
    const uri = await findUri('large__image');
    const { out } = await run('read', server.url, uri, '--json');
    const [{ blob, mimeType }] = JSON.parse(out).contents;
    expect([Buffer.from(blob, 'base64').equals(BYTES), mimeType]).toEqual([true, 'image/png']);
    const saved = JSON.parse((await run('read', server.url, uri, '--save', 'out', '--json')).out);
    expect((await readFile(saved.saved[0].path)).equals(BYTES)).toBe(true);
  });
});
