/** Whether a body says that it is JSON. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  return contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType);
}

/**
 * Judges `Accept` for answers of one of `types`. Clients list both types of answer; one that lists none, or only one, is
 * served all the same, as every client must be able to read both.
 */
export function createAcceptMatcher(...types: readonly string[]): (accept: string | undefined) => boolean {
  const ranges = new Set(['*/*', ...types, ...types.map(type => `${type.split('/')[0]}/*`)]);
  // Clients send the same words every time.
  let lastAccepted = '*/*';
  return accept => {
    if (accept === undefined || accept === lastAccepted || accept.trim() === '') return true;
    if (!accept.split(',').some(part => matchesAny(part, ranges))) return false;
    lastAccepted = accept;
    return true;
  };
}

const acceptsJson = createAcceptMatcher('application/json');

/** Tells whether a client that accepts one of the two types of answer accepts no JSON. */
export function acceptsStreamOnly(accept: string | undefined): boolean {
  return !acceptsJson(accept);
}

function matchesAny(part: string, ranges: ReadonlySet<string>): boolean {
  const [range = '', ...params] = part.split(';').map(piece => piece.trim().toLowerCase());
  return ranges.has(range) && !params.some(param => /^q=0(?:\.0*)?$/.test(param));
}
