import { setTimeout } from 'node:timers/promises';

const TIMEOUT = 55_000;
const INTERVAL = 20;

/**
 * Waits until an expression in a page is true. `waitForFunction` of the browsers' libraries compiles the expression in the
 * page if it is not true at once, which a content security policy without `unsafe-eval` refuses.
 */
export async function waitInPage(
  page: { evaluate(expression: string): Promise<unknown> },
  expression: string,
): Promise<void> {
  const end = Date.now() + TIMEOUT;
  // The page may be replaced by another one meanwhile.
  while ((await page.evaluate(expression).catch(() => false)) !== true) {
    if (Date.now() > end) throw new Error(`not true in the page: ${expression}`);
    await setTimeout(INTERVAL);
  }
}
