import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../pages.js';

const run = promisify(execFile);

interface PackedPackage {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/** A registry of npm that has the packed packages of this project. It sends clients to another registry for all others. */
export interface PackageRegistry {
  readonly url: string;
  close(): Promise<void>;
}

/** Packs all packages as `npm pack` does, and serves them on loopback under the names that the pages install. */
export async function startRegistry(upstream: string): Promise<PackageRegistry> {
  const packages = await packPackages();
  const server = createServer((request, response) => answer(request, response, packages, upstream));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

async function packPackages(): Promise<ReadonlyMap<string, PackedPackage>> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-registry-'));
  try {
    // The scripts of the packages add a README, which no page needs, by changes in the checkout, which other tests read.
    const sources = readdirSync(join(root, 'packages')).map(name => `./packages/${name}`);
    const args = ['pack', ...sources, '--ignore-scripts', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
    const packed: { filename: string; name: string }[] = JSON.parse(stdout);
    const entries = packed.map(async ({ filename, name }): Promise<[string, PackedPackage]> => {
      const file = filename.replace(/^@/, '').replace('/', '-');
      const tarball = await readFile(join(folder, file));
      const source = join(root, 'packages', name.replace(/^@\w+\//, ''), 'package.json');
      return [name, { manifest: JSON.parse(await readFile(source, 'utf8')), tarball }];
    });
    return new Map(await Promise.all(entries));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function answer(
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
  packages: ReadonlyMap<string, PackedPackage>,
  upstream: string,
): void {
  const path = decodeURIComponent(url.slice(1).split('?')[0] ?? '');
  const found = packages.get(path.replace(/\/-\/.*$/, ''));
  if (found === undefined) {
    response.writeHead(302, { location: new URL(url.slice(1), upstream).href }).end();
  } else if (path.endsWith('.tgz')) {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(found.tarball);
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(describe(found, `http://${headers.host}`)));
  }
}

/** The document of a package with one version. */
function describe({ manifest, tarball }: PackedPackage, origin: string) {
  const { name, version } = manifest;
  const dist = {
    tarball: `${origin}/${name}/-/${version}.tgz`,
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
  };
  const versions = { [version]: { ...manifest, _id: `${name}@${version}`, dist } };
  return { _id: name, name, 'dist-tags': { latest: version, alpha: version }, versions };
}
