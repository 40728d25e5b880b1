import { serveHttp } from 'tenon/node';
import { createGateway } from './gateway.ts';

// npx tsx examples/proxy/server.ts 3000 notes=http://127.0.0.1:3001/mcp files=http://127.0.0.1:3002/mcp
const [port = '3000', ...servers] = process.argv.slice(2);
const targets = servers.map(each => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]);
const { url } = await serveHttp(createGateway(Object.fromEntries(targets)), { port: Number(port) });
console.log(url);
