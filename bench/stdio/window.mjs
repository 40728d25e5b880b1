// @ts-check
/**
 * Keeps so many calls under way over the pipes of a process, at as little cost as it can, so that the process and not
 * the one who measures is what is waited for. Every answer is parsed and looked at.
 */

/** @typedef {{ [key: string]: any }} Json */
/** @typedef {{ calls: number, seconds: number, latencies: Float64Array }} Load */
/** @typedef {{ stream: import('node:stream').Readable, sink: import('node:stream').Writable, meta: string, lastId: number }} Pipes */

const PER_REQUEST = '2026-07-28';
/** Calls of one sample at the most. */
const MOST = 1_000_000;
const clientInfo = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': PER_REQUEST,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * Opens the connection as the protocol version has it.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} version
 * @returns {Promise<Pipes>}
 */
export async function openPipes({ stdin, stdout }, version) {
  if (!stdin || !stdout) throw new Error('a process without pipes');
  stdout.setEncoding('utf8');
  const perRequest = version === PER_REQUEST;
  const pipes = { stream: stdout, sink: stdin, meta: perRequest ? `,"_meta":${JSON.stringify(META)}` : '', lastId: 0 };
  const more = perRequest ? { _meta: META } : {};
  const opening = perRequest
    ? { method: 'server/discover', params: more }
    : { method: 'initialize', params: { protocolVersion: version, capabilities: {}, clientInfo } };
  const { protocolVersion = version, supportedVersions = [version] } = await ask(pipes, opening);
  if (protocolVersion !== version || !supportedVersions.includes(version))
    throw new Error(`it speaks ${protocolVersion}, not ${version}`);
  if (!perRequest) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const { tools } = await ask(pipes, { method: 'tools/list', params: more });
  if (tools?.length !== 1 || tools[0].name !== 'echo') throw new Error(`its tools are ${JSON.stringify(tools)}`);
  return pipes;
}

/** The result of one request that is alone. @param {Pipes} pipes @param {Json} request @returns {Promise<Json>} */
function ask(pipes, request) {
  pipes.lastId += 1;
  const id = pipes.lastId;
  let text = '';
  return new Promise((resolve, reject) => {
    pipes.stream.on('data', function take(/** @type {string} */ chunk) {
      text += chunk;
      if (!text.endsWith('\n')) return;
      const answer = text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]));
      const mine = answer.find(message => message.id === id && message.method === undefined);
      if (mine === undefined) return;
      pipes.stream.off('data', take);
      if (mine.result === undefined) reject(new Error(`${request.method} was answered with ${JSON.stringify(mine)}`));
      else resolve(mine.result);
    });
    pipes.sink.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`);
  });
}

/**
 * Has `inFlight` calls under way at each moment, until the time is over. For all answers that came together, as many
 * calls are sent, together too.
 * @param {Pipes} pipes @param {number} inFlight @param {number} seconds
 * @returns {Promise<Load>}
 */
export function loadPipes(pipes, inFlight, seconds) {
  const { stream, sink, meta } = pipes;
  const latencies = new Float64Array(MOST);
  /** When it was sent, by id. @type {Map<number, number>} */
  const waiting = new Map();
  const start = performance.now();
  let calls = 0;
  let rest = '';

  /** @param {number} count @param {number} now */
  const send = (count, now) => {
    let text = '';
    for (let n = 0; n < count; n += 1) {
      pipes.lastId += 1;
      const id = pipes.lastId;
      waiting.set(id, now);
      text += `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"call ${id}"}${meta}}}\n`;
    }
    sink.write(text);
  };

  return new Promise((resolve, reject) => {
    /** Whether it was an answer: some servers have something to say by themselves. @param {string} line @param {number} now */
    const check = (line, now) => {
      const answer = JSON.parse(line);
      if (answer.method !== undefined) return false;
      const sent = waiting.get(answer.id);
      if (sent === undefined || answer.result?.content?.[0]?.text !== `call ${answer.id}` || answer.result.isError)
        throw new Error(`a call was answered with ${line}`);
      waiting.delete(answer.id);
      latencies[calls] = now - sent;
      calls += 1;
      return true;
    };
    stream.on('data', function take(/** @type {string} */ chunk) {
      const now = performance.now();
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      let answered = 0;
      try {
        for (const line of lines) if (check(line, now)) answered += 1;
      } catch (error) {
        stream.off('data', take);
        return reject(error);
      }
      if (now - start < seconds * 1000 && calls + inFlight < MOST) {
        if (answered > 0) send(answered, now);
      } else if (waiting.size === 0) {
        stream.off('data', take);
        resolve({ calls, seconds: (now - start) / 1000, latencies: latencies.slice(0, calls).sort() });
      }
    });
    send(inFlight, start);
  });
}
