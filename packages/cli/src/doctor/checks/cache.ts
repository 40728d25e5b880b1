import type { Check } from '../check.js';
import { getSpecificationPage } from '../finding.js';
import { createStatelessRequest } from '../raw-requests.js';

/** Examines the caching hints that results have since the newest version: `ttlMs` and `cacheScope`. */
export const cacheCheck: Check = {
  id: 'cache',
  title: 'Caching',
  requires: 'http',
  async run({ http, anonymous, statelessVersion, connection, transport }, { ok, problem, warning }) {
    if (!http || statelessVersion === undefined || transport !== 'http') return [];
    const spec = getSpecificationPage('server/utilities/caching');
    const methods = ['server/discover', ...(connection?.client.server.capabilities.tools ? ['tools/list'] : [])];
    const faults: string[] = [];
    const shared: string[] = [];
    for (const method of methods) {
      const request = createStatelessRequest(statelessVersion, method);
      const { messages } = await http(request);
      const result = messages.map(each => each.result).find(each => typeof each === 'object' && each !== null);
      if (!result) continue;
      const { ttlMs, cacheScope } = result as { readonly ttlMs?: unknown; readonly cacheScope?: unknown };
      if (!Number.isInteger(ttlMs) || Number(ttlMs) < 0) faults.push(`${method}: ttlMs is ${JSON.stringify(ttlMs)}`);
      if (cacheScope !== 'public' && cacheScope !== 'private')
        faults.push(`${method}: cacheScope is ${JSON.stringify(cacheScope)}`);
      const isOpen = (await anonymous?.(request))?.status === 200;
      if (cacheScope === 'public' && !isOpen) shared.push(method);
    }
    return [
      faults.length === 0
        ? ok('hints', 'results have ttlMs and cacheScope')
        : problem('hints', 'results lack valid caching hints', {
            seen: faults.join(', '),
            fix: 'add ttlMs (0 or more) and cacheScope ("public" or "private") to each cacheable result',
            spec,
          }),
      ...(shared.length === 0
        ? []
        : [
            warning('public', 'results that need a token are declared public', {
              seen: shared.join(', '),
              cause: 'a shared cache may give them to callers without a token',
              fix: 'set cacheScope to "private" unless every caller sees the same',
              spec,
            }),
          ]),
    ];
  },
};
