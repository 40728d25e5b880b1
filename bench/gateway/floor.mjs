// @ts-check
/**
 * What a gateway cannot do without: bare Node that parses each message, gives it an id of its own, sends it on, and
 * gives the answer back. It checks nothing. `node floor.mjs '{"transport":"http","server":{"url":"…"}}'`.
 */
import { spawn } from 'node:child_process';
import { Agent, createServer, request } from 'node:http';
import { createInterface } from 'node:readline';

/** @typedef {{ [key: string]: any }} Json */
/** @typedef {{ transport: 'http' | 'stdio', server: { url: string } | { command: string, args: string[] } }} Setup */
/** Gives the answer and, where there is one, the session. @typedef {(message: Json, headers: Record<string, string>) => Promise<{ answer: Json | undefined, session: string | undefined }>} Forward */

/** @type {Setup} */
const { transport, server } = JSON.parse(process.argv[2] ?? '');
const forward = 'url' in server ? createHttpForwarder(server.url) : createStdioForwarder(server.command, server.args);
if (transport === 'http') serveHttp();
else servePipes();

/** @param {string} url @returns {Forward} */
function createHttpForwarder(url) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, pathname: path } = new URL(url);
  const fixed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return (message, given) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const headers = { ...fixed, ...given, 'content-length': Buffer.byteLength(body) };
      const sent = request({ agent, hostname, port, path, method: 'POST', headers }, reply => {
        let text = '';
        reply.setEncoding('utf8').on('data', chunk => {
          text += chunk;
        });
        const session = /** @type {string | undefined} */ (reply.headers['mcp-session-id']);
        reply.on('end', () => resolve({ answer: text === '' ? undefined : JSON.parse(text), session }));
      });
      sent.on('error', reject).end(body);
    });
}

/** @param {string} command @param {string[]} args @returns {Forward} */
function createStdioForwarder(command, args) {
  const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  /** @type {Map<number, (answer: Json) => void>} */
  const waiting = new Map();
  let last = 0;
  createInterface({ input: stdout }).on('line', line => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return async message => {
    if (message.id === undefined) stdin.write(`${JSON.stringify(message)}\n`);
    if (message.id === undefined) return { answer: undefined, session: undefined };
    last += 1;
    const id = last;
    const answer = await new Promise(resolve => {
      waiting.set(id, resolve);
      stdin.write(`${JSON.stringify({ ...message, id })}\n`);
    });
    return { answer: { ...answer, id: message.id }, session: undefined };
  };
}

function serveHttp() {
  const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'];
  const listening = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', chunk => {
      text += chunk;
    });
    incoming.on('end', async () => {
      const passed = names.flatMap(name => (incoming.headers[name] ? [[name, incoming.headers[name]]] : []));
      const { answer, session } = await forward(JSON.parse(text), Object.fromEntries(passed));
      if (answer === undefined) return void response.writeHead(202).end();
      const body = JSON.stringify(answer);
      const own = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      response.writeHead(200, session === undefined ? own : { ...own, 'mcp-session-id': session }).end(body);
    });
  });
  listening.keepAliveTimeout = 65_000;
  listening.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (listening.address()).port}/mcp`);
  });
}

function servePipes() {
  createInterface({ input: process.stdin }).on('line', async line => {
    const { answer } = await forward(JSON.parse(line), {});
    if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
  process.stdin.on('end', () => process.exit(0));
}
