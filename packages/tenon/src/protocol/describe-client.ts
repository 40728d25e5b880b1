import { createExcerpt } from '@tenon/base';
import type { Implementation } from './content.js';

/** Maximum number of characters of the name of a client, and of its version. */
const MAX_NAME = 100;

/** A client as its requests describe it. */
interface DescribedClient {
  /** Name and version that the client sends. Untrusted. */
  readonly client?: Implementation | undefined;
  readonly address?: string | undefined;
}

/** Describes a client in errors about its requests: `notes-app 1.2 (2025-11-25, 192.0.2.7)`. */
export function describeClient({ client, address }: DescribedClient, protocolVersion: string | undefined): string {
  // The client chooses the texts, so each becomes one short line.
  const texts = [client?.name, client?.version].map((text: unknown) =>
    typeof text === 'string' ? createExcerpt(text, MAX_NAME) : '',
  );
  const name = texts.filter(Boolean).join(' ') || 'client';
  const details = [protocolVersion, address].filter(Boolean).join(', ');
  return details === '' ? name : `${name} (${details})`;
}
