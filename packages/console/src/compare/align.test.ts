import { describe, expect, it } from 'vitest';
import type { WireRow } from '../api.js';
import { alignSteps, findCommon, readSteps } from './align.js';
import { describeDifferences } from './differences.js';
import { joinVersions } from './join-versions.js';

let seq = 0;
const row = (from: WireRow['from'], kind: WireRow['kind'], method: string, more: Partial<WireRow> = {}): WireRow => {
  seq += 1;
  return { seq, time: seq, server: 's', connection: 1, from, kind, method, size: 10, ...more };
};

const pushed = [
  row('client', 'request', 'initialize'),
  row('server', 'result', 'initialize'),
  row('client', 'notification', 'notifications/initialized'),
  row('client', 'request', 'tools/call'),
  row('server', 'notification', 'notifications/progress'),
  row('server', 'notification', 'notifications/message'),
  row('server', 'notification', 'notifications/progress'),
  row('server', 'request', 'elicitation/create'),
  row('client', 'result', 'elicitation/create'),
  row('server', 'result', 'tools/call'),
];
const retried = [
  row('client', 'request', 'server/discover'),
  row('server', 'result', 'server/discover'),
  row('client', 'request', 'tools/call'),
  row('server', 'notification', 'notifications/progress'),
  row('server', 'result', 'tools/call', { resultType: 'input_required', inputs: ['elicitation/create'] }),
  row('client', 'request', 'tools/call'),
  row('server', 'result', 'tools/call', { resultType: 'complete' }),
];
const call = { method: 'tools/call', took: 1 };
const sides = [
  { protocolVersion: '2025-11-25', isOver: true },
  { protocolVersion: '2026-07-28', isOver: true },
];

describe('the steps of a call on two versions [con.revision]', () => {
  const aligned = alignSteps([readSteps(call, pushed), readSteps(call, retried)]);
  const bodies = new Map<number, unknown>([
    [retried[5]?.seq ?? 0, { params: { name: 'x', arguments: {}, inputResponses: {}, requestState: 's' } }],
  ]);
  const words = aligned.map(each => describeDifferences(each, sides, at => bodies.get(at)));

  it('stand beside each other by their meaning', () => {
    expect(aligned.map(({ meaning, cells }) => [meaning, ...cells.map(cell => cell?.rows.length ?? 0)])).toEqual([
      ['open', 1, 1],
      ['opened', 1, 1],
      ['notifications/initialized', 1, 0],
      ['call', 1, 1],
      ['notifications/progress', 2, 1],
      ['notifications/message', 1, 0],
      ['input request elicitation/create', 1, 1],
      ['input response elicitation/create', 1, 1],
      ['result', 1, 1],
    ]);
  });

  it('differ in words that their messages prove', () => {
    expect(words).toEqual([
      ['2025-11-25 opens with initialize; 2026-07-28 asks server/discover.'],
      [],
      ['Only 2025-11-25 confirms the opening.'],
      [],
      ['2025-11-25: 2, 2026-07-28: 1 messages.'],
      ['Only 2025-11-25 sends notifications/message.'],
      ['2025-11-25 sends elicitation/create over the open stream; 2026-07-28 ends the round with input_required.'],
      [
        '2025-11-25 answers on the same stream; 2026-07-28 calls tools/call again with inputResponses and requestState.',
      ],
      [],
    ]);
  });

  it('name the members that only one version sends', () => {
    const [open] = alignSteps([readSteps(call, pushed.slice(3, 4)), readSteps(call, retried.slice(2, 3))]);
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', progressToken: 1 };
    const read = (at: number) => ({
      params: at === retried[2]?.seq ? { name: 'x', _meta: meta } : { name: 'x', _meta: { progressToken: 1 } },
    });
    expect(open && describeDifferences(open, sides, read)).toEqual(['Only 2026-07-28: _meta protocolVersion.']);
  });

  it('miss nothing while a call still runs', () => {
    const running = alignSteps([readSteps(call, pushed), readSteps({ ...call, took: null }, retried.slice(0, 3))]);
    const all = running.flatMap(each =>
      describeDifferences(
        each,
        [
          { protocolVersion: '2025-11-25', isOver: true },
          { protocolVersion: '2026-07-28', isOver: false },
        ],
        () => null,
      ),
    );
    expect(all).toEqual(['2025-11-25 opens with initialize; 2026-07-28 asks server/discover.']);
  });

  it('keep the order of each of five calls', () => {
    const five = [pushed, retried, pushed, retried.slice(2), pushed].map(rows => readSteps(call, rows));
    const rows = alignSteps(five);
    for (const [index, steps] of five.entries()) expect(rows.flatMap(({ cells }) => cells[index] ?? [])).toEqual(steps);
    expect(rows.every(({ cells }) => cells.length === 5)).toBe(true);
  });
});

