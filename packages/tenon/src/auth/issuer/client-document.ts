import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Client } from './client.js';
import { readMetadata } from './client-metadata.js';
import type { Settings } from './options.js';
import { Refusal } from './refusal.js';

/** How long a document may be, in characters. */
const MAX_DOCUMENT = 10 * 1024;
/** For how long a document is kept, in seconds: when nothing is said, and at the most. */
const KEPT = 300;
const KEPT_MOST = 24 * 3600;
const MAX_KEPT = 1_000;

type Kept = Map<string, { client: Client; until: number }>;

/**
 * Reads the client whose id is the URL of a document. Throws a `Refusal`.
 * https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
 */
export async function readClientDocument(id: string, settings: Settings, kept: Kept): Promise<Client> {
  const { clock, schemes } = settings;
  const known = kept.get(id);
  if (known && known.until > clock.now()) return known.client;
  kept.delete(id);
  checkId(id, settings);
  const { document, life } = await fetchDocument(id, settings);
  const client = readDocument(document, id, schemes);
  if (life > 0) {
    kept.set(id, { client, until: clock.now() + life * 1_000 });
    const [first] = kept.keys();
    if (kept.size > MAX_KEPT && first !== undefined) kept.delete(first);
  }
  return client;
}

/** The text of the id is what counts, so that it may be written in one way only. */
function checkId(id: string, { guard, takesDocument }: Settings): void {
  try {
    const url = guard.check(id, 'the id of a client');
    const plain = url.href === id && !id.includes('#') && url.pathname !== '/' && id.length <= 2_048;
    if (plain && takesDocument(url)) return;
  } catch {
    // What is wrong with it is not told: the answers would show what there is in this network.
  }
  throw new Refusal('invalid_client', 'This URL is not taken for the id of a client');
}

async function fetchDocument(id: string, settings: Settings): Promise<{ document: JsonObject; life: number }> {
  try {
    const response = await settings.fetch(id, { headers: { accept: 'application/json' } });
    const text = await response.text();
    const value: unknown = response.status === 200 && text.length <= MAX_DOCUMENT ? JSON.parse(text) : undefined;
    if (isObject(value)) return { document: value, life: lifeOf(response.headers.get('cache-control') ?? '') };
  } catch (error) {
    settings.report(TenonError.from(error, 'auth/unreachable'));
  }
  throw new Refusal('invalid_client', 'The document of the client can not be read');
}

/** https://www.rfc-editor.org/rfc/rfc9111#section-5.2.2 */
function lifeOf(control: string): number {
  if (/(^|[,\s])no-(store|cache)\b/i.test(control)) return 0;
  const [, age] = /(?:^|[,\s])max-age="?(\d+)/i.exec(control) ?? [];
  return Math.min(age === undefined ? KEPT : Number(age), KEPT_MOST);
}

function readDocument(document: JsonObject, id: string, schemes: readonly string[]): Client {
  if (document.client_id !== id) throw new Refusal('invalid_client', 'The document names another client_id');
  if (typeof document.client_name !== 'string') throw new Refusal('invalid_client', 'The document has no client_name');
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    throw new Refusal('invalid_client', 'The document of a client is public: it must have no secret');
  }
  return readMetadata(document, id, schemes, ['none', 'private_key_jwt']);
}
