import { createHost, type HostOptions, type ServerSelection } from '@tenon/host';
import { connectPair } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { afterEach, expect, it } from 'vitest';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const service = createServer({ name: 'shop', version: '1.0.0', tools: { price: tool({ run: () => 'three' }) } });

/** The names that are offered, of a host with these servers and options. */
async function listNames(options: HostOptions, selection?: ServerSelection): Promise<string[]> {
  const host = await createHost(options);
  const client = await connectPair(host.toServer(selection));
  closing.push(
    () => client.close(),
    () => host.close(),
  );
  const names: string[] = [];
  for await (const { name } of client.listTools()) names.push(name);
  return names;
}

it('prefixes names by default, also of a single server', async () => {
  expect(await listNames({ servers: { corner: { service } } })).toEqual(['corner__price']);
});

it('prefixes names with `auto` by the servers of the options, not by those that are disabled or selected', async () => {
  const both = { corner: { service }, market: { service } };
  const disabled = { corner: { service }, market: { service, disabled: true } };
  expect(await listNames({ servers: both, prefix: 'auto' }, { servers: ['corner'] })).toEqual(['corner__price']);
  expect(await listNames({ servers: disabled, prefix: 'auto' })).toEqual(['corner__price']);
  expect(await listNames({ servers: { corner: { service } }, prefix: 'auto' })).toEqual(['price']);
  expect(await listNames({ servers: both, prefix: 'never' }, { servers: ['corner'] })).toEqual(['price']);
});

it('reports names that another server has only where names have no prefix', async () => {
  const servers = { corner: { service }, market: { service } };
  const count = async (prefix: 'always' | 'never') => {
    const kinds: string[] = [];
    const onScreeningReport: HostOptions['onScreeningReport'] = ({ findings }) =>
      kinds.push(...findings.map(({ kind }) => kind));
    await listNames({ servers, prefix, onScreeningReport });
    return kinds.filter(kind => kind === 'shadowed-name').length;
  };
  expect(await count('always')).toBe(0);
  expect(await count('never')).toBeGreaterThan(0);
});
