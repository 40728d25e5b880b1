/** Whether a body says that it is JSON. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  return contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType);
}

/**
 * Whether an answer of one of `types` is welcome. Clients list both types of answer; one that lists none, or only one,
 * is served all the same, as every client must be able to read both.
 */
export function accepts(accept: string | undefined, ...types: readonly string[]): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some(part => {
    const [range = '', ...params] = part.split(';').map(piece => piece.trim().toLowerCase());
    if (params.some(param => /^q=0(?:\.0*)?$/.test(param))) return false;
    return range === '*/*' || types.some(type => range === type || range === `${type.split('/')[0]}/*`);
  });
}
