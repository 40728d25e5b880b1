import type { Check } from '../check.js';
import { getSpecificationPage } from '../finding.js';
import { createOpeningRequest, describeResponse, hasResult } from '../raw-requests.js';
import { isPrivateHost } from './tls.js';

const FOREIGN_HOST = 'rebound.example';

/** Examines the protection against DNS rebinding: a foreign `Host` and a foreign `Origin`. */
export const originCheck: Check = {
  id: 'origin',
  title: 'Host and Origin',
  requires: 'http',
  async run(context, { ok, info, warning, problem }) {
    const { anonymous, url, transport } = context;
    if (!anonymous || !url || transport !== 'http') return [];
    const request = createOpeningRequest(context);
    const open = await anonymous(request);
    if (!hasResult(open))
      return [ok('protected', 'requests without a token are refused, so foreign pages have no access')];
    const spec = getSpecificationPage('basic/transports/streamable-http');
    const host = await anonymous({ ...request, headers: { ...request.headers, host: FOREIGN_HOST } });
    const origin = await anonymous({ ...request, headers: { ...request.headers, origin: `http://${FOREIGN_HOST}` } });
    const local = isPrivateHost(url.hostname);
    const fix = 'accept only known names in Host and Origin, and answer others with 403';
    if (!local)
      return hasResult(origin)
        ? [
            info('any-origin', 'the server accepts requests of every Origin', {
              seen: describeResponse(origin),
              fix,
              spec,
            }),
          ]
        : [ok('checked', 'requests of a foreign Origin are refused')];
    return [
      hasResult(host) && hasResult(origin)
        ? problem('rebinding', 'the server is open to DNS rebinding', {
            seen: `Host: ${FOREIGN_HOST} and Origin: http://${FOREIGN_HOST} are answered with ${describeResponse(host)}`,
            cause: 'every web page that the user visits can call the tools of this server',
            fix,
            spec,
          })
        : ok('host', 'requests that DNS rebinding creates are refused'),
      ...(hasResult(origin) && !hasResult(host)
        ? [
            warning('foreign-origin', 'the server accepts a foreign Origin', {
              seen: describeResponse(origin),
              cause: 'the specification requires the check, and only Host is checked',
              fix,
              spec,
            }),
          ]
        : []),
    ];
  },
};
