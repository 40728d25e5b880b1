import { expect, it } from 'vitest';
import { formatAllCommands, formatFirstPage } from './program-help.js';
import { commandGroups, dailyCommands, summaries } from './summaries.js';

it('puts each command into one group', () => {
  expect(Object.values(commandGroups).flat().toSorted()).toEqual(Object.keys(summaries).toSorted());
});

it('describes ten daily commands on the first page, and names the others below, on one screen', () => {
  const [, daily = '', others = ''] =
    /Daily jobs:\n([\s\S]*?)\n\nMore commands:\n([\s\S]*?)\n\n/.exec(formatFirstPage()) ?? [];
  expect(daily.split('\n').map(line => line.trim().split(' ')[0])).toEqual([...dailyCommands]);
  expect(dailyCommands).toHaveLength(10);
  const named = others.split('\n').flatMap(line =>
    line
      .slice(20)
      .split(/,\s*/)
      .map(name => name.trim()),
  );
  const rest = Object.keys(summaries).filter(name => !dailyCommands.some(each => each === name));
  expect(named.filter(name => name !== '').toSorted()).toEqual(rest.toSorted());
  expect(formatFirstPage().split('\n').length).toBeLessThanOrEqual(40);
});

it('describes all commands and exit codes with --all, in lines of at most 80 columns', () => {
  for (const [name, summary] of Object.entries(summaries)) {
    const words = formatAllCommands().replace(/\s+/g, ' ');
    expect(words).toContain(` ${name} ${summary} `);
  }
  expect(formatAllCommands()).toContain('Exit codes:\n  0    success');
  for (const line of `${formatFirstPage()}\n${formatAllCommands()}`.split('\n'))
    expect(line.length, line).toBeLessThan(82);
});
