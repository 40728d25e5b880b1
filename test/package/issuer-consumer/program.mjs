import { createIssuer } from '@tenon/issuer';

const issuer = createIssuer({
  url: 'http://127.0.0.1:3008',
  clients: [{ id: 'nightly', secret: 'only for development', machine: true }],
});
const body = 'grant_type=client_credentials&resource=http://127.0.0.1:3009/mcp';
const headers = {
  authorization: `Basic ${btoa('nightly:only for development')}`,
  'content-type': 'application/x-www-form-urlencoded',
};
const response = await issuer(new Request('http://127.0.0.1:3008/token', { method: 'POST', headers, body }));
const { token_type, expires_in } = /** @type {{ token_type: string, expires_in: number }} */ (await response.json());
console.log(response.status, token_type, expires_in);
