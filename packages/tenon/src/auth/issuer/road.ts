import type { Consent } from './consent-page.js';
import type { Answer, Asked } from './exchange.js';
import type { Wish } from './request.js';

/** How users are known: here, or by going on to somebody else. */
export interface Road {
  /** Whether the page asks for a name and a password. */
  readonly password: boolean;
  readonly upstream?: NonNullable<Consent['upstream']>;
  /** The user has agreed. Gives what the browser is answered, or what was wrong with what it sent. */
  allowed(asked: Asked, wish: Wish): Promise<Answer | { readonly again: string }>;
  /** What stands behind a grant elsewhere, and until when; `undefined` when it has ended there. */
  standing?(sid: string): Promise<{ readonly until?: number } | undefined>;
}
