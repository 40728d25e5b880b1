import { connectToHost } from '@tenon/apps/page';
import type { SalesServer } from './server.ts';

interface Sales {
  readonly year: number;
  readonly months: readonly { readonly name: string; readonly revenue: number }[];
}

/** The part of a browser's document that the page uses. */
interface Part {
  innerHTML: string;
  textContent: string | null;
  onclick: (() => void) | null;
}
declare const document: { getElementById(id: string): Part | null };

const part = (id: string): Part => {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
};
const WIDTH = 480;
const HEIGHT = 180;
let shown: Sales | undefined;

const escapeText = (text: string) => text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);

function draw(sales: Sales): void {
  shown = sales;
  part('title').textContent = `Sales of ${sales.year}`;
  const step = WIDTH / sales.months.length;
  const highest = Math.max(...sales.months.map(({ revenue }) => revenue), 1);
  part('chart').innerHTML = sales.months
    .map(({ name, revenue }, index) => {
      const height = (revenue / highest) * (HEIGHT - 40);
      const [x, y] = [index * step + step * 0.2, HEIGHT - 20 - height];
      const middle = index * step + step / 2;
      return `<rect x="${x}" y="${y}" width="${step * 0.6}" height="${height}" rx="3"/>
        <text x="${middle}" y="${y - 5}">${revenue}</text><text x="${middle}" y="${HEIGHT - 4}">${escapeText(name)}</text>`;
    })
    .join('');
}

const host = await connectToHost<SalesServer>({
  name: 'sales-chart',
  version: '1.0.0',
  onToolResult: ({ structuredContent }) => draw(structuredContent as unknown as Sales),
});

async function showYear(change: number): Promise<void> {
  if (!shown) return;
  const sales = await host.tools.readSales({ year: shown.year + change });
  draw(sales);
  await host.updateModelContext({ content: [{ type: 'text', text: `The user sees the sales of ${sales.year}` }] });
}

part('before').onclick = () => void showYear(-1);
part('after').onclick = () => void showYear(1);
