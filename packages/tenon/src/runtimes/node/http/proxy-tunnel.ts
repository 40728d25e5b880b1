import type * as http from 'node:http';
import type * as https from 'node:https';
import type { Duplex } from 'node:stream';
import { HttpsProxyAgent } from 'hpagent';

export { getProxyForUrl } from 'proxy-from-env';

/** Creates an agent whose connections are tunnels through a proxy (CONNECT). */
export const createTunnelAgent = (proxy: URL, options: https.AgentOptions): https.Agent =>
  new TunnelAgent({ ...options, proxy });

class TunnelAgent extends HttpsProxyAgent {
  // The timeout of the agent is for unused connections. A proxy may take longer to connect.
  override createConnection(
    options: http.ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Duplex {
    return super.createConnection({ ...options, timeout: 0 }, callback);
  }
}
