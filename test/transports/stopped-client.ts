// A process that calls the tool `wait` of the server at a URL, and writes the result. Arguments: URL and protocol version.

import { connect, protocolVersions, TenonError } from 'tenon';

const [, , url = '', version] = process.argv;
const protocolVersion = protocolVersions.find(each => each === version);
const client = await connect(url, { ...(protocolVersion && { protocolVersion }) });
const outcome = await client.callTool('wait', {}, { totalTimeout: 5000 }).then(
  ({ content }) => JSON.stringify(content),
  error => (TenonError.is(error) ? error.code : String(error)),
);
console.log(client.server.protocolVersion, outcome);
await client.close();
