import type { Check } from '../check.js';
import { getSpecificationPage } from '../finding.js';
import { createOpeningRequest, describeResponse, hasResult } from '../raw-requests.js';
import { probeStream } from './http-sse.js';
import { isPrivateHost } from './tls.js';

const FOREIGN_HOST = 'rebound.example';

/** Examines the protection against DNS rebinding: a foreign `Host` and a foreign `Origin`. */
export const originCheck: Check = {
  id: 'origin',
  title: 'Host and Origin',
  requires: 'http',
  async run(context, { ok, info, warning, problem }) {
    const { anonymous, url, transport } = context;
    if (!anonymous || !url || (transport !== 'http' && transport !== 'http-sse')) return [];
    const request = transport === 'http-sse' ? {} : createOpeningRequest(context);
    const send = async (headers: Readonly<Record<string, string>>) => {
      if (transport === 'http-sse') return probeStream(anonymous, { headers });
      const response = await anonymous({ ...request, headers: { ...request.headers, ...headers } });
      return hasResult(response) ? response : undefined;
    };
    if (!(await send({})))
      return [ok('protected', 'requests without a token are refused, so foreign pages have no access')];
    const spec = getSpecificationPage('basic/transports/streamable-http');
    const host = await send({ host: FOREIGN_HOST });
    const origin = await send({ origin: `http://${FOREIGN_HOST}` });
    const local = isPrivateHost(url.hostname);
    const fix = 'accept only known names in Host and Origin, and answer others with 403';
    if (!local)
      return origin
        ? [
            info('any-origin', 'the server accepts requests of every Origin', {
              seen: describeResponse(origin),
              fix,
              spec,
            }),
          ]
        : [ok('checked', 'requests of a foreign Origin are refused')];
    return [
      host && origin
        ? problem('rebinding', 'the server is open to DNS rebinding', {
            seen: `Host: ${FOREIGN_HOST} and Origin: http://${FOREIGN_HOST} are answered with ${describeResponse(host)}`,
            cause: 'every web page that the user visits can call the tools of this server',
            fix,
            spec,
          })
        : ok('host', 'requests that DNS rebinding creates are refused'),
      ...(origin && !host
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
