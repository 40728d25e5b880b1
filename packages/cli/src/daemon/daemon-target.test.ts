import { expect, it } from 'vitest';
import { selectDaemonVariables } from './daemon-target.js';

it('passes proxies and certificates to the daemon, and no other variables of the user [cli.keep]', () => {
  const names = ['PATH', 'HTTPS_PROXY', 'http_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];
  const env = Object.fromEntries([...names, 'API_KEY', 'MY_HTTPS_PROXY'].map(name => [name, 'x']));
  expect(Object.keys(selectDaemonVariables(env))).toEqual(names);
});
