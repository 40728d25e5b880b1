import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandboxResponse } from '@tenon/apps/sandbox';
import { build } from 'esbuild';
import { type BrowserContext, chromium, type Frame, type Page } from 'playwright-core';
import type { RequestHandler } from 'tenon';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import type { Browser } from '../../scripts/browser.mjs';
import { waitInPage } from '../support/wait-in-page.js';
import { createAppTestServer } from './test-server.js';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const source = (relative: string) => path(`../../packages/${relative}`);
const ARGS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];

/** Bundles a program for a page. */
export async function bundleForPage(program: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path(program)],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'warning',
    alias: {
      tenon: source('tenon/src/index.ts'),
      '@tenon/apps/host': source('apps/src/host.ts'),
      '@tenon/apps/page': source('apps/src/page.ts'),
    },
  });
  // A closing tag in a text would end the script of the page.
  return (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
}

export const asHtml = (script: string) =>
  `<!doctype html><html lang="en"><body><script type="module">${script}</script>`;

async function listen(listener: RequestListener): Promise<{ server: HttpServer; origin: string }> {
  const server = createHttpServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return { server, origin: `http://127.0.0.1:${address.port}` };
}

/** Chromium with a host page, whose sandbox is at another origin. */
export interface AppBrowser {
  readonly page: Page;
  readonly hostOrigin: string;
  readonly sandboxOrigin: string;
  /** An origin that no app has declared. It counts the requests that it gets. */
  readonly other: { readonly origin: string; readonly requests: string[] };
  /** Runs code in the host page. */
  run(code: string): Promise<unknown>;
  /** The frame of the app. */
  appFrame(): Promise<Frame>;
  close(): Promise<void>;
}

export async function openAppBrowser(
  installed: Browser,
  options: {
    readonly hostScript: string;
    readonly html: (uri: string) => string;
    readonly csp?: object;
    /** Server in place of the test server. */
    readonly server?: RequestHandler;
  },
): Promise<AppBrowser> {
  const mcp = toNode(createHandler(options.server ?? createAppTestServer(options.html, options.csp)));
  const host = await listen((request, response) => {
    if (request.url?.startsWith('/mcp')) return mcp(request, response);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(asHtml(options.hostScript));
  });
  const sandbox = await listen((request, response) => {
    const { status, headers, body } = createSandboxResponse(request.url ?? '/', { hostOrigins: [host.origin] });
    response.writeHead(status, headers).end(body);
  });
  const requests: string[] = [];
  const other = await listen((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end('other');
  });
  const profile = await mkdtemp(join(tmpdir(), 'tenon-apps-'));
  let browser: BrowserContext | undefined;
  const close = async () => {
    await browser?.close();
    for (const { server } of [host, sandbox, other]) {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    browser = await chromium.launchPersistentContext(profile, {
      ...installed,
      args: ARGS,
      headless: true,
      timeout: 50_000,
    });
    const page = browser.pages()[0] ?? (await browser.newPage());
    const errors: unknown[] = [];
    page.on('pageerror', error => errors.push(error));
    await page.goto(host.origin);
    await waitInPage(page, 'globalThis.show !== undefined').catch(cause => {
      throw new Error(`the host page has failed: ${errors.join(', ')}`, { cause });
    });
    return {
      page,
      hostOrigin: host.origin,
      sandboxOrigin: sandbox.origin,
      other: { origin: other.origin, requests },
      run: code => page.evaluate(`(async () => { ${code} })()`),
      async appFrame() {
        const find = () => page.frames().find(each => each.url() === 'about:srcdoc');
        const frame = find() ?? (await page.waitForEvent('framenavigated', each => each.url() === 'about:srcdoc'));
        await frame.waitForLoadState();
        return frame;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
