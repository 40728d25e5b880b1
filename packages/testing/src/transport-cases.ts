import { checkFunction, checkObject, type JsonObject, requireArgument, TenonError } from '@tenon/base';
import type { Transport } from 'tenon';
import { createNotification, type Id } from 'tenon/testing-internals';
import { listNumbers } from './store-context.js';
import { assertEqual, check, createTestPeer, type TestPeer } from './test-peer.js';

/** One requirement for a transport. `run` rejects with the actual behavior if the transport does not meet it. */
export interface ContractCase {
  /** Title of the case, for the test runner. */
  readonly name: string;
  /** Runs the case. Rejects when it fails. */
  run(): Promise<void>;
}

/** Creates an unopened transport to a process or URL that serves the `echoServer`. */
export interface TransportFixture {
  /** Transport under test. */
  readonly transport: Transport;
  /** Sends the messages that must be sent before others, such as `initialize`. Absent: none are necessary. */
  readonly handshake?: ((ear: TestPeer) => Promise<void>) | undefined;
  /** Frees the resources of the fixture. The transport may be open or closed. */
  readonly release?: (() => void | Promise<void>) | undefined;
}

/** Features that a transport may not have. */
export interface UnsupportedFeatures {
  /** True if the peer cannot send its own requests. */
  readonly serverRequests?: boolean | undefined;
  /** True if the end of the peer is not detected before the next message. */
  readonly closeDetection?: boolean | undefined;
}

/**
 * Lists the contract of transports as named cases for any test runner: `for (const { name, run } of
 * transportCases(open)) it(name, run)`.
 * @param open Called once for each case.
 */
export function transportCases(
  open: () => TransportFixture | Promise<TransportFixture>,
  unsupported: UnsupportedFeatures = {},
): ContractCase[] {
  requireArgument('`open` of transportCases', open, checkFunction);
  requireArgument('`unsupported` of transportCases', unsupported, checkObject());
  const cases = [
    ...coreCases,
    ...(unsupported.serverRequests ? [] : serverRequestCases),
    ...(unsupported.closeDetection ? [] : closeDetectionCases),
  ];
  return cases.map(([name, test]) => ({ name, run: () => runCase(open, test) }));
}

type CaseTest = (ear: TestPeer) => Promise<void>;

async function runCase(open: () => TransportFixture | Promise<TransportFixture>, test: CaseTest): Promise<void> {
  const fixture = await open();
  const peer = createTestPeer(fixture.transport);
  try {
    await fixture.transport.open(peer.receiver);
    await fixture.handshake?.(peer);
    await test(peer);
  } finally {
    await fixture.transport.close();
    await fixture.release?.();
  }
}

const coreCases: readonly [string, CaseTest][] = [
  ['has a name for its peer', async ({ transport }) => check(transport.peer.length > 0, 'peer is empty')],
  [
    'delivers a request and its response',
    async peer => assertEqual((await peer.call('reflect/echo', { a: 1 })).result, { a: 1 }),
  ],
  [
    'delivers an error response',
    async peer => {
      const { error } = await peer.call('reflect/fail', {});
      assertEqual(error, { code: 1, message: 'as asked', data: { a: [1] } });
    },
  ],
  [
    'keeps the type of an ID: string or number',
    async peer => {
      for (const id of ['7', 7, '', 'ü', 2 ** 53 - 1, -3] satisfies Id[])
        assertEqual((await peer.call('reflect/echo', {}, id)).id, id);
    },
  ],
  [
    'keeps the order of sent messages',
    async peer => {
      for (let n = 0; n < 50; n++) await peer.transport.send(createNotification('reflect/note', { note: n }));
      assertEqual((await peer.call('reflect/noted', {})).result, { notes: listNumbers(50) });
    },
  ],
  [
    'keeps the order of received notifications before the response',
    async peer => {
      await peer.call('reflect/say', { count: 100 });
      assertEqual(
        peer.getNotifications('reflect/said').map(({ n }) => n),
        listNumbers(100),
      );
    },
  ],
  [
    'delivers many concurrent requests, with one response each',
    async peer => {
      const answers = await Promise.all(listNumbers(40).map(n => peer.call('reflect/echo', { n }, `at-once-${n}`)));
      assertEqual(
        answers.map(({ result }) => (result as JsonObject).n),
        listNumbers(40),
      );
      assertEqual(peer.countResponses('at-once-'), 40);
    },
  ],
  [
    'settles every send, also with many messages',
    async peer => {
      const note = 'x'.repeat(20_000);
      for (let n = 0; n < 50; n++) await peer.transport.send(createNotification('reflect/note', { note }));
      const { result } = await peer.call('reflect/noted', {});
      assertEqual(
        (result as { notes: string[] }).notes.map(({ length }) => length),
        listNumbers(50).map(() => 20_000),
      );
    },
  ],
  [
    'delivers a large message completely',
    async peer => {
      const text = 'large ü 😀\n'.repeat(100_000);
      const { result } = await peer.call('reflect/echo', { text });
      check((result as JsonObject).text === text, 'the text has changed');
    },
  ],
  [
    'delivers any text: control characters, separators, lone surrogates',
    async peer => {
      const texts = [
        '\0\b\r\n\t',
        '\u2028\u2029\u0085',
        '😀 é 𝒳',
        '\ud800',
        'a\udc00b',
        '\ufeff',
        'data: x\n\nevent: y',
      ];
      assertEqual((await peer.call('reflect/echo', { texts })).result, { texts });
    },
  ],
  [
    'delivers any member name as data',
    async peer => {
      const params = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":2},"":0}') as JsonObject;
      assertEqual((await peer.call('reflect/echo', params)).result, params);
      check(!('polluted' in {}), 'the prototype of all objects has changed');
    },
  ],
  [
    'delivers nested values, null and fractions',
    async peer => {
      const params = { a: [[[{ b: null }]], -0.5, 1e300, true, false, '', []], c: {} };
      assertEqual((await peer.call('reflect/echo', params)).result, params);
    },
  ],
  [
    'reports its end once and without an error, even if it is closed twice',
    async peer => {
      await Promise.all([peer.transport.close(), peer.transport.close()]);
      await peer.transport.close();
      await peer.closed;
      assertEqual(peer.closeReasons, [undefined]);
    },
  ],
  [
    'rejects messages after its end with a TenonError',
    async peer => {
      await peer.transport.close();
      await peer.closed;
      const error = await catchError(() => peer.transport.send(createNotification('reflect/note', {})));
      check(TenonError.is(error), `got ${String(error)}`);
    },
  ],
  [
    'delivers no message after its end',
    async peer => {
      const pending = listNumbers(10).map(n =>
        catchError(() => peer.transport.send(peer.request('reflect/say', { count: n }))),
      );
      await peer.transport.close();
      await peer.closed;
      await Promise.all(pending);
      assertEqual(peer.receivedAfterClose, []);
    },
  ],
];

const serverRequestCases: readonly [string, CaseTest][] = [
  [
    'delivers a request of the peer and its response',
    async peer => {
      peer.onRequest('reflect/question', params => ({ answer: params.question }));
      assertEqual((await peer.call('reflect/ask', { question: 'why' })).result, { answer: 'why' });
    },
  ],
];

const closeDetectionCases: readonly [string, CaseTest][] = [
  [
    'delivers the last response, and then reports the end of the peer once',
    async peer => {
      assertEqual((await peer.call('reflect/close', { last: 1 })).result, { last: 1 });
      await peer.closed;
      await peer.transport.close();
      assertEqual(peer.closeReasons.length, 1);
    },
  ],
];

async function catchError(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}
