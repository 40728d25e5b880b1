import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * Lists the findings of axe about a view in both themes at 1440 and 390 pixels, and the sizes at which the view is wider
 * than the page.
 *
 * @param open Opens the view.
 */
export async function findAxeFindings(page: Page, open: () => Promise<void>): Promise<string[]> {
  const source = await readFile(AXE, 'utf8');
  const findings: string[] = [];
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await open();
      // The colors of the other theme change within 80 ms.
      await page.evaluate('Promise.all(document.getAnimations().map(each => each.finished)).then(() => {})');
      await page.evaluate(source);
      const { violations } = await page.evaluate(() => Reflect.get(globalThis, 'axe').run());
      for (const { id, nodes } of violations)
        for (const { html } of nodes) findings.push(`${width} ${colorScheme} ${id}: ${html.slice(0, 160)}`);
      const shown: unknown = await page.evaluate('document.documentElement.scrollWidth');
      if (Number(shown) > width) findings.push(`${width} ${colorScheme}: the view is ${String(shown)} pixels wide`);
      if (process.env.TENON_PICTURES) {
        const name = new URL(page.url()).pathname.replaceAll('/', '-').slice(1);
        await page.screenshot({ path: `${process.env.TENON_PICTURES}/${name}-${width}-${colorScheme}.png` });
      }
    }
  return findings;
}
