import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { getSpecificationPage } from '../finding.js';
import { shorten } from './names.js';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Examines the annotations of tools, by which hosts decide about confirmations. */
export const annotationsCheck: Check = {
  id: 'annotations',
  title: 'Annotations',
  requires: 'connection',
  run({ connection }, { ok, info, warning }) {
    const tools = connection?.tools ?? [];
    if (tools.length === 0) return [];
    const spec = getSpecificationPage('server/tools#tool');
    const bare = tools.filter(({ annotations }) => HINTS.every(hint => annotations?.[hint] === undefined));
    const contrary = tools.filter(({ annotations: a }) => a?.readOnlyHint === true && a.destructiveHint === true);
    const findings: Finding[] = [];
    if (contrary.length > 0)
      findings.push(
        warning('contrary', 'tools are read-only and destructive at once', {
          seen: shorten(contrary.map(({ name }) => name)),
          cause: 'hosts that trust readOnlyHint call them without a confirmation',
          fix: 'remove one of the hints',
          spec,
        }),
      );
    if (bare.length > 0)
      findings.push(
        info('missing', `${bare.length} of ${tools.length} tools have no hints`, {
          seen: shorten(bare.map(({ name }) => name)),
          cause: 'hosts treat them as destructive, and ask the user before each call',
          fix: 'set readOnlyHint on tools that change nothing, and destructiveHint: false on tools that only add',
          spec,
        }),
      );
    return findings.length > 0 ? findings : [ok('hints', 'all tools have hints')];
  },
};
