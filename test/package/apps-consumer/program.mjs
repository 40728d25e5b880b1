import { app } from '@tenon/apps';
import { appsExtension, readApp } from '@tenon/apps/host';
import { createSandboxResponse } from '@tenon/apps/sandbox';
import { connect, createServer, tool } from 'tenon';

const page = app({ uri: 'ui://a/page.html', html: '<!doctype html><p>page' });
const show = page.tool(tool({ run: () => 'shown' }));
const server = createServer({ name: 'a', version: '1.0.0', tools: { show }, resources: { ...page.resources } });
const client = await connect(server, { extensions: [appsExtension] });
const { html } = await readApp(client, 'ui://a/page.html');
const { status } = createSandboxResponse('/app', { hostOrigins: ['https://a.example'] });
console.log(html, status);
await client.close();
