import type { Check } from '../check.js';
import { getSpecificationPage } from '../finding.js';
import { closeSession, describeResponse, openSession } from '../raw-requests.js';

/** Examines whether a broken stream can be resumed: event IDs, and a GET with `Last-Event-ID`. */
export const resumeCheck: Check = {
  id: 'resume',
  title: 'Resumption',
  requires: 'http',
  async run({ http, handshakeVersion, transport }, { ok, info, warning }) {
    if (!http || handshakeVersion === undefined || transport !== 'http') return [];
    const spec = getSpecificationPage('basic/transports', handshakeVersion);
    const session = await openSession(http, handshakeVersion);
    try {
      await http({ headers: session.headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
      const listed = await http({ headers: session.headers, body: { jsonrpc: '2.0', id: 2, method: 'tools/list' } });
      const ids = [...session.opening.eventIds, ...listed.eventIds];
      const isStream = [session.opening, listed].some(({ mediaType }) => mediaType === 'text/event-stream');
      if (!isStream) return [ok('json', 'short responses are JSON, which needs no resumption')];
      const last = ids.at(-1);
      if (last === undefined) {
        return [
          info('ids', 'streams cannot be resumed: events have no ID', {
            cause: 'a response is lost when the connection breaks during a long call',
            fix: 'add an event store if calls take longer than the timeouts of proxies',
            spec,
          }),
        ];
      }
      const resumed = await http({ headers: { ...session.headers, 'last-event-id': last }, headersOnly: true });
      if (resumed.status === 200 && resumed.mediaType === 'text/event-stream')
        return [ok('resumed', 'streams can be resumed with Last-Event-ID')];
      return [
        warning('refused', 'events have IDs, but a GET with Last-Event-ID is refused', {
          seen: describeResponse(resumed),
          cause: 'clients that try to resume a stream lose the response',
          fix: 'replay events after Last-Event-ID, or send events without an ID',
          spec,
        }),
      ];
    } finally {
      await closeSession(http, session);
    }
  },
};
