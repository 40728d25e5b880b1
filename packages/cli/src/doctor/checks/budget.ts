import { createTokenReport } from '@tenon/host';
import { formatCount } from '../../screen.js';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { shorten } from './names.js';

/** Number of tokens of all tools above which models choose worse, and hosts begin to defer tools. */
const MAX_TOTAL = 10_000;
/** Number of tokens of one tool above which it is listed. */
const MAX_TOOL = 1000;
/** Maximum number of tools in the APIs of several hosts, for all servers together. */
const MAX_TOOLS = 128;
/** Number of tools above which hosts warn, for all servers together. */
const MANY_TOOLS = 40;
/** Number of characters of instructions and descriptions that hosts keep. */
const MAX_TEXT = 2048;

/** Examines the size of the definitions in the context of a model. */
export const budgetCheck: Check = {
  id: 'budget',
  title: 'Context budget',
  requires: 'connection',
  run({ connection }, { ok, info, warning }) {
    if (!connection) return [];
    const { tools, client } = connection;
    const { total, servers } = createTokenReport([{ server: '', tools }]);
    const costs = (servers[0]?.tools ?? []).toSorted((a, b) => b.tokens - a.tokens);
    const size = `${tools.length} tools, about ${total} tokens`;
    const largest = costs.map(({ name, tokens }) => `${name} ${tokens}`);
    const findings: Finding[] = [];
    if (total > MAX_TOTAL)
      findings.push(
        warning('total', `the tools take about ${total} tokens of each conversation`, {
          seen: shorten(largest),
          cause: `models choose worse above ${MAX_TOTAL} tokens, and users pay for each of them`,
          fix: 'shorten descriptions, remove tools, or serve them through `tenon gateway` with tool search',
        }),
      );
    const large = costs.filter(({ tokens }) => tokens > MAX_TOOL);
    if (large.length > 0 && total <= MAX_TOTAL)
      findings.push(
        info('tool', `${formatCount(large.length, 'tool')} of more than ${MAX_TOOL} tokens`, {
          seen: shorten(large.map(({ name, tokens }) => `${name} ${tokens}`)),
          fix: 'shorten the descriptions and schemas',
        }),
      );
    if (tools.length > MAX_TOOLS)
      findings.push(
        warning('count', `${tools.length} tools`, {
          cause: `several hosts accept at most ${MAX_TOOLS} tools, and drop the rest`,
          fix: 'group tools, or let users choose toolsets',
        }),
      );
    else if (tools.length > MANY_TOOLS)
      findings.push(
        info('count', `${tools.length} tools`, {
          cause: `several hosts warn above ${MANY_TOOLS} tools of all servers`,
        }),
      );
    const texts = [
      ...(client.server.instructions === undefined ? [] : [['instructions', client.server.instructions] as const]),
      ...tools.map(({ name, description = '' }) => [name, description] as const),
    ].filter(([, text]) => text.length > MAX_TEXT);
    if (texts.length > 0)
      findings.push(
        info('text', `${formatCount(texts.length, 'text')} of more than ${MAX_TEXT} characters`, {
          seen: shorten(texts.map(([name, text]) => `${name} ${text.length}`)),
          cause: 'some hosts cut instructions and descriptions at this length',
          fix: 'write the important sentences first',
        }),
      );
    return findings.length > 0 ? findings : [ok('size', size)];
  },
};
