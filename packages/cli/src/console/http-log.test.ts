import { channel } from 'node:diagnostics_channel';
import { get } from 'node:http';
import { createServer } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from './fixtures/console-page.js';
import { HttpLog } from './http-log.js';

const CHANNELS = ['http.client.request.start', 'http.client.response.finish'];
const countObserved = () => CHANNELS.filter(name => channel(name).hasSubscribers).length;

const server = createServer({ name: 'fixture', version: '1.0.0' });
const endings: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

describe('the log of HTTP requests', () => {
  it('observes the process while a console is open only', async () => {
    const page = await openTestConsole();
    expect(countObserved()).toBe(CHANNELS.length);
    const port = Number(new URL(page.origin).port);
    await expect(openTestConsole({ port })).rejects.toMatchObject({ code: 'serve/listen' });
    await page.close();
    expect(countObserved()).toBe(0);
  });

  it('has the requests of a message as long as the message is in memory', async () => {
    const http = await serveHttp(server, { port: 0, allowUnauthenticated: true });
    endings.push(() => http.close({ timeout: 0 }));
    const log = new HttpLog();
    log.open();
    endings.push(() => log.close());
    const send = (seq: number) =>
      new Promise<void>((resolve, reject) => {
        log.follow(seq);
        get(http.url, { headers: { authorization: 'Bearer value' } }, response => {
          response.resume().once('end', resolve);
        }).once('error', reject);
      });
    for (const seq of [1, 2]) await send(seq);
    expect([1, 2].map(seq => log.read(seq).length)).toEqual([1, 1]);
    log.dropBefore(2);
    await send(1);
    expect([1, 2].map(seq => log.read(seq).length)).toEqual([0, 1]);
    expect(log.reveal(1, 0, 'request', 0)).toBeUndefined();
  });
});
