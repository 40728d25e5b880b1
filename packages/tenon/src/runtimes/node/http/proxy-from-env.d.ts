declare module 'proxy-from-env' {
  /** Returns the proxy for a URL by the variables of the process. Returns an empty text for a direct connection. */
  export function getProxyForUrl(url: string | URL): string;
}
