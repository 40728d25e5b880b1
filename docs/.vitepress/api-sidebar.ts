import { existsSync, readFileSync } from 'node:fs';

/** Item of a sidebar. The tests of this file run without the packages of the documentation, so that its type is not that of VitePress. */
interface Item {
  text?: string;
  link?: string;
  items?: Item[];
}
type Link = Required<Pick<Item, 'text' | 'link'>>;

const ROOT = '/reference/api/';

/**
 * Returns the sidebars of the API: one for each group of names (functions, interfaces) of each entry. One sidebar with all
 * names would be most of each of the 700 pages.
 */
export function readApiSidebars(path: string): Record<string, Item[]> {
  if (!existsSync(path)) return {};
  const entries = listEntries(JSON.parse(readFileSync(path, 'utf8')), '');
  const sidebars: Record<string, Item[]> = { [ROOT]: entries.map(({ text, link }) => ({ text, link })) };
  for (const { text, link, items } of entries) {
    const groups = items.filter(item => item.link === undefined);
    const links = groups.map(group => toGroupLink(link, group));
    sidebars[link] = [
      { text: 'All entries', link: ROOT },
      { text, link, items: links },
    ];
    groups.forEach((group, index) => {
      const open = links.map((each, at) => (at === index ? { ...each, items: group.items ?? [] } : each));
      sidebars[`${link}${toFolder(group)}/`] = [
        { text: 'All entries', link: ROOT },
        { text, link, items: open },
      ];
    });
  }
  return sidebars;
}

/** Returns the entries, each before those within it. An entry is an item with a link that has items. */
function listEntries(items: readonly Item[], parent: string): (Link & { items: Item[] })[] {
  return items.flatMap(({ text = '', link, items = [] }) => {
    if (link === undefined) return [];
    const name = parent === '' ? text : `${parent}/${text}`;
    return [
      { text: name, link, items },
      ...listEntries(
        items.filter(item => item.items),
        name,
      ),
    ];
  });
}

function toGroupLink(entry: string, group: Item): Link {
  return { text: group.text ?? '', link: `${entry}#${toFolder(group)}` };
}

/** Folder of a group, which is also the anchor of its heading: "Type Aliases" is `type-aliases`. */
function toFolder(group: Item): string {
  return (group.text ?? '').toLowerCase().replaceAll(' ', '-');
}
