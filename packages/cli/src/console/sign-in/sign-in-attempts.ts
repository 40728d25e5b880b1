import { type JsonObject, parseWebUrl } from '@tenon/base';
import type { SignInView } from '@tenon/console/api';
import { protocolVersions, TenonError } from 'tenon';
import { createUsageError } from '../../usage-error.js';
import type { ChangeFeed } from '../change-feed.js';
import type { ConsoleServers } from '../console-servers.js';
import { SignInAttempt } from './sign-in-attempt.js';

/** Maximum number of attempts that are kept. The oldest is dropped. */
const MAX_ATTEMPTS = 10;

/** Sign-ins that the user tries in the page. */
export class SignInAttempts {
  readonly #feed: ChangeFeed;
  readonly #servers: Pick<ConsoleServers, 'getHttpTarget'>;
  readonly #attempts = new Map<number, SignInAttempt>();
  #last = 0;

  constructor(feed: ChangeFeed, servers: Pick<ConsoleServers, 'getHttpTarget'>) {
    this.#feed = feed;
    this.#servers = servers;
  }

  /** Starts a sign-in at a server of the console, or at any URL. */
  async start({ server, url, version, stepwise, clientId, scopes }: JsonObject): Promise<SignInView> {
    const known = typeof server === 'string' ? await this.#servers.getHttpTarget(server) : undefined;
    const target = known?.url ?? (typeof url === 'string' ? requireWebUrl(url) : undefined);
    if (target === undefined) throw createUsageError('url: expected a text', 'enter the URL of an MCP server');
    this.#last += 1;
    const id = this.#last;
    const attempt = new SignInAttempt({
      id,
      url: target,
      server: typeof server === 'string' ? server : null,
      version: protocolVersions.find(each => each === version) ?? protocolVersions[1] ?? '',
      isStepwise: stepwise === true,
      clientId: readText(clientId),
      scopes: readText(scopes),
      headers: known?.headers,
      exceptions: known?.exceptions,
      onChange: view => {
        if (this.#attempts.has(id)) this.#feed.set(`sign-in ${id}`, { type: 'sign-in', attempt: view });
      },
    });
    this.#attempts.set(id, attempt);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size > MAX_ATTEMPTS && oldest !== undefined) this.remove(oldest);
    void attempt.start();
    return attempt.view;
  }

  /** Goes on with an attempt: with its next request, with all of them, with a renewal, or with more scopes. */
  change(id: number, action: string, body: JsonObject): unknown {
    const attempt = this.#require(id);
    switch (action) {
      case 'next':
        attempt.pass(body.all === true);
        return {};
      case 'cancel':
        attempt.cancel();
        return {};
      case 'page':
        return { url: attempt.page ?? null };
      case 'refresh':
      case 'step-up': {
        const scope = readText(body.scope);
        if (!attempt.view.canContinue)
          throw createUsageError('the sign-in is not finished', 'finish it, and try again');
        if (action === 'step-up' && scope === undefined)
          throw createUsageError('scope: expected a text', 'enter the scopes that the server would ask for');
        void (action === 'refresh' ? attempt.refresh() : attempt.stepUp(scope ?? ''));
        return {};
      }
      default:
        throw new TenonError('console/not-found', `${action}: not found`);
    }
  }

  remove(id: number): void {
    this.#require(id).cancel();
    this.#attempts.delete(id);
    this.#feed.set(`sign-in ${id}`, { type: 'sign-in-removed', id });
  }

  close(): void {
    for (const attempt of this.#attempts.values()) attempt.cancel();
    this.#attempts.clear();
  }

  #require(id: number): SignInAttempt {
    const attempt = this.#attempts.get(id);
    if (attempt) return attempt;
    throw new TenonError('console/unknown', `sign-in ${id}: not found`, { hint: 'try the sign-in again' });
  }
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

function requireWebUrl(text: string): string {
  const url = parseWebUrl(text.trim());
  if (url) return url.href;
  throw createUsageError(`${text.slice(0, 200)}: no URL of a server`, 'enter a URL that begins with https: or http:');
}
