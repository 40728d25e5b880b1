/** The token of this page. The fragment of the address has it once; afterwards only this tab knows it. */
const KEY = 'tenon-token';

/** Reads the token from the fragment, and removes it from the address before the first request. */
export function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(KEY) ?? '';
}
