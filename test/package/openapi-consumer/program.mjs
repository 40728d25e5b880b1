import { openapi } from '@tenon/openapi';
import { connect, createServer } from 'tenon';

const document = {
  swagger: '2.0',
  info: { title: 'Pets', version: '1' },
  host: 'a.example',
  paths: { '/pets': { get: {} } },
};
const { name, version, tools, report } = await openapi(document);
const client = await connect(createServer({ name, version, tools }));
for await (const tool of client.listTools()) console.log(tool.name, report.taken.length);
await client.close();
