import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '@tenon/base/node';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { DownloadError, download } from '../http/download.js';
import { getBundleFolder, MAX_BUNDLE } from '../mcpb/extract-bundle.js';
import { parseSafeUrl } from '../options/option-parsers.js';
import type { RegistryPackage } from './registry-document.js';

/** Time for the whole download, in milliseconds. */
const TIMEOUT = 300_000;
const HASH = /^[0-9a-f]{64}$/;

/**
 * Downloads a bundle that a registry names, unless a file with its hash is there already.
 *
 * @returns Path of the bundle. Its name is the hash.
 * @throws TenonError `registry/bundle` if it cannot be downloaded, or has another hash than the registry states
 */
export async function fetchBundle(
  { env, screen }: CliContext,
  { identifier, fileSha256 = '' }: RegistryPackage,
): Promise<string> {
  const hash = fileSha256.toLowerCase();
  if (!HASH.test(hash)) throw createBundleError(identifier, 'the entry has no fileSha256');
  if (parseSafeUrl(identifier) === undefined) throw createBundleError(identifier, 'the address is not an https: URL');
  const folder = getBundleFolder(env);
  const path = join(folder, `${hash}.mcpb`);
  // The file may have been changed since its download.
  if ((await hashFile(path)) === hash) return path;
  await createFolder(folder, 0o700);
  const partial = join(folder, `.download-${randomUUID()}`);
  screen.note(`downloading ${identifier.slice(0, 500)}`);
  try {
    const received = await writeResponse(identifier, partial);
    if (received !== hash) throw createBundleError(identifier, `SHA-256 ${received}`, `SHA-256 ${hash}`);
    await rename(partial, path);
    return path;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Returns the hash of a file. `undefined` if there is none. */
async function hashFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path)) hash.update(part);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

/** Writes the response into a file, and returns its hash. */
async function writeResponse(url: string, path: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT);
  const { status, chunks } = await download(url, { signal }).catch((error: unknown) => {
    if (TenonError.is(error)) throw error;
    const reason = error instanceof DownloadError ? `no connection: ${error.message}` : 'no connection';
    throw createBundleError(url, signal.aborted ? `no response in ${TIMEOUT / 1000} s` : reason);
  });
  if (status < 200 || status >= 300) throw createBundleError(url, `HTTP ${status}`);
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const part of chunks) {
      size += part.length;
      if (size > MAX_BUNDLE) throw createBundleError(url, `more than ${MAX_BUNDLE} bytes`);
      hash.update(part);
      await file.appendFile(part);
    }
  } catch (error) {
    throw TenonError.is(error) ? error : createBundleError(url, 'the download broke off');
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

function createBundleError(url: string, received: string, expected = 'a bundle at an https: URL with its SHA-256') {
  return new TenonError('registry/bundle', `${url.slice(0, 500)}: the bundle cannot be used`, {
    expected,
    received,
    hint: 'report to the author of the server; do not run this bundle if its hash differs',
  });
}