describe('two input requests of one round [con.revision]', () => {
  const two = ['elicitation/create', 'sampling/createMessage'];
  const pushedTwice = [
    row('client', 'request', 'tools/call'),
    ...two.map(method => row('server', 'request', method)),
    ...two.map(method => row('client', 'result', method)),
    row('server', 'result', 'tools/call'),
  ];
  const retriedOnce = [
    row('client', 'request', 'tools/call'),
    row('server', 'result', 'tools/call', { resultType: 'input_required', inputs: two }),
    row('client', 'request', 'tools/call'),
    row('server', 'result', 'tools/call', { resultType: 'complete' }),
  ];
  const aligned = alignSteps([readSteps(call, pushedTwice), readSteps(call, retriedOnce)]);

  it('stand beside the message that has both', () => {
    const seqs = aligned.map(({ meaning, cells }) => [meaning, ...cells.map(cell => cell?.rows[0]?.seq)]);
    const [first = 0, second = 0] = [pushedTwice[0]?.seq, retriedOnce[0]?.seq];
    expect(seqs).toEqual([
      ['call', first, second],
      ['input request elicitation/create', first + 1, second + 1],
      ['input request sampling/createMessage', first + 2, second + 1],
      ['input response elicitation/create', first + 3, second + 2],
      ['input response sampling/createMessage', first + 4, second + 2],
      ['result', first + 5, second + 3],
    ]);
  });

  it('differ in words that name the message once', () => {
    expect(aligned.flatMap(each => describeDifferences(each, sides, () => null))).toEqual([
      '2025-11-25 sends elicitation/create over the open stream; 2026-07-28 ends the round with input_required.',
      '2025-11-25 sends sampling/createMessage over the open stream; 2026-07-28 has it in the same input_required.',
      '2025-11-25 answers on the same stream; 2026-07-28 calls tools/call again.',
      '2025-11-25 answers on the same stream; 2026-07-28 answers in the same tools/call.',
    ]);
  });

  it('stand beside two requests of the same method', () => {
    const same = two.map(() => 'elicitation/create');
    const steps = readSteps(call, [
      row('client', 'request', 'tools/call'),
      row('server', 'result', 'tools/call', { resultType: 'input_required', inputs: same }),
    ]);
    expect(steps.map(({ meaning, isRepeated }) => [meaning, isRepeated === true])).toEqual([
      ['call', false],
      ['input request elicitation/create', false],
      ['input request elicitation/create', true],
    ]);
  });
});

describe('a list of versions', () => {
  it('names three or more neighbours as a range', () => {
    const all = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
    expect(joinVersions(all.slice(0, 4), all)).toBe('2024-11-05 to 2025-11-25');
    expect(joinVersions(['2026-07-28', '2025-03-26', '2024-11-05'], all)).toBe('2024-11-05, 2025-03-26 and 2026-07-28');
  });

  it('finds the longest common part of two lists', () => {
    expect(findCommon([...'abcd'], [...'xbdy'])).toEqual([
      [1, 1],
      [3, 2],
    ]);
  });
});
